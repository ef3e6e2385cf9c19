"""Rules of the ReAct flow about limits, time, repetition and several flows at once."""

from typing import Any

import anyio
import pytest

from ditto_core.contracts.infer import SampleInput, SampleOutput, Usage
from ditto_core.flows.react import run_react_flow
from tests.flows.agent import Agent, asks, declared, request, says, tool_messages

pytestmark = pytest.mark.anyio


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
