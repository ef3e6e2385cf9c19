"""What a Worker is given of its runtime: configuration, providers and sandbox."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from ditto_core.contracts.ports import ModelProvider
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.settings.runtime_config import RuntimeConfig


class Providers(Protocol):
    """Model providers by name."""

    def get(self, name: str | None = None) -> ModelProvider:
        """The provider of that name, or the only one. Raises InferError PROVIDER_NOT_FOUND."""
        ...

    def names(self) -> tuple[str, ...]:
        """The registered names."""
        ...


class Services(NamedTuple):
    """One Worker's view of the world. They never travel to another machine: a remote Worker has its own."""

    config: RuntimeConfig
    sandbox: Sandbox
    providers: Providers | None = None
