"""The providers of a configuration."""

from __future__ import annotations

import pytest

from ditto_core.errors import ConfigError, InferError
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.settings.provider import ProviderConfig, ProviderKind
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.workers.infer.providers.configured import create_providers
from ditto_core.workers.infer.providers.offline.provider import OfflineProvider
from ditto_core.workers.infer.providers.registry import ProviderRegistry


def made(*providers: ProviderConfig) -> ProviderRegistry:
    config = RuntimeConfig(providers={provider.name: provider for provider in providers})
    return create_providers(config, Sandbox("."))


def test_every_configured_provider_is_there_and_the_built_in_one() -> None:
    registry = made(ProviderConfig("mine", "offline"), ProviderConfig("other", "offline"))
    assert registry.names() == ("mine", "other", "offline")
    assert isinstance(registry.get("mine"), OfflineProvider)
    assert registry.get("mine") is not registry.get("other")


def test_the_built_in_one_does_not_count_where_no_name_is_given() -> None:
    registry = made(ProviderConfig("mine", "offline"))
    assert registry.get() is registry.get("mine")
    with pytest.raises(InferError, match="no model provider is configured"):
        made().get()


def test_a_configured_provider_takes_the_name_of_the_built_in_one() -> None:
    registry = made(ProviderConfig("offline", "offline"))
    assert registry.names() == ("offline",)
    assert registry.get() is registry.get("offline")


@pytest.mark.parametrize("kind", ["openai-compatible", "anthropic", "gemini"])
def test_a_kind_that_this_release_lacks_names_the_kind_the_variable_and_a_way_out(kind: ProviderKind) -> None:
    with pytest.raises(ConfigError) as caught:
        made(ProviderConfig("mine", "offline"), ProviderConfig("my_vendor", kind))
    assert caught.value.where == "DITTO_SHARED_PROVIDER_MY_VENDOR_KIND"
    assert f"providers of the kind {kind} are not part of this release" in caught.value.message
    assert caught.value.hint
