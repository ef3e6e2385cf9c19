"""The INFER Worker: where its providers come from."""

from __future__ import annotations

from typing import Any

import pytest

from ditto_core.contracts.nodes import SAMPLE
from ditto_core.errors import ConfigError
from ditto_core.flows.react import run_react_flow
from ditto_core.runtime.runtime import Ditto
from ditto_core.settings.provider import ProviderConfig
from ditto_core.settings.runtime_config import ModelDefault, RuntimeConfig
from ditto_core.workers.infer.providers.offline.provider import OfflineProvider
from ditto_core.workers.infer.providers.registry import ProviderRegistry
from ditto_core.workers.infer.worker import create_infer_worker
from tests.workers.infer.models import REQUEST, Whole, says

pytestmark = pytest.mark.anyio


def named(provider: str) -> dict[str, Any]:
    return {**REQUEST, "model": {"model": "m", "provider": provider}}


async def answer(runtime: Ditto, request: Any = REQUEST) -> str:
    """The text of a SAMPLE, or the code of its failure."""
    envelope = await runtime.invoke(SAMPLE, request)
    return str(envelope.error.code if envelope.error else envelope.output.message.content)


async def test_the_workers_own_providers_come_before_those_of_the_runtime() -> None:
    own, shared = ProviderRegistry({"a": Whole(says("own"))}), ProviderRegistry({"a": Whole(says("shared"))})
    async with Ditto(providers=shared, workers=[create_infer_worker(providers=own)]) as runtime:
        assert await answer(runtime) == "own"
    async with Ditto(providers=shared, workers=[create_infer_worker()]) as runtime:
        assert await answer(runtime) == "shared"


async def test_a_provider_registered_later_is_found() -> None:
    shared = ProviderRegistry()
    async with Ditto(providers=shared, workers=[create_infer_worker()]) as runtime:
        assert await answer(runtime) == "PROVIDER_NOT_FOUND"
        shared.register("late", Whole(says("late")))
        assert await answer(runtime) == "late"


async def test_the_provider_is_the_requests_then_the_workers_then_the_configured_one() -> None:
    providers = ProviderRegistry({name: Whole(says(name)) for name in ("a", "b", "c")})
    config = RuntimeConfig(model=ModelDefault("c", "m"))
    async with Ditto(config=config, providers=providers, workers=[create_infer_worker(default_provider="b")]) as one:
        assert await answer(one, named("a")) == "a"
        assert await answer(one) == "b"
    async with Ditto(config=config, providers=providers, workers=[create_infer_worker()]) as two:
        assert await answer(two) == "c"
    async with Ditto(providers=providers, workers=[create_infer_worker()]) as three:
        assert await answer(three) == "PROVIDER_NOT_FOUND"


async def test_without_any_providers_they_are_made_from_the_configuration() -> None:
    config = RuntimeConfig(providers={"mine": ProviderConfig("mine", "offline")})
    async with Ditto(config=config, workers=[create_infer_worker()]) as runtime:
        for request in (REQUEST, named("mine"), named("offline")):
            assert (await answer(runtime, request)).startswith("Not answered")
        assert await answer(runtime, named("other")) == "PROVIDER_NOT_FOUND"


async def test_the_offline_provider_is_never_used_where_nobody_named_it() -> None:
    async with Ditto(workers=[create_infer_worker()]) as runtime:
        envelope = await runtime.invoke(SAMPLE, REQUEST)
    assert envelope.error.code == "PROVIDER_NOT_FOUND"
    assert envelope.error.message == "no model provider is configured. Name a built-in one: offline."


async def test_a_kind_that_this_release_lacks_is_a_configuration_error_also_in_a_flow() -> None:
    config = RuntimeConfig(providers={"vendor": ProviderConfig("vendor", "gemini")})
    async with Ditto(config=config, workers=[create_infer_worker()]) as runtime:
        with pytest.raises(ConfigError, match="gemini are not part of this release"):
            await runtime.invoke(SAMPLE, REQUEST)
        result = await run_react_flow(runtime, REQUEST)
    assert result.error is not None
    assert (result.status, result.error.code) == ("failed", "CONFIG_INVALID")


async def test_every_replica_makes_its_providers_once() -> None:
    worker = create_infer_worker()
    assert worker.resources is not None
    async with Ditto(workers=[worker, worker]) as runtime:
        made = [worker.resources(runtime.services) for _ in range(2)]
    assert made[0] is not made[1]
    assert all(isinstance(providers.get("offline"), OfflineProvider) for providers in made)
