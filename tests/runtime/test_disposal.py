"""What Workers hold is let go of, once, whatever happens to the others."""

from typing import Any

import anyio
import pytest

from ditto_core.contracts.events import Event, Warned
from ditto_core.errors import InvalidInputError, RuntimeClosedError
from ditto_core.runtime.local_replica import LocalReplica
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import Execution, WorkerAddress
from tests.runtime.gated import NODE, TYPES, Gated, Outcomes, disposing, settle

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("joins", [False, True])
async def test_being_cancelled_cuts_the_waiting_short_and_still_closes(joins: bool) -> None:
    gated = Gated()
    log: list[str] = []
    runtime = Ditto(workers=[disposing(gated, log, "disposed")], node_types=TYPES)
    outcomes = Outcomes(runtime)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(outcomes.call, "a")
            await settle()
            if joins:
                tasks.start_soon(runtime.close, 1000)
                await settle()
            with anyio.move_on_after(0.01) as scope:
                await runtime.close(timeout=1000)
            assert scope.cancelled_caught
            assert log == ["disposed"]
    assert outcomes.ended == {"a": "RuntimeClosedError"}


async def test_leaving_by_an_error_cancels_at_once_and_raises_that_error() -> None:
    gated = Gated()
    log: list[str] = []
    runtime = Ditto(workers=[disposing(gated, log, "disposed", ValueError("dispose"))], node_types=TYPES)
    outcomes = Outcomes(runtime)

    async def leave() -> None:
        async with runtime:
            await settle()
            raise LookupError("mine")

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(outcomes.call, "a")
        with anyio.fail_after(5), pytest.raises(LookupError, match="mine"):
            await leave()
        assert log == ["disposed"]
    assert outcomes.ended == {"a": "RuntimeClosedError"}


async def test_leaving_by_cancellation_cancels_at_once_and_stays_cancelled() -> None:
    gated = Gated()
    log: list[str] = []
    with anyio.fail_after(5), anyio.CancelScope() as scope:
        runtime = Ditto(workers=[disposing(gated, log, "disposed")], node_types=TYPES)
        async with runtime, anyio.create_task_group() as tasks:
            tasks.start_soon(runtime.invoke, NODE, "a")
            await settle()
            scope.cancel()
            await anyio.sleep_forever()
    assert scope.cancelled_caught
    assert (log, gated.ended) == (["disposed"], ["a"])


async def test_a_dispose_that_fails_keeps_no_other_from_running() -> None:
    gated = Gated()
    gated.open("a", "b", "c")
    log: list[str] = []
    watched: list[Event] = []
    workers = [
        disposing(gated, log, "one", LookupError("first")),
        disposing(gated, log, "two", InvalidInputError("second")),
        disposing(gated, log, "three"),
    ]
    runtime = Ditto(workers=workers, node_types=TYPES, events=watched.append)
    for name in "abc":
        await runtime.invoke(NODE, name)
    for _ in range(2):
        with pytest.raises((LookupError, InvalidInputError)):
            await runtime.close()
    assert sorted(log) == ["one", "three", "two"]
    assert sorted(event.message for event in watched if isinstance(event, Warned)) == [
        "closing gated-1 failed: LookupError",
        "closing gated-2 failed: second",
    ]


async def test_a_worker_that_was_unregistered_is_disposed_of_when_the_runtime_closes() -> None:
    gated = Gated()
    gated.open("a")
    log: list[str] = []
    async with Ditto(node_types=TYPES) as runtime:
        registration = runtime.register(disposing(gated, log, "disposed"))
        await runtime.invoke(NODE, "a")
        registration.unregister()
        assert log == []
    assert log == ["disposed"]


async def test_a_registration_and_the_runtime_that_close_at_once_dispose_once() -> None:
    gated = Gated()
    log: list[str] = []
    runtime = Ditto(node_types=TYPES)
    registration = runtime.register(disposing(gated, log, "disposed"))
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(runtime.invoke, NODE, "a")
        await settle()
        tasks.start_soon(registration.close)
        tasks.start_soon(runtime.close)
        await settle()
        assert log == []
        gated.open("a")
    assert log == ["disposed"]


async def test_giving_up_on_a_disposal_does_not_stop_it() -> None:
    gated = Gated()
    gated.open("a")
    go, log = anyio.Event(), [""]

    async def dispose(_: Any) -> None:
        await go.wait()
        log.append("disposed")

    async with Ditto(node_types=TYPES) as runtime, anyio.create_task_group() as tasks:
        registration = runtime.register(gated.worker(resources=lambda _: object(), dispose=dispose))
        await runtime.invoke(NODE, "a")
        async with anyio.create_task_group() as closing:
            closing.start_soon(registration.close)
            await settle()
            closing.cancel_scope.cancel()
            tasks.start_soon(settle)
            go.set()
    assert log == ["", "disposed"]


async def test_a_worker_that_is_disposed_of_makes_its_resources_no_more() -> None:
    made: list[Any] = []
    definition = Gated().worker(resources=made.append, dispose=made.append)
    async with Ditto(node_types=TYPES) as runtime:
        replica = LocalReplica(definition, WorkerAddress("w", "W", "h", "p"), runtime.services)
        await replica.close()
        with pytest.raises(RuntimeClosedError):
            await replica.handle(NODE, 1, Execution("e", "r"), runtime._calls)
    assert made == []


async def test_an_observer_that_breaks_does_not_keep_workers_from_being_disposed_of() -> None:
    gated = Gated()
    gated.open("a", "b")
    log: list[str] = []

    def broken(_: Event) -> None:
        raise BrokenPipeError

    workers = [disposing(gated, log, name, LookupError(name)) for name in ("one", "two")]
    runtime = Ditto(workers=workers, node_types=TYPES, events=broken)
    for name in "ab":
        await runtime.invoke(NODE, name)
    with pytest.raises(LookupError):
        await runtime.close()
    assert sorted(log) == ["one", "two"]
