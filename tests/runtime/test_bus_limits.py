"""Events when there are too many, and when the runtime closes."""

from typing import Any

import anyio
import pytest

from ditto_core.contracts.events import Event
from ditto_core.contracts.worker_event import WorkerEvent
from ditto_core.errors import RuntimeClosedError, SelfWaitError
from ditto_core.runtime.bus import MAX_WAITING
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import WorkerContext, define_worker
from tests.runtime.gated import NODE, TYPES, settle
from tests.runtime.listener import Listener, event, warnings

pytestmark = pytest.mark.anyio


async def test_closing_hands_over_what_was_accepted_and_subscribers_may_still_call() -> None:
    async def handle(value: Any, _: WorkerContext) -> Any:
        return value

    answers: list[Any] = []
    go = anyio.Event()
    async with Ditto(workers=[define_worker(type="W", nodes={NODE: handle})], node_types=TYPES) as runtime:

        async def ask(event: WorkerEvent) -> None:
            await go.wait()
            answers.append(await runtime.invoke(NODE, event.data))

        runtime.subscribe("news", ask)
        await runtime.emit(event(1))
        await runtime.emit(event(2))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runtime.close)
            await settle()
            with pytest.raises(RuntimeClosedError):
                await runtime.emit(event(3))
            with pytest.raises(RuntimeClosedError):
                runtime.subscribe("news", ask)
            go.set()
    assert answers == [1, 2]


async def test_closing_says_how_many_events_it_dropped() -> None:
    watched: list[Event] = []
    stuck = Listener(open=False)
    runtime = Ditto(events=watched.append)
    runtime.subscribe("news", stuck)
    for number in range(3):
        await runtime.emit(event(number))
    with anyio.fail_after(5):
        await runtime.close(timeout=0)
        await runtime.drain_events()
    assert stuck.heard == []
    assert warnings(watched) == ["events that were not handled when the runtime closed: 3"]
    with pytest.raises(RuntimeClosedError):
        await runtime.emit(event(4))


async def test_who_waits_for_room_when_the_runtime_closes_is_told_so() -> None:
    caught: list[type[Exception]] = []
    runtime = Ditto()
    runtime.subscribe("news", Listener(open=False))

    async def emit() -> None:
        try:
            for number in range(MAX_WAITING + 2):
                await runtime.emit(event(number))
        except RuntimeClosedError as error:
            caught.append(type(error))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(emit)
            await settle(4 * MAX_WAITING)
            await runtime.close(timeout=0)
    assert caught == [RuntimeClosedError]


async def test_events_that_never_stop_do_not_keep_the_runtime_from_closing() -> None:
    watched: list[Event] = []
    runtime = Ditto(events=watched.append)

    async def again(event: WorkerEvent) -> None:
        await runtime.emit(event)

    runtime.subscribe("news", again)
    await runtime.emit(event())
    with anyio.fail_after(5):
        await runtime.close(timeout=0.01)
        await runtime.drain_events()


async def test_emit_waits_for_room_when_too_much_is_outstanding() -> None:
    listener = Listener(open=False)
    done: list[str] = []
    async with Ditto() as runtime:
        runtime.subscribe("news", listener)

        async def emit() -> None:
            for number in range(MAX_WAITING + 2):
                await runtime.emit(event(number))
            done.append("accepted")

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(emit)
            await settle(4 * MAX_WAITING)
            assert done == []
            listener.gate.set()
        await runtime.drain_events()
    assert done == ["accepted"]
    assert listener.heard == list(range(MAX_WAITING + 2))


async def test_a_subscriber_that_would_have_to_make_the_room_itself_is_told_so() -> None:
    watched: list[Event] = []
    async with Ditto(events=watched.append) as runtime:

        async def flood(_: WorkerEvent) -> None:
            for _turn in range(MAX_WAITING + 2):
                await runtime.emit(event(type="other"))

        stuck = Listener(open=False)
        runtime.subscribe("other", stuck)
        runtime.subscribe("news", flood)
        with anyio.fail_after(5):
            await runtime.emit(event())
            await settle(4 * MAX_WAITING)
        assert [message[:44] for message in warnings(watched)] == ["a subscriber of 'news' failed: 1024 events w"]
        stuck.gate.set()


async def test_a_subscriber_cannot_wait_for_its_own_end() -> None:
    caught: list[str] = []
    async with Ditto() as runtime:

        async def wait(_: WorkerEvent) -> None:
            for work in (runtime.drain_events, runtime.close):
                with pytest.raises(SelfWaitError) as error:
                    await work()
                caught.append(error.value.code)

        runtime.subscribe("news", wait)
        with anyio.fail_after(5):
            await runtime.emit(event())
            await runtime.drain_events()
    assert caught == ["SELF_WAIT"] * 2


async def test_an_event_that_was_cut_in_the_middle_is_not_passed_over() -> None:
    watched: list[Event] = []
    runtime = Ditto(events=watched.append)
    runtime.subscribe("news", Listener(open=False))
    await runtime.emit(event())
    await settle()
    await runtime.close(timeout=0)
    assert warnings(watched) == ["events that were not handled when the runtime closed: 1"]


async def test_a_full_queue_holds_up_only_events_of_its_type() -> None:
    stuck, other = Listener(open=False), Listener()
    async with Ditto() as runtime:
        runtime.subscribe("news", stuck)
        runtime.subscribe("other", other)
        for number in range(MAX_WAITING):
            await runtime.emit(event(number))
        with anyio.fail_after(5):
            await runtime.emit(event(1, type="other"))
            await runtime.emit(event(1, type="unheard"))
            await settle()
        assert other.heard == [1]
        stuck.gate.set()
