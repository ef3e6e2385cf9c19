"""The providers that the configuration asks for."""

from __future__ import annotations

from typing import assert_never

from ditto_core.contracts.ports import ModelProvider
from ditto_core.errors import ConfigError
from ditto_core.runtime.services import Providers, Services
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.settings.provider import ProviderConfig
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.variables import provider_variable
from ditto_core.workers.infer.providers.registry import ProviderRegistry


def create_providers(config: RuntimeConfig, sandbox: Sandbox) -> ProviderRegistry:
    """Every provider of `config.providers`, and the built-in `offline`, which is used only where it is named.

    `sandbox` decides which origins the providers may reach. Nothing is connected here. Raises ConfigError for a
    provider of a kind that this release does not have.
    """
    from ditto_core.workers.infer.providers.offline.provider import OfflineProvider  # many modules, seldom all needed

    made = {name: _provider(provider) for name, provider in config.providers.items()}
    return ProviderRegistry(made, built_in={"offline": OfflineProvider()})


def providers_of(services: Services) -> Providers:
    """The providers of a runtime, else those of its configuration. Raises ConfigError."""
    if services.providers is not None:
        return services.providers
    return create_providers(services.config, services.sandbox)


def _provider(config: ProviderConfig) -> ModelProvider:
    match config.kind:
        case "offline":
            from ditto_core.workers.infer.providers.offline.provider import OfflineProvider

            return OfflineProvider()
        case "openai-compatible" | "anthropic" | "gemini":
            raise ConfigError(
                f"providers of the kind {config.kind} are not part of this release",
                where=provider_variable(config.name, "KIND"),
                hint="Give Ditto a provider of your own (providers=), or use the kind offline.",
            )
        case _:
            assert_never(config.kind)
