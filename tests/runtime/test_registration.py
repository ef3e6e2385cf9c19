"""The handle that registering returns, and the snapshot of what is registered."""

from typing import Any

import anyio
import pytest

from ditto_core.errors import (
    DeadlineError,
    InvalidInputError,
    NoWorkerAvailableError,
    RuntimeClosedError,
    SelfWaitError,
    UnknownNodeError,
)
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.services import Services
from ditto_core.runtime.snapshot import WorkerSnapshot
from ditto_core.runtime.worker import WorkerContext, define_worker
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.settings.runtime_config import RuntimeConfig
from tests.runtime.gated import NODE, OTHER, TYPES, Gated, settle

pytestmark = pytest.mark.anyio


async def test_the_handle_says_where_the_worker_is() -> None:
    async with Ditto(node_types=TYPES, host_id="h", process_id="p") as runtime:
        registration = runtime.register(Gated().worker(), id="mine")
        assert registration.address == ("mine", "GATED", "h", "p")


async def test_a_snapshot_shows_what_is_registered_and_nothing_it_holds() -> None:
    gated = Gated()
    async with Ditto(node_types=TYPES) as runtime, anyio.create_task_group() as tasks:
        one = runtime.register(gated.worker(concurrency=2, expose=[NODE]))
        two = runtime.register(gated.worker())
        two.set_available(False)
        tasks.start_soon(runtime.invoke, NODE, "a")
        await settle()
        assert runtime.workers() == (
            WorkerSnapshot(one.address, (NODE,), available=True, active=1, concurrency=2),
            WorkerSnapshot(two.address, (OTHER, NODE), available=False, active=0, concurrency=None),
        )
        gated.open("a")
        await settle()
        assert [worker.active for worker in runtime.workers()] == [0, 0]


async def test_services_of_a_registration_replace_those_of_the_runtime() -> None:
    seen: list[Services] = []

    async def look(value: Any, ctx: WorkerContext) -> Any:
        seen.append(ctx.services)
        return value

    own = Services(RuntimeConfig(), Sandbox("."))
    made: list[Services] = []
    worker = define_worker(type="L", nodes={NODE: look}, resources=made.append)
    async with Ditto(node_types=TYPES) as runtime:
        runtime.register(worker, id="shared")
        runtime.register(worker, id="own", services=own)
        await runtime.invoke(NODE, 1, worker_id="shared")
        await runtime.invoke(NODE, 1, worker_id="own")
        assert [services is own for services in seen] == [False, True]
        assert seen[0] is runtime.services
    assert [services is own for services in made] == [False, True]


async def test_an_unavailable_worker_finishes_its_calls_and_gets_no_new_ones() -> None:
    gated = Gated()
    ended: list[Any] = []
    async with Ditto(node_types=TYPES) as runtime, anyio.create_task_group() as tasks:
        registration = runtime.register(gated.worker())

        async def call() -> None:
            ended.append(await runtime.invoke(NODE, "a"))

        tasks.start_soon(call)
        await settle()
        registration.set_available(False)
        with pytest.raises(NoWorkerAvailableError, match="gated-1 is not available"):
            await runtime.invoke(NODE, "b")
        gated.open("a", "c")
        await settle()
        registration.set_available(True)
        assert await runtime.invoke(NODE, "c") == "c"
    assert ended == ["a"]


async def test_a_pinned_worker_that_is_unavailable_is_not_replaced() -> None:
    gated = Gated()
    gated.open("a")
    async with Ditto(node_types=TYPES) as runtime:
        first = runtime.register(gated.worker())
        runtime.register(gated.worker())
        first.set_available(False)
        with pytest.raises(NoWorkerAvailableError) as caught:
            await runtime.invoke(NODE, "a", worker_id="gated-1")
        assert caught.value.reasons == ("gated-1 is not available",)
        assert await runtime.invoke(NODE, "a") == "a"


async def test_a_call_that_waits_for_a_worker_that_leaves_fails_or_goes_elsewhere() -> None:
    gated = Gated()
    failed: list[str] = []
    async with Ditto(node_types=TYPES) as runtime, anyio.create_task_group() as tasks:
        first = runtime.register(gated.worker(concurrency=1))
        runtime.register(gated.worker(concurrency=1))

        async def call(name: str, worker_id: str | None) -> None:
            try:
                await runtime.invoke(NODE, name, worker_id)
            except NoWorkerAvailableError as error:
                failed.append(f"{name}: {error.reasons[0]}")

        for name, worker_id in (("a", "gated-1"), ("b", "gated-2"), ("pinned", "gated-1"), ("any", None)):
            tasks.start_soon(call, name, worker_id)
            await settle()
        first.unregister()
        await settle()
        assert failed == ["pinned: no Worker has the id 'gated-1'"]
        gated.open("a")
        await settle()
        assert gated.started == ["a", "b"]
        gated.open("b", "any")
    assert gated.place["any"] == "gated-2"


async def test_a_worker_that_comes_takes_the_calls_that_wait() -> None:
    gated = Gated()
    async with Ditto(node_types=TYPES) as runtime, anyio.create_task_group() as tasks:
        runtime.register(gated.worker(concurrency=1))
        for name in "abcd":
            tasks.start_soon(runtime.invoke, NODE, name)
            await settle()
        assert gated.started == ["a"]
        runtime.register(gated.worker(concurrency=2))
        await settle()
        assert sorted(gated.started) == ["a", "b", "c"]
        gated.open(*"abcd")


async def test_the_id_of_an_unregistered_worker_is_free() -> None:
    gated = Gated()
    gated.open("a")
    async with Ditto(node_types=TYPES) as runtime:
        runtime.register(gated.worker(), id="one").unregister()
        assert runtime.workers() == ()
        again = runtime.register(gated.worker(), id="one")
        again.unregister()
        again.unregister()
        runtime.register(gated.worker(), id="one")
        again.unregister()
        assert await runtime.invoke(NODE, "a", worker_id="one") == "a"


async def test_closing_a_registration_waits_for_its_calls_and_disposes_once() -> None:
    gated = Gated()
    gated.open("first")
    log: list[str] = []
    worker = gated.worker(resources=lambda _: object(), dispose=lambda _: log.append("disposed"))
    async with Ditto(node_types=TYPES) as runtime:
        registration = runtime.register(worker)
        await runtime.invoke(NODE, "first")

        async def close() -> None:
            await registration.close()
            log.append("closed")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runtime.invoke, NODE, "a")
            await settle()
            tasks.start_soon(close)
            tasks.start_soon(close)
            await settle()
            assert log == []
            with pytest.raises(NoWorkerAvailableError):
                await runtime.invoke(NODE, "b")
            gated.open("a")
        await registration.close()
    assert log == ["disposed", "closed", "closed"]


async def test_everybody_who_closes_a_registration_gets_the_error_of_its_dispose() -> None:
    gated = Gated()
    gated.open("a")

    async def broken(_: Any) -> None:
        await anyio.lowlevel.checkpoint()
        raise LookupError("dispose")

    caught: list[str] = []
    async with Ditto(node_types=TYPES) as runtime:
        registration = runtime.register(gated.worker(resources=lambda _: object(), dispose=broken))
        await runtime.invoke(NODE, "a")

        async def close() -> None:
            with pytest.raises(LookupError) as error:
                await registration.close()
            caught.append(str(error.value))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(close)
            tasks.start_soon(close)
    assert caught == ["dispose", "dispose"]


async def test_giving_up_on_closing_a_registration_leaves_it_to_the_next() -> None:
    gated = Gated()
    log: list[str] = []
    worker = gated.worker(resources=lambda _: object(), dispose=lambda _: log.append("disposed"))
    async with Ditto(node_types=TYPES) as runtime:
        registration = runtime.register(worker)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runtime.invoke, NODE, "a")
            await settle()
            with anyio.move_on_after(0):
                await registration.close()
            assert log == []
            gated.open("a")
        await registration.close()
        assert log == ["disposed"]
    assert log == ["disposed"]


async def test_a_call_that_closes_its_own_worker_is_refused() -> None:
    caught: list[str] = []

    async def handle(value: Any, _: WorkerContext) -> Any:
        try:
            await registration.close()
        except SelfWaitError as error:
            caught.append(error.code)
        return value

    async with Ditto(node_types=TYPES) as runtime:
        registration = runtime.register(define_worker(type="W", nodes={NODE: handle}))
        with anyio.fail_after(5):
            await runtime.invoke(NODE, 1)
        assert len(runtime.workers()) == 1
    assert caught == ["SELF_WAIT"]


async def test_resources_that_were_never_made_are_not_disposed_of_nor_made_by_closing() -> None:
    log: list[str] = []
    worker = Gated().worker(resources=lambda _: log.append("made"), dispose=lambda _: log.append("disposed"))
    async with Ditto(node_types=TYPES) as runtime:
        await runtime.register(worker).close()
        runtime.register(worker)
    assert log == []


async def test_what_cannot_be_registered_is_refused() -> None:
    gated = Gated()
    async with Ditto(node_types=TYPES) as runtime:
        with pytest.raises(InvalidInputError, match="not blank"):
            runtime.register(gated.worker(), id=" ")
        with pytest.raises(UnknownNodeError):
            runtime.register(define_worker(type="W", nodes={"APP.UNHEARD_OF": gated.wait}))
        with pytest.raises(InvalidInputError, match="available"):
            runtime.register(gated.worker()).set_available("yes")  # type: ignore[arg-type]  # what a caller may do
        assert len(runtime.workers()) == 1
    with pytest.raises(RuntimeClosedError):
        runtime.register(gated.worker())


async def test_a_time_limit_includes_the_wait_for_a_slot() -> None:
    gated = Gated()
    async with Ditto(node_types=TYPES, workers=[gated.worker(concurrency=1)]) as runtime:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runtime.invoke, NODE, "a")
            await settle()
            with pytest.raises(DeadlineError):
                await runtime.invoke(NODE, "b", timeout=0.01)
            gated.open("a")
        assert gated.started == ["a"]
