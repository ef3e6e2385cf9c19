"""Who gets the next free slot."""

import asyncio
from typing import Any

import anyio
import pytest

from ditto_core.errors import InvalidInputError, NoWorkerAvailableError
from ditto_core.runtime.graph import graph
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import WorkerContext, define_worker
from tests.runtime.gated import NODE, OTHER, TYPES, Gated, settle

pytestmark = pytest.mark.anyio


async def test_nodes_take_turns_each_for_itself() -> None:
    gated = Gated()
    gated.open(*range(8))
    async with Ditto(workers=[gated.worker(), gated.worker()], node_types=TYPES) as runtime:
        for number in range(0, 8, 2):
            await runtime.invoke(NODE, number)
            await runtime.invoke(OTHER, number + 1)
    places = [gated.place[number] for number in range(8)]
    assert places[0::2] == ["gated-1", "gated-2"] * 2
    assert places[1::2] == ["gated-1", "gated-2"] * 2


async def test_a_full_worker_is_passed_over_in_its_turn() -> None:
    gated = Gated()
    async with (
        Ditto(workers=[gated.worker(concurrency=1)] * 3, node_types=TYPES) as runtime,
        anyio.create_task_group() as tasks,
    ):
        for name in ("a", "b"):
            tasks.start_soon(runtime.invoke, NODE, name)
            await settle()
        gated.open("a")
        await settle()
        for name in ("c", "d"):
            tasks.start_soon(runtime.invoke, NODE, name)
            await settle()
        gated.open("b", "c", "d")
    assert gated.place == {"a": "gated-1", "b": "gated-2", "c": "gated-3", "d": "gated-1"}


async def test_a_slot_goes_to_the_longest_waiting_call_that_fits_whatever_its_node_or_pin() -> None:
    gated = Gated()
    async with (
        Ditto(workers=[gated.worker(concurrency=1)] * 2, node_types=TYPES) as runtime,
        anyio.create_task_group() as tasks,
    ):
        calls: list[tuple[str, str, str | None]] = [("a", NODE, None), ("b", NODE, None)]
        calls += [("pinned", NODE, "gated-2"), ("other", OTHER, None), ("any", NODE, None)]
        for name, node, pin in calls:
            tasks.start_soon(runtime.invoke, node, name, pin)
            await settle()
        gated.open("a")
        await settle()
        gated.open("b")
        await settle()
        gated.open("other")
        await settle()
        gated.open("pinned", "any")
    assert gated.started == ["a", "b", "other", "pinned", "any"]
    assert gated.place["pinned"] == "gated-2"


async def test_a_new_call_does_not_overtake_one_that_waits() -> None:
    gated = Gated()
    async with (
        Ditto(workers=[gated.worker(concurrency=1)], node_types=TYPES) as runtime,
        anyio.create_task_group() as tasks,
    ):
        for name in ("a", "waits"):
            tasks.start_soon(runtime.invoke, NODE, name)
            await settle()
        gated.open("a")
        tasks.start_soon(runtime.invoke, NODE, "new")
        await settle()
        assert gated.started == ["a", "waits"]
        gated.open("waits", "new")


async def test_calls_that_hold_slots_of_a_full_worker_never_wait_for_each_other() -> None:
    caught: list[str] = []
    both = anyio.Event()

    async def outer(value: Any, ctx: WorkerContext) -> Any:
        caught.append("")
        if len(caught) == 2:
            both.set()
        await both.wait()
        try:
            return await ctx.invoke(NODE, value)
        except NoWorkerAvailableError as error:
            return error.reasons[0]

    worker = define_worker(type="W", nodes={NODE: outer}, concurrency=2)
    answers: list[Any] = []
    async with Ditto(workers=[worker], node_types=TYPES) as runtime:

        async def call() -> None:
            answers.append(await runtime.invoke(NODE, 1))

        with anyio.fail_after(5):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(call)
                tasks.start_soon(call)
    assert answers == ["w-1 is full, with slots held by the calls that led here"] * 2


async def test_thousands_of_calls_may_wait() -> None:
    gated = Gated()
    gated.open(*range(5000))
    plan = graph("wide")
    for index in range(5000):
        plan = plan.node(f"n{index}", NODE, [], lambda _, __, index=index: index)  # type: ignore[misc]  # a default binds it
    async with Ditto(workers=[gated.worker(concurrency=2)], node_types=TYPES) as runtime:
        with anyio.fail_after(60):
            await runtime.run(plan, None)
        assert runtime.workers()[0].active == 0
    assert sorted(gated.ended) == list(range(5000))


async def test_pins_of_a_run_name_its_nodes() -> None:
    plan = graph("g").node("load", NODE, [], lambda value, _: value)
    async with Ditto(workers=[Gated().worker()], node_types=TYPES) as runtime:
        with pytest.raises(InvalidInputError, match="has no node 'laod'") as caught:
            await runtime.run(plan, 1, workers={"laod": "gated-1"})
    assert caught.value.hint == "Did you mean load?"


@pytest.mark.parametrize("concurrency", [0, -1, True, 1.5])
async def test_a_concurrency_that_makes_no_sense_is_refused(concurrency: Any) -> None:
    plan = graph("g").node("load", NODE, [], lambda value, _: value)
    async with Ditto(workers=[Gated().worker()], node_types=TYPES) as runtime:
        with pytest.raises(InvalidInputError, match="concurrency: must be a positive whole number"):
            await runtime.run(plan, 1, concurrency=concurrency)


def test_a_call_that_got_a_slot_and_is_cancelled_before_it_can_use_it_gives_it_back() -> None:
    gated = Gated()

    async def main() -> None:
        async with Ditto(workers=[gated.worker(concurrency=1)], node_types=TYPES) as runtime:

            async def hold() -> None:
                await runtime.invoke(NODE, "holds")
                waits.cancel()

            holds = asyncio.create_task(hold())
            await settle()
            waits = asyncio.create_task(runtime.invoke(NODE, "waits"))
            await settle()
            gated.open("holds", "after")
            await asyncio.wait([holds, waits], timeout=5)
            assert waits.cancelled()
            assert await runtime.invoke(NODE, "after", timeout=5) == "after"
            assert runtime.workers()[0].active == 0

    anyio.run(main)


def test_a_task_that_outlives_its_call_may_wait_for_the_slot_and_close_the_runtime() -> None:
    left: list[asyncio.Task[None]] = []
    answers: list[Any] = []

    async def main() -> None:
        holding, go = anyio.Event(), anyio.Event()

        async def handle(value: Any, _: WorkerContext) -> Any:
            if value == "leaves a task":
                left.append(asyncio.create_task(later()))
            if value == "holds":
                holding.set()
                await go.wait()
            return value

        async def later() -> None:
            await holding.wait()
            answers.append(await runtime.invoke(NODE, "later"))
            await runtime.close()

        runtime = Ditto(workers=[define_worker(type="W", nodes={NODE: handle}, concurrency=1)], node_types=TYPES)
        await runtime.invoke(NODE, "leaves a task")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runtime.invoke, NODE, "holds")
            await settle()
            assert answers == []
            go.set()
        with anyio.fail_after(5):
            await left[0]

    anyio.run(main)
    assert answers == ["later"]
