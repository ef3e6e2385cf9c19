"""INFER as a local SDK: one call, and a call in pieces."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from ditto_core.contracts.events import Event, SampleStarted, TextDelta, ThinkingDelta
from ditto_core.contracts.infer import GenerationConfig, NodeResult, SampleInput, SampleOutput
from ditto_core.contracts.nodes import SAMPLE
from ditto_core.errors import ConfigError, InvalidInputError, ProviderError
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import WorkerContext, define_worker
from ditto_core.settings.provider import ProviderConfig
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.schema import Settings
from ditto_core.workers.infer.infer import SampleItem, create_infer
from ditto_core.workers.infer.providers.registry import ProviderRegistry
from tests.workers.infer.models import REQUEST, Pieces, Whole, result, says, text, thinking

pytestmark = pytest.mark.anyio

ANSWER = says("Hello.")
FULL = (thinking("hm"), text("Hel"), text("lo."), result(ANSWER))


def runtime_of(provider: Any, **options: Any) -> Ditto:
    return Ditto(providers=ProviderRegistry({"one": provider}), **options)


async def read(runtime: Any, *, thinking: bool = False) -> list[SampleItem]:
    """Everything a stream yields."""
    with anyio.fail_after(20):
        async with create_infer(runtime=runtime).stream(REQUEST, thinking=thinking) as items:
            return [item async for item in items]


def last(items: list[SampleItem]) -> NodeResult[SampleOutput]:
    """The result, which is the last item and the only one of its kind."""
    assert [isinstance(item, NodeResult) for item in items] == [False] * (len(items) - 1) + [True]
    assert isinstance(items[-1], NodeResult)
    return items[-1]


async def test_a_sample_needs_no_worker_and_shares_the_runtimes_providers_and_configuration() -> None:
    provider = Whole(ANSWER)
    settings = Settings.parse({"workers": {"infer": {"generation": {"seed": 7}}}})
    async with runtime_of(provider, config=RuntimeConfig(settings=settings)) as runtime:
        infer = create_infer(runtime=runtime, generation=GenerationConfig(top_p=0.5))
        for request in (REQUEST, SampleInput.parse(REQUEST)):
            envelope = await infer.sample(request)
            assert (envelope.node, envelope.status, envelope.output) == (SAMPLE, "success", ANSWER)
    assert [sent.generation for sent in provider.requests] == [GenerationConfig(top_p=0.5, seed=7)] * 2


async def test_every_call_has_an_id_of_its_own() -> None:
    async with runtime_of(Whole(ANSWER)) as runtime:
        infer = create_infer(runtime=runtime)
        assert len({(await infer.sample(REQUEST)).execution_id for _ in range(5)}) == 5


async def test_what_goes_wrong_is_in_the_envelope() -> None:
    async with runtime_of(Whole(ProviderError("down", code="PROVIDER_HTTP_ERROR"))) as runtime:
        envelope = await create_infer(runtime=runtime).sample(REQUEST)
    assert envelope.error is not None
    assert (envelope.status, envelope.error.code, envelope.output) == ("failed", "PROVIDER_HTTP_ERROR", None)


async def test_a_request_that_is_none_raises() -> None:
    async with runtime_of(Whole(ANSWER)) as runtime:
        infer = create_infer(runtime=runtime)
        with pytest.raises(InvalidInputError, match="messages"):
            await infer.sample({"model": {"model": "m"}})
        with pytest.raises(InvalidInputError, match="messages"):
            async with infer.stream({"model": {"model": "m"}}):
                raise AssertionError


async def test_the_default_provider_is_used_where_the_request_names_none() -> None:
    providers = ProviderRegistry({"one": Whole(says("one")), "two": Whole(says("two"))})
    async with Ditto(providers=providers) as runtime:
        infer = create_infer(runtime=runtime, default_provider="two")
        assert (await infer.sample(REQUEST)).output == says("two")
        named = {**REQUEST, "model": {"model": "m", "provider": "one"}}
        assert (await infer.sample(named)).output == says("one")


async def test_without_providers_they_are_made_from_the_configuration() -> None:
    async with Ditto() as runtime:
        request = {**REQUEST, "model": {"model": "offline", "provider": "offline"}}
        envelope = await create_infer(runtime=runtime).sample(request)
    assert envelope.output is not None
    assert envelope.output.error is not None
    assert envelope.output.error.code == "OFFLINE_UNSUPPORTED"


async def test_a_provider_that_cannot_be_made_is_told_at_once() -> None:
    config = RuntimeConfig(providers={"vendor": ProviderConfig("vendor", "anthropic")})
    async with Ditto(config=config) as runtime:
        with pytest.raises(ConfigError, match="DITTO_SHARED_PROVIDER_VENDOR_KIND"):
            create_infer(runtime=runtime)


async def test_a_stream_is_start_text_and_one_result_under_one_id() -> None:
    async with runtime_of(Pieces(*FULL)) as runtime:
        items = await read(runtime)
    assert [type(item) for item in items[:-1]] == [SampleStarted, TextDelta, TextDelta]
    assert last(items).output == ANSWER
    ids = {item.execution_id for item in items}
    assert len(ids) == 1
    assert None not in ids


async def test_thinking_is_streamed_on_request_only() -> None:
    async with runtime_of(Pieces(*FULL)) as runtime:
        shown = await read(runtime, thinking=True)
        hidden = await read(runtime)
    assert [item.text for item in shown if isinstance(item, ThinkingDelta)] == ["hm"]
    assert [item for item in hidden if isinstance(item, ThinkingDelta)] == []


async def test_a_model_without_a_stream_gives_its_whole_text_as_one_delta() -> None:
    async with runtime_of(Whole(ANSWER)) as runtime:
        items = await read(runtime)
    assert [item.text for item in items if isinstance(item, TextDelta)] == ["Hello."]
    assert last(items).status == "success"


@pytest.mark.parametrize(
    ("provider", "status", "code"),
    [
        (Pieces(text("Hel"), ProviderError("down", code="PROVIDER_OVERLOADED")), "failed", "PROVIDER_OVERLOADED"),
        (Pieces(text("Hel")), "failed", "INVALID_MODEL_OUTPUT"),
        (Pieces(text("Hel"), result(ANSWER), text("lo")), "failed", "INVALID_MODEL_OUTPUT"),
        (Pieces(text("Hel"), ZeroDivisionError("inner")), "failed", "EXECUTION_FAILED"),
        (Pieces(text("Hel"), anyio.sleep_forever), "timeout", "TIMEOUT"),
        (Whole(ProviderError("no", code="PROMPT_BLOCKED")), "failed", "PROMPT_BLOCKED"),
    ],
)
async def test_a_stream_that_goes_wrong_ends_with_one_result_too(provider: Any, status: str, code: str) -> None:
    config = RuntimeConfig(settings=Settings.parse({"runtime": {"timeoutMs": 50}}))
    async with runtime_of(provider, config=config) as runtime:
        items = await read(runtime)
    assert isinstance(items[0], SampleStarted)
    end = last(items)
    assert end.error is not None
    assert (end.status, end.error.code) == (status, code)


async def test_an_unknown_provider_has_a_start_and_a_result() -> None:
    async with Ditto(providers=ProviderRegistry()) as runtime:
        items = await read(runtime)
    assert len(items) == 2
    assert last(items).status == "failed"


async def test_a_model_that_cancels_itself_leaves_no_reader_waiting() -> None:
    async with runtime_of(Pieces(text("Hel"), anyio.get_cancelled_exc_class()())) as runtime:
        end = last(await read(runtime))
    assert end.error is not None
    assert (end.status, end.error.code) == ("failed", "DEPENDENCY_FAILED")


async def test_leaving_early_releases_the_models_stream() -> None:
    provider = Pieces(text("Hel"), anyio.sleep_forever, text("never"))
    async with runtime_of(provider) as runtime:
        with anyio.fail_after(20):
            async with create_infer(runtime=runtime).stream(REQUEST) as items:
                async for item in items:
                    if isinstance(item, TextDelta):
                        break
            assert provider.log == ["opened", "released"]


async def test_an_error_of_the_reader_is_raised_as_itself_and_releases_the_models_stream() -> None:
    provider = Pieces(text("Hel"), anyio.sleep_forever)
    error = RuntimeError("mine")

    async def read_and_fail(runtime: Ditto) -> None:
        async with create_infer(runtime=runtime).stream(REQUEST) as items:
            async for item in items:
                if isinstance(item, TextDelta):
                    raise error

    async with runtime_of(provider) as runtime:
        with anyio.fail_after(20), pytest.raises(RuntimeError) as caught:
            await read_and_fail(runtime)
    assert caught.value is error
    assert provider.log == ["opened", "released"]


async def test_cancelling_the_reader_releases_the_models_stream() -> None:
    provider = Pieces(text("Hel"), anyio.sleep_forever)
    async with runtime_of(provider) as runtime:
        with anyio.move_on_after(0.05) as scope:
            await read(runtime)
        assert scope.cancelled_caught
    assert provider.log == ["opened", "released"]


async def test_a_reader_may_have_a_time_limit_for_each_piece() -> None:
    provider = Pieces(text("Hel"), anyio.sleep_forever)
    async with runtime_of(provider) as runtime, create_infer(runtime=runtime).stream(REQUEST) as items:
        with anyio.fail_after(20):
            seen = [await anext(items), await anext(items)]
        with anyio.move_on_after(0.01) as scope:
            await anext(items)
    assert [type(item) for item in seen] == [SampleStarted, TextDelta]
    assert scope.cancelled_caught
    assert provider.log == ["opened", "released"]


async def test_a_slow_reader_does_not_use_up_the_models_time() -> None:
    config = RuntimeConfig(settings=Settings.parse({"runtime": {"timeoutMs": 5_000}}))
    provider = Pieces(*FULL)
    async with runtime_of(provider, config=config) as runtime, create_infer(runtime=runtime).stream(REQUEST) as items:
        with anyio.fail_after(20):
            await provider.released.wait()  # nothing was read yet
            assert last([item async for item in items]).status == "success"


async def test_two_streams_at_once_do_not_mix() -> None:
    async with Ditto(providers=ProviderRegistry({"one": Pieces(*FULL), "two": Pieces(result(says("2")))})) as runtime:
        infer = create_infer(runtime=runtime)
        one, two = ({**REQUEST, "model": {"model": "m", "provider": name}} for name in ("one", "two"))
        with anyio.fail_after(20):
            async with infer.stream(one) as first, infer.stream(two) as second:
                seconds = [item async for item in second]
                firsts = [item async for item in first]
    assert (last(firsts).output, last(seconds).output) == (ANSWER, says("2"))
    assert {item.execution_id for item in firsts}.isdisjoint(item.execution_id for item in seconds)


async def test_the_runtimes_observer_sees_the_calls_too() -> None:
    seen: list[Event] = []
    async with runtime_of(Pieces(*FULL, whole=ANSWER), events=seen.append) as runtime:
        await create_infer(runtime=runtime).sample(REQUEST)
        whole = [event.type for event in seen]
        await read(runtime)
    assert whole == ["sample.started", "sample.completed"]
    assert [event.type for event in seen[2:]] == [
        "sample.started",
        "thinking.delta",
        "text.delta",
        "text.delta",
        "sample.completed",
    ]


async def test_a_handler_may_use_it_with_its_own_context() -> None:
    async def handle(_: Any, ctx: WorkerContext) -> Any:
        return await create_infer(runtime=ctx).sample(REQUEST)

    worker = define_worker(type="MINE", nodes={SAMPLE: handle})
    async with runtime_of(Whole(ANSWER), workers=[worker]) as runtime:
        assert (await runtime.invoke(SAMPLE, REQUEST)).output == ANSWER
