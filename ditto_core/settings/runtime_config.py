"""The one configuration object of the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ditto_core.settings.environment import Environment
from ditto_core.settings.permissions import Permissions
from ditto_core.settings.provider import ProviderConfig
from ditto_core.settings.schema import Settings
from ditto_core.settings.secret_text import SecretText
from ditto_core.settings.trust import Ignored


class ModelDefault(NamedTuple):
    """The default model of DITTO_WORKER_INFER_MODEL_PROVIDER and DITTO_WORKER_INFER_MODEL."""

    provider: str
    model: str


@dataclass(frozen=True, slots=True)
class RuntimeConfig:
    """Everything that was configured, as it was when it was loaded. It never changes and reads nothing later.

    `settings` is behaviour (ditto.yaml); the rest is deployment (the environment). `workspace` is absolute.
    `ignored` is what untrusted project files asked for and did not get; `warnings` are lines for a person.
    """

    settings: Settings = field(default_factory=Settings)
    providers: Mapping[str, ProviderConfig] = field(default_factory=lambda: MappingProxyType({}))
    model: ModelDefault | None = None
    permissions: Permissions = field(default_factory=Permissions)
    workspace: Path = field(default_factory=Path.cwd)
    label: str | None = None
    brave_search_api_key: SecretText | None = None
    http_worker_token: SecretText | None = None
    environment: Environment = field(default_factory=Environment)
    ignored: tuple[Ignored, ...] = ()
    warnings: tuple[str, ...] = ()

    def secrets(self) -> tuple[SecretText, ...]:
        """Every configured key and token, for redaction, also those of the variables that servers refer to."""
        keys = [provider.api_key for provider in self.providers.values()]
        keys += [self.brave_search_api_key, self.http_worker_token]
        return tuple(dict.fromkeys([*(key for key in keys if key), *self.environment.secrets()]))
