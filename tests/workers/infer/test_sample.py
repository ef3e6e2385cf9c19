"""SAMPLE: what a model streams and says, and what becomes of it."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from ditto_core.contracts.events import SampleCompleted, SampleStarted
from ditto_core.contracts.infer import GenerationConfig, Usage
from ditto_core.errors import InferError, ProviderError
from tests.workers.infer.models import REQUEST, Call, Pieces, Whole, failure_of, result, says, text, thinking

pytestmark = pytest.mark.anyio

ANSWER = says("Hello.", usage=Usage(input_tokens=1, output_tokens=2))


async def test_an_answer_comes_in_an_envelope_under_the_id_of_the_call() -> None:
    envelope = await Call(Whole(ANSWER)).run()
    assert (envelope.execution_id, envelope.node, envelope.status) == ("e1", "INFER.REASONING.SAMPLE", "success")
    assert envelope.output == ANSWER
    assert envelope.error is None


async def test_whoever_watches_sees_start_deltas_and_end_in_order_under_one_id() -> None:
    call = Call(Pieces(thinking("hm"), text("Hel"), text("lo."), result(ANSWER)))
    assert (await call.run()).output == ANSWER
    assert call.tags == ["sample.started", "thinking.delta", "text.delta", "text.delta", "sample.completed"]
    assert {event.execution_id for event in call.events if event.type != "warning"} == {"e1"}  # type: ignore[union-attr]  # these five tags have one
    assert call.deltas == ["hm", "Hel", "lo."]
    started, completed = call.events[0], call.events[-1]
    assert isinstance(started, SampleStarted)
    assert isinstance(completed, SampleCompleted)
    assert (started.model, completed.finish_reason, completed.usage) == ("m", "stop", ANSWER.usage)


async def test_where_nobody_watches_the_model_is_asked_for_its_whole_answer() -> None:
    provider = Pieces(InferError("streamed without a reader"), whole=ANSWER)
    call = Call(provider, observed=False)
    assert (await call.run()).output == ANSWER
    assert provider.log == []
    assert call.deltas == []


async def test_a_model_without_a_stream_gives_its_whole_text_as_one_delta() -> None:
    call = Call(Whole(ANSWER))
    await call.run()
    assert call.deltas == ["Hello."]
    unobserved = Call(Whole(ANSWER), observed=False)
    await unobserved.run()
    assert unobserved.tags == ["sample.started", "sample.completed"]


async def test_an_answer_without_text_gives_no_delta() -> None:
    call = Call(Whole(says("", finish_reason="error", error={"code": "MODEL_ERROR", "message": "refused"})))
    await call.run()
    assert call.deltas == []


@pytest.mark.parametrize(
    "items",
    [
        [],
        [text("Hel")],
        [text("Hel"), result(ANSWER), text("lo")],
        [result(ANSWER), result(ANSWER)],
        [result(None), result(ANSWER)],
        [result(None)],
        [result(7)],
        [result({"message": {"role": "assistant"}})],
        ["Hello."],
        [None],
        [ANSWER],
    ],
)
async def test_a_stream_that_is_not_deltas_and_then_one_result_is_invalid(items: list[Any]) -> None:
    provider = Pieces(*items)
    status, code, _ = await failure_of(Call(provider))
    assert (status, code) == ("failed", "INVALID_MODEL_OUTPUT")
    assert provider.log == ["opened", "released"]


async def test_json_from_a_model_is_read_and_what_no_contract_knows_is_dropped() -> None:
    answer = {"message": {"role": "assistant", "content": "Hi", "logprobs": []}, "finishReason": "stop", "x": 1}
    for provider in (Whole(answer), Pieces(result(answer))):
        envelope = await Call(provider).run()
        assert envelope.output == says("Hi")


@pytest.mark.parametrize("when", ["before", "after"])
async def test_an_error_of_the_model_is_data_with_its_code_and_hint(when: str) -> None:
    error = ProviderError("slow down", code="PROVIDER_RATE_LIMITED", hint="Wait a minute.")
    items = [error] if when == "before" else [text("Hel"), error]
    provider = Pieces(*items)
    call = Call(provider)
    assert await failure_of(call) == ("failed", "PROVIDER_RATE_LIMITED", "slow down. Wait a minute.")
    assert "sample.completed" not in call.tags
    assert provider.log == ["opened", "released"]


@pytest.mark.parametrize("provider", [Whole(KeyError("sk-12345678")), Pieces(text("a"), KeyError("sk-12345678"))])
async def test_a_model_that_crashes_is_data_without_its_words(provider: Any) -> None:
    assert await failure_of(Call(provider)) == ("failed", "EXECUTION_FAILED", "the model provider raised KeyError")


async def test_a_model_that_takes_too_long_is_cancelled_and_the_limit_is_named() -> None:
    provider = Pieces(text("Hel"), anyio.sleep_forever)
    call = Call(provider, settings={"runtime": {"timeoutMs": 20}})
    status, code, message = await failure_of(call)
    assert (status, code) == ("timeout", "TIMEOUT")
    assert message == "the model did not answer within 20 ms (runtime.timeoutMs)"
    assert call.deltas == ["Hel"]
    assert provider.log == ["opened", "released"]


async def test_the_callers_cancellation_is_no_answer() -> None:
    provider = Pieces(text("Hel"), anyio.sleep_forever)
    answered = False
    with anyio.move_on_after(0.02) as scope:
        await Call(provider).run()
        answered = True
    assert scope.cancelled_caught
    assert not answered
    assert provider.log == ["opened", "released"]


async def test_generation_settings_merge_field_by_field_request_then_worker_then_configuration() -> None:
    provider = Whole(ANSWER)
    settings = {"workers": {"infer": {"generation": {"temperature": 0.1, "topP": 0.1, "maxTokens": 1}}}}
    request = {**REQUEST, "generation": {"temperature": 0.3, "stop": ["END"]}}
    worker = GenerationConfig(temperature=0.2, top_p=0.2)
    await Call(provider, settings=settings).run(request=request, generation=worker)
    sent = provider.requests[0].generation
    assert sent == GenerationConfig(temperature=0.3, top_p=0.2, max_tokens=1, stop=("END",))


async def test_a_setting_of_zero_wins_over_a_default() -> None:
    provider = Whole(ANSWER)
    await Call(provider).run(
        request={**REQUEST, "generation": {"temperature": 0, "seed": 0}}, generation=GenerationConfig(temperature=1)
    )
    sent = provider.requests[0].generation
    assert sent is not None
    assert (sent.temperature, sent.seed) == (0, 0)


async def test_without_any_setting_everything_is_the_vendors_default() -> None:
    provider = Whole(ANSWER)
    await Call(provider).run()
    assert provider.requests[0].generation == GenerationConfig()


@pytest.mark.parametrize(
    ("limit", "words"), [(77, "output limit of 77 tokens reached"), (None, "the model's output limit was reached")]
)
async def test_an_answer_cut_before_any_text_is_incomplete_and_still_shows_its_usage(
    limit: int | None, words: str
) -> None:
    cut = says(" ", finish_reason="length", usage=Usage(total_tokens=9))
    request = {**REQUEST, "generation": {"maxTokens": limit} if limit else {}}
    envelope = await Call(Whole(cut)).run(request=request)
    assert envelope.error is not None
    assert (envelope.status, envelope.error.code) == ("failed", "INCOMPLETE_MODEL_OUTPUT")
    assert envelope.error.message.startswith(words)
    assert envelope.output == cut


async def test_an_unknown_provider_is_data_and_the_start_was_told() -> None:
    call = Call(Whole(ANSWER))
    request = {**REQUEST, "model": {"model": "m", "provider": "onne"}}
    _, code, message = await failure_of(call, request=request)
    assert code == "PROVIDER_NOT_FOUND"
    assert message.endswith("there are: one. Did you mean one?")
    assert call.tags == ["sample.started"]
