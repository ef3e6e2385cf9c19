"""Rules of the ReAct flow about what a model says."""

from typing import Any

import anyio
import pytest

from ditto_core.contracts.infer import ModelFailure, ModelMessage, SampleInput, SampleOutput
from ditto_core.errors import InferError, InvalidInputError, ProviderError
from ditto_core.flows.react import run_react_flow
from tests.flows.agent import Agent, asks, failure, request, says, tool_messages

pytestmark = pytest.mark.anyio


async def test_a_failure_before_any_sample_is_failed_and_after_one_is_partial() -> None:
    broken = ProviderError("the server is down", code="PROVIDER_HTTP_ERROR")
    before = await Agent(broken).run()
    assert (before.status, before.stop_reason) == ("failed", "error")
    assert before.result.content == ""
    after = await Agent(asks(request("counter"), text="let me look"), broken).run()
    assert (after.status, after.stop_reason) == ("partial", "error")
    assert after.result.content == "let me look"
    assert after.error is not None
    assert after.error.code == "PROVIDER_HTTP_ERROR"


@pytest.mark.parametrize(
    ("turn", "code"),
    [
        (asks(request("echo", "same", text="a"), request("echo", "same", text="b")), "INVALID_MODEL_OUTPUT"),
        (asks(request("echo", "1", text="a"), request("format_disk", "2")), "UNDECLARED_ACTION"),
        (asks(finish="action_request"), "INVALID_MODEL_OUTPUT"),
        (asks(request("echo", text="a"), finish="stop"), "INVALID_MODEL_OUTPUT"),
        (says("x", finish="error"), "INVALID_MODEL_OUTPUT"),
        (says("x", error=failure("A", "b")), "INVALID_MODEL_OUTPUT"),
        (SampleOutput(message=ModelMessage(role="user", content="x"), finish_reason="stop"), "INVALID_MODEL_OUTPUT"),
        ({"message": "what?"}, "INVALID_MODEL_OUTPUT"),
        ({}, "INVALID_MODEL_OUTPUT"),
    ],
)
async def test_output_that_no_model_may_give_stops_before_any_action_runs(turn: Any, code: str) -> None:
    agent = Agent(turn, says("never"))
    result = await agent.run()
    assert (result.status, result.stop_reason) == ("failed", "error")
    assert result.error is not None
    assert result.error.code == code
    assert agent.tools.calls == []


async def test_the_same_id_in_a_later_turn_is_fine_and_is_paired_by_turn() -> None:
    agent = Agent(asks(request("echo", "x", text="one")), asks(request("echo", "x", text="two")), says("done"))
    result = await agent.run()
    assert result.status == "completed"
    assert [call[1]["text"] for call in agent.tools.calls] == ["one", "two"]
    assert [message.content for message in tool_messages(agent.script.requests[2])] == ["one", "two"]


async def test_assistant_messages_are_replayed_with_their_metadata_untouched() -> None:
    signed = {"thinking": [{"signature": "c2ln", "text": "hm"}], "reasoningContent": "because"}
    turn = SampleOutput(
        message=ModelMessage(role="assistant", content="look", metadata=signed),
        finish_reason="action_request",
        action_requests=(request("counter"),),
    )
    agent = Agent(turn, says("done"))
    await agent.run()
    replayed = next(message for message in agent.script.requests[1].messages if message.role == "assistant")
    assert replayed.content == "look"
    assert replayed.metadata is not None
    assert {name: replayed.metadata[name] for name in signed} == signed
    assert replayed.metadata["actionRequests"] == [{"id": "a1", "name": "counter", "arguments": {}}]


async def test_nothing_is_retried_by_itself() -> None:
    agent = Agent(ProviderError("overloaded", code="PROVIDER_OVERLOADED"))
    await agent.run()
    assert len(agent.script.requests) == 1
    crashed = Agent(asks(request("crashes")), says("never"))
    await crashed.run()
    assert len(crashed.tools.calls) == 1


async def test_a_failed_sample_ends_the_flow_as_error_with_its_code() -> None:
    result = await Agent(InferError("no such strategy", code="UNKNOWN_STRATEGY")).run()
    assert result.error is not None
    assert (result.stop_reason, result.error.code) == ("error", "UNKNOWN_STRATEGY")


async def test_a_sample_that_takes_longer_than_the_runtime_allows_ends_the_flow_as_timeout() -> None:
    async def never(_: SampleInput) -> Any:
        await anyio.sleep_forever()

    agent = Agent(never, settings={"timeoutMs": 50})
    result = await agent.run(timeout=10)
    assert (result.status, result.stop_reason) == ("failed", "timeout")
    assert result.error is not None
    assert "runtime.timeoutMs" in result.error.message


async def test_a_cancelled_sample_ends_the_flow_as_cancelled() -> None:
    result = await Agent(says("half", finish="cancelled")).run()
    assert result.stop_reason == "cancelled"


async def test_a_finish_reason_error_ends_the_flow_with_that_code_and_its_text_is_no_answer() -> None:
    agent = Agent(says("I am broken", finish="error", error=failure("MODEL_ERROR", "refused")))
    result = await agent.run()
    assert (result.status, result.stop_reason) == ("failed", "error")
    assert result.error == ModelFailure(code="MODEL_ERROR", message="refused")
    assert result.result.content == ""


@pytest.mark.parametrize("text", ["", "  \n\t ", "\u200b\ufeff \u200d"])
async def test_an_empty_answer_is_invalid_model_output(text: str) -> None:
    result = await Agent(says(text)).run()
    assert result.error is not None
    assert (result.stop_reason, result.error.code) == ("error", "INVALID_MODEL_OUTPUT")


async def test_a_crashing_provider_ends_in_the_result_without_its_text() -> None:
    result = await Agent(ZeroDivisionError("key sk-123456789")).run()
    assert result.error is not None
    assert result.error.code == "EXECUTION_FAILED"
    assert "sk-" not in result.error.message


async def test_length_with_usable_text_is_a_truncated_success() -> None:
    result = await Agent(says("half an ans", finish="length")).run()
    assert (result.status, result.samples[-1].finish_reason) == ("completed", "length")


@pytest.mark.parametrize("turn", [asks(request("echo", text="x"), finish="length"), says(" ", finish="length")])
async def test_length_with_a_begun_action_or_without_text_runs_nothing_and_names_the_limit(turn: SampleOutput) -> None:
    agent = Agent(turn)
    result = await agent.run(generation={"maxTokens": 77})
    assert result.error is not None
    assert result.error.code == "INCOMPLETE_MODEL_OUTPUT"
    assert "77 tokens" in result.error.message
    assert agent.tools.calls == []


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"messages": [], "model": {"model": "m"}},
        {"messages": [{"role": "user", "content": "x"}], "model": {"model": " "}},
        {"messages": [{"role": "user", "content": "x"}], "model": {"model": "m"}, "constraints": {"maxSteps": 0}},
        {
            "messages": [{"role": "user", "content": "x"}],
            "model": {"model": "m"},
            "actions": [{"name": "a", "inputSchema": {"type": "objekt"}}],
        },
    ],
)
async def test_invalid_input_raises(body: Any) -> None:
    async with Agent(says("x")).runtime() as runtime:
        with pytest.raises(InvalidInputError):
            await run_react_flow(runtime, body)


async def test_text_that_only_looks_like_an_action_or_an_observation_is_a_plain_answer() -> None:
    text = (
        'Thought: a\nAction: echo\nAction Input: {}\nObservation: fake\nFinal Answer: done\n<tool_call>{"name":"echo"}'
    )
    agent = Agent(says(text))
    result = await agent.run()
    assert result.result.content == text
    assert agent.tools.calls == []
    assert agent.of_type("observation") == []
