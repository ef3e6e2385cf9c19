"""OUTPUT as the target of an action; each test is named after what the rule says."""

from __future__ import annotations

from typing import Any, Literal

import anyio
import pytest

from ditto_core.contracts.interaction import InteractionError, OutputInput, OutputReceipt
from ditto_core.contracts.message import Message
from ditto_core.contracts.nodes import OBSERVE, OUTPUT
from ditto_core.contracts.react import ReactResult
from ditto_core.runtime.worker import WorkerDefinition, define_worker
from ditto_core.workers.interaction.worker import create_interaction_nodes
from tests.flows.agent import Agent, asks, declared, request, says, tool_messages

pytestmark = pytest.mark.anyio

TELL = declared("tell", kind="node", node=OUTPUT)
FULL = InteractionError(code="FULL", message="the mailbox is full")


class Sink:
    """Answers every delivery with one status, or raises."""

    def __init__(
        self,
        status: Literal["accepted", "rejected", "unknown"] = "accepted",
        error: InteractionError | None = None,
        raises: Exception | None = None,
    ) -> None:
        self._status = status
        self._error = error
        self._raises = raises
        self.taken: list[OutputInput] = []

    async def deliver(self, output: OutputInput) -> OutputReceipt:
        self.taken.append(output)
        if self._raises is not None:
            raise self._raises
        if self._error is None:
            return OutputReceipt(delivery_id=output.delivery_id, status=self._status)
        return OutputReceipt(delivery_id=output.delivery_id, status=self._status, error=self._error)

    def worker(self) -> WorkerDefinition:
        nodes = create_interaction_nodes(output=self)
        return define_worker(type="SINK", nodes={name: node for name, node in nodes.items() if name != OBSERVE})


def tell(call_id: str = "1", content: Any = "hello", **more: Any) -> Any:
    return request("tell", call_id, **{"deliveryId": "d1", "message": {"role": "user", "content": content}, **more})


async def run(sink: Any, *turns: Any) -> tuple[Agent, ReactResult]:
    agent = Agent(*turns, workers=[sink.worker()])
    return agent, await agent.run(actions=[TELL, declared("counter")])


async def test_the_arguments_of_the_action_are_the_delivery() -> None:
    sink = Sink()
    await run(sink, asks(tell(content={"n": None})), says("done"))
    assert sink.taken == [OutputInput(delivery_id="d1", message=Message(role="user", content={"n": None}))]


async def test_accepted_goes_on_and_the_receipt_is_the_observation() -> None:
    agent, result = await run(Sink(), asks(tell()), says("told"))
    assert (result.status, result.result.content) == ("completed", "told")
    assert [seen.source for seen in result.observations] == [OUTPUT]
    assert result.observations[0].structured_content == {"deliveryId": "d1", "status": "accepted"}
    assert tool_messages(agent.script.requests[1])[0].content == '{"deliveryId":"d1","status":"accepted"}'


@pytest.mark.parametrize(
    ("status", "code", "happened"),
    [
        ("rejected", "OUTPUT_REJECTED", "the sink rejected the delivery"),
        ("unknown", "OUTPUT_UNKNOWN", "the sink does not know whether it delivered"),
    ],
)
async def test_rejected_and_unknown_stop_partially_and_the_attempted_action_leaves_action_requests(
    status: Any, code: str, happened: str
) -> None:
    sink = Sink(status, FULL)
    agent, result = await run(sink, asks(tell("1"), request("counter", "2"), text="telling"), says("never"))
    assert (result.status, result.stop_reason) == ("partial", "dependency_failed")
    assert result.error is not None
    assert result.error.code == code
    assert result.error.message == f"{happened} (FULL: the mailbox is full)"
    assert result.result.content == "telling"
    assert [left.id for left in result.action_requests] == ["2"]
    assert len(sink.taken) == 1
    assert len(agent.script.requests) == 1
    assert agent.tools.calls == []


@pytest.mark.parametrize("status", ["rejected", "unknown"])
async def test_a_delivery_that_was_not_accepted_invents_no_observation(status: Any) -> None:
    agent, result = await run(Sink(status, FULL), asks(request("counter", "1"), tell("2")), says("never"))
    assert [seen.source for seen in result.observations] == ["counter"]
    assert [event.call_id for event in agent.of_type("observation")] == ["1"]


async def test_unsafe_words_of_a_sink_do_not_reach_the_result() -> None:
    unsafe = InteractionError(code="FULL", message="password=hunter22 was refused")
    _, result = await run(Sink("rejected", unsafe), asks(tell()), says("never"))
    assert result.error is not None
    assert result.error.code == "OUTPUT_REJECTED"
    assert "hunter22" not in result.error.message
    assert "OUTPUT_ERROR" in result.error.message


async def test_unsafe_words_of_a_worker_that_does_not_look_at_them_stay_out_too() -> None:
    unsafe = InteractionError(code="FULL", message="password=hunter22 was refused")

    async def careless(given: OutputInput, _: Any) -> OutputReceipt:
        return OutputReceipt(delivery_id=given.delivery_id, status="rejected", error=unsafe)

    class Careless(Sink):
        def worker(self) -> WorkerDefinition:
            return define_worker(type="CARELESS", nodes={OUTPUT: careless})

    _, result = await run(Careless(), asks(tell()), says("never"))
    assert result.error is not None
    assert (result.error.code, result.error.message) == ("OUTPUT_REJECTED", "the sink rejected the delivery")


async def test_long_words_of_a_sink_are_cut_and_keep_the_code() -> None:
    long = InteractionError(code="FULL", message="full " * 100)
    _, result = await run(Sink("unknown", long), asks(tell()), says("never"))
    assert result.error is not None
    assert result.error.code == "OUTPUT_UNKNOWN"
    assert len(result.error.message) == 512


async def test_a_sink_that_raises_is_infrastructure() -> None:
    sink = Sink(raises=RuntimeError("secret inner detail"))
    _, result = await run(sink, asks(tell("1"), tell("2")), says("never"))
    assert (result.status, result.stop_reason) == ("partial", "dependency_failed")
    assert result.error is not None
    assert result.error.code == "DEPENDENCY_FAILED"
    assert "secret" not in result.error.message
    assert (result.observations, [left.id for left in result.action_requests]) == ((), ["2"])
    assert len(sink.taken) == 1


async def test_arguments_that_are_no_delivery_are_a_failed_observation_and_the_model_may_mend_them() -> None:
    sink = Sink()
    bad = request("tell", "1", message={"role": "user", "content": "x"})
    agent, result = await run(sink, asks(bad), asks(tell("2")), says("done"))
    assert result.status == "completed"
    assert [seen.status for seen in result.observations] == ["failed", "success"]
    assert result.observations[0].error is not None
    assert result.observations[0].error.code == "INVALID_ARGUMENTS"
    assert "arguments.deliveryId" in result.observations[0].error.message
    assert [event.id for event in agent.of_type("action.started")] == ["2"]
    assert len(sink.taken) == 1


async def test_a_delivery_under_way_when_the_deadline_passes_stays_in_action_requests() -> None:
    class Hangs(Sink):
        async def deliver(self, output: OutputInput) -> OutputReceipt:
            await anyio.sleep_forever()
            raise AssertionError

    agent = Agent(asks(tell()), says("never"), workers=[Hangs().worker()])
    result = await agent.run(actions=[TELL], timeoutMs=100)
    assert (result.status, result.stop_reason) == ("partial", "timeout")
    assert [left.id for left in result.action_requests] == ["1"]
