"""Events: accepted at once, handled in the background, in order, and never lost without a word."""

import asyncio
from contextvars import ContextVar
from typing import Any

import anyio
import pytest

from ditto_core.contracts.events import Event
from ditto_core.contracts.worker_event import WorkerEvent
from ditto_core.errors import InvalidInputError, PermissionDeniedError
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import WorkerContext, define_worker
from tests.runtime.gated import NODE, TYPES, settle
from tests.runtime.listener import Listener, event, warnings

pytestmark = pytest.mark.anyio


async def test_subscribers_of_the_type_hear_the_events_in_order() -> None:
    heard: list[Any] = []
    late = Listener()
    async with Ditto() as runtime:
        runtime.subscribe("news", lambda event: heard.append((event.type, event.data)))
        runtime.subscribe("news", late)
        runtime.subscribe("other", late)
        for number in range(3):
            await runtime.emit(event(number))
        await runtime.emit(WorkerEvent(type="other", data={"a": [1]}))
        await runtime.emit(event("nobody", type="unheard"))
        await runtime.drain_events()
        assert heard == [("news", 0), ("news", 1), ("news", 2)]
        assert [data for data in late.heard if data != {"a": [1]}] == [0, 1, 2]
        assert {"a": [1]} in late.heard


async def test_emit_does_not_wait_for_the_handling() -> None:
    slow = Listener(open=False)
    async with Ditto() as runtime:
        runtime.subscribe("news", slow)
        with anyio.fail_after(5):
            await runtime.emit(event(1))
        assert slow.heard == []
        slow.gate.set()
        await runtime.drain_events()
    assert slow.heard == [1]


async def test_a_slow_subscriber_holds_up_no_other() -> None:
    slow, quick = Listener(open=False), Listener()
    async with Ditto() as runtime:
        runtime.subscribe("news", slow)
        runtime.subscribe("news", quick)
        for number in range(3):
            await runtime.emit(event(number))
        await settle()
        assert (slow.heard, quick.heard) == ([], [0, 1, 2])
        slow.gate.set()
    assert slow.heard == [0, 1, 2]


async def test_a_subscriber_gets_one_event_after_another() -> None:
    under_way: list[int] = []

    async def subscriber(_: WorkerEvent) -> None:
        under_way.append(1)
        assert len(under_way) == 1
        await anyio.lowlevel.checkpoint()
        under_way.pop()

    watched: list[Event] = []
    async with Ditto(events=watched.append) as runtime:
        runtime.subscribe("news", subscriber)
        for _ in range(5):
            await runtime.emit(event())
        await runtime.drain_events()
    assert watched == []


async def test_a_failing_subscriber_is_a_warning_and_hurts_nobody() -> None:
    good = Listener()
    watched: list[Event] = []

    def broken(_: WorkerEvent) -> None:
        raise ValueError("password=hunter2")

    async def refused(_: WorkerEvent) -> None:
        raise PermissionDeniedError("tool", "rm")

    async with Ditto(events=watched.append) as runtime:
        runtime.subscribe("news", broken)
        runtime.subscribe("news", refused)
        runtime.subscribe("news", good)
        await runtime.emit(event(1))
        await runtime.emit(event(2))
        await runtime.drain_events()
    assert good.heard == [1, 2]
    assert sorted(warnings(watched)) == [
        *["a subscriber of 'news' failed: ValueError"] * 2,
        *["a subscriber of 'news' failed: tool rm is not permitted (not granted)"] * 2,
    ]


async def test_after_unsubscribing_nothing_more_is_heard() -> None:
    listener = Listener(open=False)
    watched: list[Event] = []
    async with Ditto(events=watched.append) as runtime:
        unsubscribe = runtime.subscribe("news", listener)
        await runtime.emit(event("under way"))
        await settle()
        await runtime.emit(event("waits"))
        unsubscribe()
        unsubscribe()
        await runtime.emit(event("late"))
        listener.gate.set()
        await runtime.drain_events()
    assert listener.heard == ["under way"]
    assert watched == []


async def test_a_function_that_subscribed_twice_is_called_twice_and_unsubscribed_once() -> None:
    listener = Listener()
    async with Ditto() as runtime:
        runtime.subscribe("news", listener)
        unsubscribe = runtime.subscribe("news", listener)
        await runtime.emit(event(1))
        await runtime.drain_events()
        unsubscribe()
        await runtime.emit(event(2))
        await runtime.drain_events()
    assert listener.heard == [1, 1, 2]


async def test_draining_waits_for_what_subscribers_emit() -> None:
    heard: list[Any] = []
    async with Ditto() as runtime:

        async def count_down(event: WorkerEvent) -> None:
            heard.append(event.data)
            if event.data:
                await runtime.emit({"type": "number", "data": event.data - 1})

        runtime.subscribe("number", count_down)
        await runtime.emit({"type": "number", "data": 3})
        await runtime.drain_events()
        assert heard == [3, 2, 1, 0]


async def test_a_handler_emits_in_the_name_of_its_worker() -> None:
    heard: list[WorkerEvent] = []

    async def handle(value: Any, ctx: WorkerContext) -> Any:
        await ctx.emit({"type": "news", "data": value})
        await ctx.emit(WorkerEvent(type="news", data=value, source="other"))
        return value

    async with Ditto(workers=[define_worker(type="W", nodes={NODE: handle})], node_types=TYPES) as runtime:
        runtime.subscribe("news", heard.append)
        await runtime.invoke(NODE, 7)
        await runtime.drain_events()
    assert [(each.source, each.data) for each in heard] == [("w-1", 7), ("other", 7)]


async def test_events_work_without_async_with() -> None:
    listener = Listener()
    runtime = Ditto()
    runtime.subscribe("news", listener)
    await runtime.emit(event(1))
    await runtime.drain_events()
    await runtime.emit(event(2))
    await runtime.close()
    assert listener.heard == [1, 2]


async def test_a_subscriber_sees_no_context_and_no_cancellation_of_the_emitter() -> None:
    mark: ContextVar[str] = ContextVar("mark", default="none")
    seen: list[str] = []

    async def look(_: WorkerEvent) -> None:
        await anyio.lowlevel.checkpoint()
        seen.append(mark.get())

    async with Ditto() as runtime:
        runtime.subscribe("news", look)
        mark.set("emitter")
        with anyio.CancelScope() as scope:
            await runtime.emit(event())
            scope.cancel()
        await runtime.drain_events()
    assert seen == ["none"]


async def test_a_subscriber_may_call_the_full_worker_that_emitted() -> None:
    answers: list[Any] = []

    async def handle(value: Any, ctx: WorkerContext) -> Any:
        if value == "first":
            await ctx.emit(event("second"))
            await settle()
        return value

    worker = define_worker(type="W", nodes={NODE: handle}, concurrency=1)
    async with Ditto(workers=[worker], node_types=TYPES) as runtime:

        async def ask(event: WorkerEvent) -> None:
            answers.append(await runtime.invoke(NODE, event.data))

        runtime.subscribe("news", ask)
        await runtime.invoke(NODE, "first")
        await runtime.drain_events()
    assert answers == ["second"]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"data": 1}, "type: required"),
        ({"type": " "}, "must not be empty"),
        ({"type": "a", "data": object()}, "not JSON"),
        ({"type": "a", "more": 1}, "unknown field"),
        ("news", "an object is needed"),
    ],
)
async def test_an_event_that_makes_no_sense_is_refused(bad: Any, message: str) -> None:
    async with Ditto() as runtime:
        with pytest.raises(InvalidInputError, match=message):
            await runtime.emit(bad)


async def test_a_subscription_that_makes_no_sense_is_refused() -> None:
    async with Ditto() as runtime:
        with pytest.raises(InvalidInputError, match="blank"):
            runtime.subscribe(" ", print)
        with pytest.raises(InvalidInputError, match="function"):
            runtime.subscribe("news", None)  # type: ignore[arg-type]  # what a caller may do


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_what_would_end_a_task_or_a_process_is_a_failure_of_its_subscriber_only() -> None:
    watched: list[Event] = []
    heard: list[Any] = []

    async def awaits_a_cancelled_task(event: WorkerEvent) -> None:
        heard.append(event.data)
        task = asyncio.create_task(asyncio.sleep(60))
        task.cancel()
        await task

    def exits(_: WorkerEvent) -> None:
        raise SystemExit(0)

    async with Ditto(events=watched.append) as runtime:
        runtime.subscribe("news", awaits_a_cancelled_task)
        runtime.subscribe("news", exits)
        await runtime.emit(event(1))
        await runtime.emit(event(2))
        with anyio.fail_after(5):
            await runtime.drain_events()
    assert heard == [1, 2]
    assert sorted(warnings(watched)) == [
        *["a subscriber of 'news' failed: it raised CancelledError"] * 2,
        *["a subscriber of 'news' failed: it raised SystemExit"] * 2,
    ]
