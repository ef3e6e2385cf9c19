"""The end of a runtime: shared, bounded, and nothing is left."""

import asyncio
from typing import Any

import anyio
import pytest

from ditto_core.errors import (
    DeadlineError,
    InvalidInputError,
    NoWorkerAvailableError,
    RuntimeClosedError,
    SelfWaitError,
)
from ditto_core.runtime.intake import Intake, Ticket
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import WorkerContext, define_worker
from tests.runtime.gated import NODE, OTHER, TYPES, Gated, Outcomes, settle

pytestmark = pytest.mark.anyio


async def test_closing_gives_accepted_calls_their_time_those_in_the_queue_included() -> None:
    gated = Gated()
    runtime = Ditto(workers=[gated.worker(concurrency=1)], node_types=TYPES)
    outcomes = Outcomes(runtime)
    async with anyio.create_task_group() as tasks:
        for name in "ab":
            tasks.start_soon(outcomes.call, name)
            await settle()
        tasks.start_soon(runtime.close)
        await settle()
        tasks.start_soon(outcomes.call, "late")
        await settle()
        gated.open("a", "b")
    assert outcomes.ended == {"late": "RuntimeClosedError", "a": "done", "b": "done"}
    assert runtime.workers() == ()


async def test_what_is_left_when_the_time_is_over_is_cancelled_and_told_so() -> None:
    gated = Gated()
    runtime = Ditto(workers=[gated.worker(concurrency=1)], node_types=TYPES)
    outcomes = Outcomes(runtime)
    async with anyio.create_task_group() as tasks:
        for name in "ab":
            tasks.start_soon(outcomes.call, name)
            await settle()
        with anyio.fail_after(5):
            await runtime.close(timeout=0)
    assert outcomes.ended == {"a": "RuntimeClosedError", "b": "RuntimeClosedError"}
    assert gated.started == gated.ended == ["a"]


async def test_everybody_who_closes_waits_for_the_same_end_and_the_shortest_time_counts() -> None:
    gated = Gated()
    runtime = Ditto(workers=[gated.worker()], node_types=TYPES)
    outcomes = Outcomes(runtime)
    log: list[str] = []

    async def close(timeout: float) -> None:
        await runtime.close(timeout)
        log.append("closed")

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(outcomes.call, "a")
            await settle()
            tasks.start_soon(close, 1000)
            tasks.start_soon(close, 1000)
            await settle()
            assert log == []
            tasks.start_soon(close, 0)
        await runtime.close(1000)
    assert log == ["closed"] * 3
    assert outcomes.ended == {"a": "RuntimeClosedError"}


async def test_a_handler_that_closes_its_runtime_is_refused() -> None:
    caught: list[str] = []

    async def handle(value: Any, _: WorkerContext) -> Any:
        try:
            await runtime.close()
        except SelfWaitError as error:
            caught.append(error.message)
        return value

    async with Ditto(workers=[define_worker(type="W", nodes={NODE: handle})], node_types=TYPES) as runtime:
        assert await runtime.invoke(NODE, 1) == 1
        assert await runtime.invoke(NODE, 2) == 2
    assert len(caught) == 2


async def test_a_handler_that_was_cut_cannot_start_new_work_while_it_cleans_up() -> None:
    caught: list[str] = []

    async def handle(_: Any, ctx: WorkerContext) -> Any:
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                try:
                    await ctx.invoke(OTHER, 1)
                except RuntimeClosedError as error:
                    caught.append(error.code)

    runtime = Ditto(workers=[define_worker(type="W", nodes={NODE: handle, OTHER: handle})], node_types=TYPES)
    outcomes = Outcomes(runtime)
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(outcomes.call, "a")
            await settle()
            await runtime.close(timeout=0)
    assert caught == ["RUNTIME_CLOSED"]


async def test_a_closed_runtime_takes_nothing_and_cannot_be_entered_again() -> None:
    gated = Gated()
    runtime = Ditto(workers=[gated.worker()], node_types=TYPES)
    async with runtime:
        pass
    with pytest.raises(RuntimeClosedError):
        await runtime.invoke(NODE, "a")
    with pytest.raises(RuntimeClosedError):
        async with runtime:
            pass
    await runtime.close()


async def test_a_runtime_may_be_closed_by_another_task_than_the_one_that_opened_it() -> None:
    heard: list[Any] = []
    runtime = await Ditto().__aenter__()
    runtime.subscribe("news", lambda event: heard.append(event.data))
    await runtime.emit({"type": "news", "data": 1})
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(runtime.__aexit__, None, None, None)
    assert heard == [1]


async def test_the_deadline_of_a_call_is_not_taken_for_the_end_of_the_runtime() -> None:
    gated = Gated()
    async with Ditto(workers=[gated.worker()], node_types=TYPES) as runtime:
        with pytest.raises(DeadlineError, match=r"APP.WAIT took longer than 0 s"):
            await runtime.invoke(NODE, "a", timeout=0)


@pytest.mark.parametrize("timeout", [-1, float("nan")])
async def test_a_time_that_makes_no_sense_is_refused_and_closes_nothing(timeout: float) -> None:
    gated = Gated()
    gated.open("a")
    async with Ditto(workers=[gated.worker()], node_types=TYPES) as runtime:
        with pytest.raises(InvalidInputError, match="timeout"):
            await runtime.close(timeout)
        with pytest.raises(InvalidInputError, match="timeout"):
            await runtime.invoke(NODE, "a", timeout=timeout)
        assert await runtime.invoke(NODE, "a") == "a"


async def test_calls_that_wait_leave_no_trace_when_they_are_cancelled() -> None:
    gated = Gated()
    async with Ditto(workers=[gated.worker(concurrency=1)], node_types=TYPES) as runtime:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(runtime.invoke, NODE, "a")
            await settle()
            async with anyio.create_task_group() as waiting:
                for name in "bcd":
                    waiting.start_soon(runtime.invoke, NODE, name)
                await settle()
                waiting.cancel_scope.cancel()
            tasks.start_soon(runtime.invoke, NODE, "e")
            gated.open("a", "e")
        assert gated.started == ["a", "e"]
        assert runtime.workers()[0].active == 0
        with pytest.raises(NoWorkerAvailableError):
            await runtime.invoke(NODE, "f", worker_id="absent")


def test_no_task_is_left_behind() -> None:
    gated = Gated()

    async def main() -> set[str]:
        runtime = Ditto(workers=[gated.worker(concurrency=1)], node_types=TYPES)
        outcomes = Outcomes(runtime)
        runtime.subscribe("news", lambda _: anyio.sleep_forever())
        await runtime.emit({"type": "news"})
        async with anyio.create_task_group() as tasks:
            for name in "ab":
                tasks.start_soon(outcomes.call, name)
            await settle()
            await runtime.close(timeout=0)
        await settle()
        return {task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()}

    assert anyio.run(main) == set()


async def test_work_that_begins_after_the_cut_is_cut_as_well() -> None:
    intake = Intake()
    intake.cut()
    late = Ticket(intake, "it", None)
    with anyio.fail_after(5), pytest.raises(RuntimeClosedError, match="while it was under way"), late:
        await anyio.sleep_forever()
    assert not intake.open
