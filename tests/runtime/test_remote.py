"""The seam for Workers elsewhere, with a transport that goes nowhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import anyio
import pytest

from ditto_core.contracts.interaction import ExternalResult, Observation
from ditto_core.contracts.nodes import OBSERVE
from ditto_core.errors import (
    DeadlineError,
    DependencyError,
    InvalidInputError,
    NoWorkerAvailableError,
    UnknownNodeError,
)
from ditto_core.runtime.graph import graph
from ditto_core.runtime.remote import Envelope
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import WorkerAddress
from tests.runtime.gated import NODE, TYPES, Gated, settle

pytestmark = pytest.mark.anyio

FAR = WorkerAddress("far", "FAR", "elsewhere", "p1")
NEXT_DOOR = WorkerAddress("next", "FAR", "local", "another process")


class Fake:
    """A transport into this process: what is sent and answered is text in between."""

    id = "fake"

    def __init__(self, *answers: Any) -> None:
        self.sent: list[dict[str, Any]] = []
        self.answers = list(answers)
        self.gate = anyio.Event()
        self.gate.set()

    async def send(self, envelope: Envelope) -> Any:
        self.sent.append(json.loads(json.dumps(envelope.to_wire())))
        await self.gate.wait()
        answer = self.answers.pop(0) if self.answers else envelope.input
        if isinstance(answer, Exception):
            raise answer
        return json.loads(json.dumps(answer))


def connected(fake: Fake, capabilities: Sequence[str] = (NODE,), **options: Any) -> Ditto:
    runtime = Ditto(node_types=TYPES, transports=[fake], **options)
    runtime.register_remote(FAR, capabilities, "fake")
    return runtime


async def test_an_envelope_carries_the_node_the_input_and_the_scope_and_nothing_else() -> None:
    fake = Fake()
    async with connected(fake) as runtime:
        plan = graph("g").node("ask", NODE, [], lambda value, _: value)
        outputs = await runtime.run(plan, {"question": [1]})
    assert outputs["ask"] == {"question": [1]}
    (sent,) = fake.sent
    scope = sent.pop("execution")
    assert sent == {
        "worker": {"id": "far", "type": "FAR", "hostId": "elsewhere", "processId": "p1"},
        "node": NODE,
        "input": {"question": [1]},
    }
    assert scope["id"] == f"{scope['runId']}/ask"
    assert (scope["graphId"], scope["nodeId"]) == ("g", "ask")


async def test_contract_types_travel_as_json_and_come_back_as_what_they_are() -> None:
    result = {"callId": "c", "source": "s", "status": "success", "content": "hello"}
    answer = {
        "callId": "c",
        "source": "s",
        "status": "success",
        "message": {"role": "tool", "name": "s", "content": "hello"},
        "somethingNew": True,
    }
    fake = Fake(answer)
    async with connected(fake, [OBSERVE]) as runtime:
        observation = await runtime.invoke(OBSERVE, {"result": ExternalResult.parse(result)})
    assert isinstance(observation, Observation)
    assert fake.sent[0]["input"] == {"result": result}


async def test_near_workers_come_first_and_far_ones_when_they_are_full() -> None:
    gated = Gated()
    fake = Fake()
    async with connected(fake) as runtime, anyio.create_task_group() as tasks:
        runtime.register_remote(NEXT_DOOR, [NODE], "fake", concurrency=1)
        runtime.register(gated.worker(concurrency=1))
        fake.gate = anyio.Event()
        for name in "abcd":
            tasks.start_soon(runtime.invoke, NODE, name)
            await settle()
        assert gated.started == ["a"]
        assert [sent["worker"]["id"] for sent in fake.sent] == ["next", "far", "far"]
        fake.gate.set()
        gated.open("a")


async def test_cancelling_ends_the_wait_and_frees_the_slot() -> None:
    fake = Fake()
    fake.gate = anyio.Event()
    async with Ditto(node_types=TYPES, transports=[fake]) as runtime:
        runtime.register_remote(FAR, [NODE], "fake", concurrency=1)
        with pytest.raises(DeadlineError):
            await runtime.invoke(NODE, 1, timeout=0.01)
        assert runtime.workers()[0].active == 0
        fake.gate.set()
        assert await runtime.invoke(NODE, 2) == 2
    assert [sent["input"] for sent in fake.sent] == [1, 2]


async def test_closing_ends_the_wait_and_leaves_the_transport_to_its_owner() -> None:
    fake = Fake()
    fake.gate = anyio.Event()
    runtime = connected(fake)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:

            async def call() -> None:
                with pytest.raises(Exception, match="closed while"):
                    await runtime.invoke(NODE, 1)

            tasks.start_soon(call)
            await settle()
            await runtime.close(timeout=0)


async def test_errors_of_the_transport_are_raised_as_they_are() -> None:
    fake = Fake(DependencyError("the far side is lost"), PermissionError("its own"))
    async with connected(fake) as runtime:
        with pytest.raises(DependencyError, match="far side is lost"):
            await runtime.invoke(NODE, 1)
        with pytest.raises(PermissionError, match="its own"):
            await runtime.invoke(NODE, 1)


async def test_an_answer_that_breaks_the_contract_is_the_far_sides_fault() -> None:
    async with connected(Fake({"nonsense": 1}), [OBSERVE]) as runtime:
        result = {"callId": "c", "source": "s", "status": "success", "content": "hello"}
        with pytest.raises(DependencyError, match=r"far broke the contract of INTERACTION\.OBSERVE"):
            await runtime.invoke(OBSERVE, {"result": result})


async def test_a_remote_worker_has_a_handle_and_a_place_in_the_snapshot() -> None:
    async with Ditto(node_types=TYPES, transports=[Fake()]) as runtime:
        registration = runtime.register_remote(FAR, [NODE], "fake", concurrency=3)
        assert registration.address == FAR
        assert runtime.workers() == ((FAR, (NODE,), True, 0, 3),)
        registration.set_available(False)
        with pytest.raises(NoWorkerAvailableError, match="far is not available"):
            await runtime.invoke(NODE, 1)
        await registration.close()
        assert runtime.workers() == ()


async def test_what_cannot_be_registered_is_refused() -> None:
    async with connected(Fake()) as runtime:
        with pytest.raises(InvalidInputError, match="no transport has the id 'fale'") as caught:
            runtime.register_remote(NEXT_DOOR, [NODE], "fale")
        assert caught.value.hint == "Did you mean fake?"
        with pytest.raises(InvalidInputError, match="registered already"):
            runtime.register_remote(FAR, [NODE], "fake")
        with pytest.raises(InvalidInputError, match="concurrency"):
            runtime.register_remote(NEXT_DOOR, [NODE], "fake", concurrency=0)
        with pytest.raises(UnknownNodeError):
            runtime.register_remote(NEXT_DOOR, ["APP.UNHEARD_OF"], "fake")
    with pytest.raises(InvalidInputError, match="'fake' is blank or taken"):
        Ditto(transports=[Fake(), Fake()])


async def test_no_transport_ships() -> None:
    async with Ditto(node_types=TYPES) as runtime:
        with pytest.raises(InvalidInputError, match="no transport") as caught:
            runtime.register_remote(FAR, [NODE], "http")
    assert caught.value.hint is not None
    assert "transports=" in caught.value.hint
