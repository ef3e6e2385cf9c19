"""The queue: one line per scope."""

from __future__ import annotations

import anyio
import pytest
from anyio.lowlevel import checkpoint

from ditto_core.contracts.context import Scope
from ditto_core.errors import ContextError, InvalidInputError
from ditto_core.workers.context.queue import ContextQueue

pytestmark = pytest.mark.anyio

A, B = Scope(session_id="a"), Scope(session_id="b")


class Jobs:
    """Jobs that write down when they run, and stay until they are let go."""

    def __init__(self, queue: ContextQueue) -> None:
        self.queue = queue
        self.log: list[str] = []
        self.doors: dict[str, anyio.Event] = {}

    async def run(self, name: str, scope: Scope) -> None:
        self.doors[name] = anyio.Event()
        async with self.queue.turn(scope):
            self.log.append(f"+{name}")
            await self.doors[name].wait()
        self.log.append(f"-{name}")


async def settle() -> None:
    for _ in range(20):
        await checkpoint()


async def test_jobs_of_one_scope_run_one_after_another_in_order() -> None:
    jobs = Jobs(ContextQueue())
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            for name in "123":
                tasks.start_soon(jobs.run, name, A)
                await settle()
            assert jobs.log == ["+1"]
            for name in "123":
                jobs.doors[name].set()
    assert [each for each in jobs.log if each[0] == "+"] == ["+1", "+2", "+3"]
    assert jobs.queue.pending == 0


async def test_other_scopes_go_on() -> None:
    jobs = Jobs(ContextQueue())
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(jobs.run, "a", A)
            tasks.start_soon(jobs.run, "b", B)
            await settle()
            assert jobs.log == ["+a", "+b"]
            tasks.cancel_scope.cancel()


async def test_beyond_the_pending_jobs_the_queue_is_full_and_a_place_that_is_free_is_taken() -> None:
    jobs = Jobs(ContextQueue(max_pending=2))
    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(jobs.run, "running", A)
            tasks.start_soon(jobs.run, "waiting", A)
            await settle()
            for scope in (A, B):
                with pytest.raises(ContextError) as caught:
                    await jobs.run("refused", scope)
                assert caught.value.code == "QUEUE_FULL"
            jobs.doors["running"].set()
            await settle()
            tasks.start_soon(jobs.run, "later", B)
            await settle()
            assert jobs.log == ["+running", "-running", "+waiting", "+later"]
            tasks.cancel_scope.cancel()
    assert jobs.queue.pending == 0


async def test_a_job_that_fails_frees_its_place() -> None:
    queue = ContextQueue(max_pending=1)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError):
            async with queue.turn(A):
                1 // 0  # noqa: B018  # the failure is the subject
    assert queue.pending == 0


@pytest.mark.parametrize("victim", ["running", "waiting"])
async def test_a_job_that_is_cancelled_frees_its_place_and_the_next_one_runs(victim: str) -> None:
    jobs = Jobs(ContextQueue(max_pending=3))
    scopes = {name: anyio.CancelScope() for name in ("running", "waiting", "next")}

    async def cancellable(name: str) -> None:
        with scopes[name]:
            await jobs.run(name, A)

    with anyio.fail_after(10):
        async with anyio.create_task_group() as tasks:
            for name in scopes:
                tasks.start_soon(cancellable, name)
                await settle()
            scopes[victim].cancel()
            await settle()
            assert jobs.queue.pending == 2
            for name in scopes:
                jobs.doors[name].set()
    assert [each for each in jobs.log if each[0] == "-"] == [f"-{name}" for name in scopes if name != victim]
    assert jobs.queue.pending == 0


def test_a_queue_has_room_for_one() -> None:
    with pytest.raises(InvalidInputError):
        ContextQueue(max_pending=0)
