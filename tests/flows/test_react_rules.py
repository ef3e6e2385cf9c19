"""The rules of the ReAct flow; each test is named after what the rule says."""

from typing import Any

import anyio
import pytest

from ditto_core.contracts.infer import ModelFailure, ModelMessage, NodeResult, SampleInput, SampleOutput, Usage
from ditto_core.contracts.json import JsonValue
from ditto_core.contracts.nodes import NodeType
from ditto_core.errors import InferError, InvalidInputError, ProviderError
from ditto_core.runtime.worker import WorkerContext, define_worker
from tests.flows.agent import Agent, asks, declared, failure, request, says, tool_messages

pytestmark = pytest.mark.anyio

APP = {"APP.SUM": NodeType(JsonValue, JsonValue), "APP.JUDGE": NodeType(JsonValue, NodeResult[Any])}


async def sum_up(numbers: Any, _: WorkerContext) -> Any:
    return {"sum": sum(numbers["of"])}


async def judge(_: Any, ctx: WorkerContext) -> Any:
    return NodeResult[Any](
        execution_id=ctx.execution.id,
        node="APP.JUDGE",
        status="failed",
        error=ModelFailure(code="UNSURE", message="cannot judge this"),
    )


APP_WORKER = define_worker(type="APP", nodes={"APP.SUM": sum_up, "APP.JUDGE": judge})


async def test_an_action_goes_where_its_descriptor_says_and_not_where_the_model_says() -> None:
    agent = Agent(
        asks(request("renamed", text="x", target={"kind": "node", "node": "APP.SUM"}, server="evil")), says("done")
    )
    open_schema = {"type": "object"}
    result = await agent.run(actions=[declared("renamed", open_schema, kind="tool", name="counter")])
    assert result.status == "completed"
    assert agent.tools.calls == [
        ("counter", {"text": "x", "target": {"kind": "node", "node": "APP.SUM"}, "server": "evil"})
    ]
    assert result.observations[0].source == "counter"


async def test_without_a_target_an_action_is_the_tool_of_its_name() -> None:
    agent = Agent(asks(request("echo", text="hello")), says("done"))
    await agent.run()
    assert agent.tools.calls == [("echo", {"text": "hello"})]


async def test_a_tool_result_passes_through_observe_before_the_model_sees_it() -> None:
    agent = Agent(asks(request("echo", text="hello")), says("done"))
    result = await agent.run()
    message = tool_messages(agent.script.requests[1])[0]
    assert message.content == "hello"
    assert message.metadata == {"actionRequestId": "a1", "name": "echo", "status": "success"}
    assert result.observations[0].message.role == "tool"
    assert result.observations[0].message.name == "echo"


async def test_the_output_of_another_node_becomes_a_success_with_structured_content_and_its_type_as_source() -> None:
    agent = Agent(asks(request("add", of=[1, 2])), says("done"), workers=[APP_WORKER], node_types=APP)
    result = await agent.run(actions=[declared("add", kind="node", node="APP.SUM")])
    observation = result.observations[0]
    assert (observation.status, observation.source) == ("success", "APP.SUM")
    assert observation.structured_content == {"sum": 3}
    assert tool_messages(agent.script.requests[1])[0].content == '{"sum":3}'


async def test_a_node_result_that_failed_becomes_a_failed_observation() -> None:
    agent = Agent(asks(request("judge")), says("done"), workers=[APP_WORKER], node_types=APP)
    result = await agent.run(actions=[declared("judge", kind="node", node="APP.JUDGE")])
    assert result.status == "completed"
    assert result.observations[0].status == "failed"
    assert result.observations[0].error is not None
    assert result.observations[0].error.code == "UNSURE"


async def test_several_actions_of_one_turn_run_one_after_another_in_order() -> None:
    agent = Agent(
        asks(request("echo", "1", text="a"), request("counter", "2"), request("echo", "3", text="b")), says("done")
    )
    await agent.run()
    assert [name for name, _ in agent.tools.calls] == ["echo", "counter", "echo"]
    order = [(event.type, getattr(event, "id", getattr(event, "call_id", ""))) for event in agent.events]
    acts = [entry for entry in order if entry[0] in ("action.started", "observation")]
    assert acts == [(kind, id_) for id_ in "123" for kind in ("action.started", "observation")]


async def test_a_failed_observation_goes_to_the_next_sample() -> None:
    agent = Agent(asks(request("refuses")), says("I could not"))
    result = await agent.run()
    assert result.status == "completed"
    assert "NO_SUCH_THING" in str(tool_messages(agent.script.requests[1])[0].content)


@pytest.mark.parametrize("status", ["cancelled", "timeout", "unknown"])
async def test_an_open_outcome_stops_the_flow_keeps_the_observation_and_is_not_retried(status: str) -> None:
    agent = Agent(asks(request("ends", "1", status=status), request("echo", "2", text="later")), says("never"))
    result = await agent.run()
    assert (result.status, result.stop_reason) == ("partial", "dependency_failed")
    assert result.error is not None
    assert result.error.code == "GONE"
    assert [observation.status for observation in result.observations] == [status]
    assert [left.id for left in result.action_requests] == ["2"]
    assert len(agent.tools.calls) == 1
    assert len(agent.script.requests) == 1


async def test_arguments_that_do_not_match_the_descriptors_schema_are_a_failed_observation_before_dispatch() -> None:
    strict = {"type": "object", "required": ["n"]}
    agent = Agent(asks(request("counter")), says("done"))
    result = await agent.run(actions=[declared("counter", strict)])
    assert result.observations[0].error is not None
    assert result.observations[0].error.code == "INVALID_ARGUMENTS"
    assert agent.tools.calls == []
    assert agent.of_type("action.started") == []


async def test_a_denied_action_is_a_failed_observation_and_an_event_that_names_the_rule() -> None:
    agent = Agent(asks(request("echo", text="x")), says("I may not"), tools=["counter"])
    result = await agent.run()
    assert result.status == "completed"
    assert result.observations[0].error is not None
    assert result.observations[0].error.code == "PERMISSION_DENIED"
    denied = agent.of_type("action.denied")
    assert [(event.kind, event.name) for event in denied] == [("tool", "echo")]
    assert denied[0].rule


async def test_a_tool_error_is_a_failed_observation_with_its_code() -> None:
    agent = Agent(asks(request("refuses")), says("done"))
    result = await agent.run()
    assert result.observations[0].error is not None
    assert result.observations[0].error.code == "NO_SUCH_THING"


async def test_every_attempt_also_a_denied_or_invalid_one_counts_toward_max_action_calls() -> None:
    turn = asks(
        request("echo", "1", wrong=True),
        request("counter", "2"),
        request("refuses", "3"),
        request("echo", "4", text=""),
    )
    agent = Agent(turn, says("never"), tools=["echo", "refuses"])
    result = await agent.run(maxActionCalls=3)
    assert result.stop_reason == "max_action_calls"
    assert len(result.observations) == 3
    assert [left.id for left in result.action_requests] == ["4"]


async def test_zero_action_calls_runs_none_and_keeps_the_requests() -> None:
    agent = Agent(asks(request("echo", text="x")), says("never"))
    result = await agent.run(maxActionCalls=0)
    assert (result.status, result.stop_reason) == ("partial", "max_action_calls")
    assert [left.name for left in result.action_requests] == ["echo"]
    assert agent.tools.calls == []


@pytest.mark.parametrize(
    ("actions", "code"),
    [
        ([declared("crashes")], "DEPENDENCY_FAILED"),
        ([declared("ghost", kind="tool", name="ghost")], "TOOL_NOT_FOUND"),
        ([declared("lost", kind="node", node="APP.SUM")], "NO_WORKER"),
        ([declared("odd", kind="node", node="APP.TYPO")], "UNKNOWN_NODE"),
    ],
)
async def test_anything_unexpected_is_infrastructure_invents_no_observation_and_stops(
    actions: list[Any], code: str
) -> None:
    name = actions[0]["name"]
    agent = Agent(
        asks(request(name, "1"), request("echo", "2", text="later")),
        says("never"),
        tools=["crashes", "ghost"],
        node_types=APP,
    )
    result = await agent.run(actions=[*actions, declared("echo")])
    assert (result.status, result.stop_reason) == ("partial", "dependency_failed")
    assert result.error is not None
    assert result.error.code == code
    assert "secret inner detail" not in result.error.message
    assert result.observations == ()
    assert [left.id for left in result.action_requests] == ["2"]


async def test_an_action_under_way_when_the_deadline_passes_stays_in_action_requests() -> None:
    agent = Agent(asks(request("hangs", "1"), request("echo", "2", text="x")), says("never"))
    result = await agent.run(timeoutMs=200)
    assert (result.status, result.stop_reason) == ("partial", "timeout")
    assert [left.id for left in result.action_requests] == ["1", "2"]
    assert result.observations == ()


async def test_the_stop_event_ends_the_flow_as_cancelled_and_keeps_the_action_under_way() -> None:
    agent = Agent(asks(request("hangs")), says("never"))
    stop = anyio.Event()
    results: list[Any] = []

    async def run() -> None:
        results.append(await agent.run(stop=stop))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        with anyio.fail_after(5):
            await agent.tools.started.wait()
        stop.set()
    assert (results[0].status, results[0].stop_reason) == ("partial", "cancelled")
    assert [left.name for left in results[0].action_requests] == ["hangs"]


async def test_cancelling_the_callers_scope_only_unwinds() -> None:
    agent = Agent(asks(request("hangs")), says("never"))
    finished = False
    async with anyio.create_task_group() as tasks:

        async def run() -> None:
            nonlocal finished
            await agent.run()
            finished = True

        tasks.start_soon(run)
        with anyio.fail_after(5):
            await agent.tools.started.wait()
        tasks.cancel_scope.cancel()
    assert not finished


async def test_no_new_action_starts_when_the_step_budget_leaves_no_sample_to_read_it() -> None:
    agent = Agent(asks(request("echo", text="x")), says("never"))
    result = await agent.run(maxSteps=1)
    assert result.stop_reason == "max_steps"
    assert agent.tools.calls == []
    assert [left.name for left in result.action_requests] == ["echo"]


async def test_no_new_action_starts_when_the_token_budget_leaves_no_sample_to_read_it() -> None:
    agent = Agent(asks(request("echo", text="x"), usage=Usage(total_tokens=100)), says("never"))
    result = await agent.run(maxTotalTokens=100)
    assert result.stop_reason == "max_tokens"
    assert agent.tools.calls == []


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


async def test_the_remaining_token_budget_caps_the_next_samples_max_tokens() -> None:
    agent = Agent(asks(request("counter"), usage=Usage(input_tokens=300, output_tokens=100)), says("done"))
    await agent.run(maxTotalTokens=1000, generation={"maxTokens": 700})
    asked = [sent.generation.max_tokens for sent in agent.script.requests if sent.generation]
    assert asked == [700, 600]


async def test_budget_tokens_are_the_total_else_input_plus_output() -> None:
    by_total = Agent(
        asks(request("counter"), usage=Usage(total_tokens=10, input_tokens=500, output_tokens=500)), says("x")
    )
    assert (await by_total.run(maxTotalTokens=100)).status == "completed"
    by_sum = Agent(asks(request("counter"), usage=Usage(input_tokens=60, output_tokens=40)), says("x"))
    assert (await by_sum.run(maxTotalTokens=100)).stop_reason == "max_tokens"


@pytest.mark.parametrize("usage", [None, Usage(), Usage(input_tokens=5), Usage(output_tokens=5)])
async def test_a_token_budget_without_usable_counters_is_usage_unavailable(usage: Usage | None) -> None:
    agent = Agent(asks(request("counter"), usage=usage), says("never"))
    result = await agent.run(maxTotalTokens=1000)
    assert result.error is not None
    assert (result.stop_reason, result.error.code) == ("error", "USAGE_UNAVAILABLE")
    assert agent.tools.calls == []


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


async def test_two_flows_at_once_keep_their_own_history_and_budget() -> None:
    first = Agent(asks(request("echo", text="first")), says("first done"))
    second = Agent(asks(request("echo", text="second")), asks(request("counter")), says("second done"))
    results: dict[str, Any] = {}

    async def run(name: str, agent: Agent, steps: int) -> None:
        results[name] = await agent.run(maxSteps=steps)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run, "first", first, 2)
        tasks.start_soon(run, "second", second, 2)
    assert results["first"].result.content == "first done"
    assert results["second"].stop_reason == "max_steps"
    assert [m.content for m in tool_messages(first.script.requests[-1])] == ["first"]


async def test_two_flows_on_one_runtime_do_not_mix() -> None:
    def answer(sent: SampleInput) -> SampleOutput:
        seen = tool_messages(sent)
        word = str(sent.messages[0].content)
        return says(f"{word}: {seen[0].content}") if seen else asks(request("echo", text=word))

    agent = Agent(answer)
    answers: dict[str, str] = {}
    from ditto_core.flows.react import run_react_flow

    async with agent.runtime() as runtime, anyio.create_task_group() as tasks:

        async def run(word: str) -> None:
            body = {"messages": [{"role": "user", "content": word}], "model": {"model": "m"}}
            result = await run_react_flow(runtime, {**body, "actions": [declared("echo")]})
            answers[word] = result.result.content

        for index in range(20):
            tasks.start_soon(run, f"w{index}")
    assert answers == {f"w{index}": f"w{index}: w{index}" for index in range(20)}


async def test_the_same_action_with_the_same_result_for_the_third_time_in_a_row_is_repeated_action() -> None:
    agent = Agent(asks(request("echo", text="again")))
    result = await agent.run()
    assert result.error is not None
    assert (result.stop_reason, result.error.code) == ("error", "REPEATED_ACTION")
    assert len(agent.tools.calls) == 3
    assert result.status == "partial"


async def test_repetition_looks_at_arguments_whatever_the_order_of_their_keys() -> None:
    orders: Any = iter([{"a": 1, "b": 2}, {"b": 2, "a": 1}, {"a": 1, "b": 2}])
    agent = Agent(lambda _: asks(request("ends2", **next(orders))))
    result = await agent.run(actions=[declared("ends2", kind="tool", name="refuses")])
    assert result.error is not None
    assert result.error.code == "REPEATED_ACTION"


async def test_polling_with_a_changing_result_is_no_repetition() -> None:
    agent = Agent(asks(request("counter")))
    result = await agent.run(maxSteps=6)
    assert result.stop_reason == "max_steps"
    assert agent.tools.count == 5


async def test_zero_repeats_turns_the_detector_off() -> None:
    agent = Agent(asks(request("echo", text="again")), settings={"react": {"maxRepeats": 0}})
    assert (await agent.run(maxSteps=6)).stop_reason == "max_steps"


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


@pytest.mark.parametrize("text", ["", "  \n\t "])
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
    from ditto_core.flows.react import run_react_flow

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
