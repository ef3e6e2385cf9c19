"""Blocking work beside the loop: results and errors arrive, and nothing holds up the end."""

from __future__ import annotations

import asyncio
import contextvars
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable

import pytest

from ditto_core.sandbox.daemon_thread import run_in_daemon_thread

PATIENCE = 30


@pytest.mark.anyio
async def test_the_result_arrives_from_another_daemon_thread() -> None:
    thread = await run_in_daemon_thread(threading.current_thread)
    assert thread.daemon
    assert thread is not threading.current_thread()
    assert await run_in_daemon_thread(divmod, 7, 3) == (2, 1)


@pytest.mark.anyio
async def test_an_exception_arrives_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError):
        await run_in_daemon_thread(divmod, 1, 0)


@pytest.mark.anyio
@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), StopIteration(1), asyncio.CancelledError(), GeneratorExit()]
)
async def test_what_would_end_the_loop_or_the_task_arrives_wrapped(error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(RuntimeError, match=type(error).__name__) as caught:
        await run_in_daemon_thread(fail)
    assert caught.value.__cause__ is error


@pytest.mark.anyio
async def test_the_work_sees_the_context_of_the_caller_and_cannot_change_it() -> None:
    variable = contextvars.ContextVar("variable", default="unset")
    variable.set("caller")

    def work() -> str:
        seen = variable.get()
        variable.set("thread")
        return seen

    assert await run_in_daemon_thread(work) == "caller"
    assert variable.get() == "caller"


@pytest.mark.anyio
@pytest.mark.parametrize("fails", [False, True])
async def test_cancelling_abandons_the_work_and_drops_what_it_gives(fails: bool) -> None:
    started, go_on = threading.Event(), threading.Event()

    def work() -> str:
        started.set()
        go_on.wait(PATIENCE)
        if fails:
            raise ValueError("too late")
        return "too late"

    task = asyncio.create_task(run_in_daemon_thread(work))
    assert await asyncio.to_thread(started.wait, PATIENCE)
    thread = next(one for one in threading.enumerate() if one.name == "ditto work")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    go_on.set()
    await asyncio.to_thread(thread.join, PATIENCE)
    await asyncio.sleep(0)  # lets the loop take what the thread has left for it


@pytest.mark.parametrize("fails", [False, True])
def test_work_that_ends_after_the_loop_was_closed_ends_quietly(fails: bool) -> None:
    started, go_on = threading.Event(), threading.Event()
    threads: list[threading.Thread] = []

    def work() -> None:
        threads.append(threading.current_thread())
        started.set()
        go_on.wait(PATIENCE)
        if fails:
            raise SystemExit

    async def main() -> None:
        task = asyncio.create_task(run_in_daemon_thread(work))
        await asyncio.to_thread(started.wait, PATIENCE)
        task.cancel()

    asyncio.run(main())
    go_on.set()
    threads[0].join(PATIENCE)
    assert not threads[0].is_alive()


def test_work_that_never_ends_does_not_hold_up_the_process() -> None:
    program = """
        import asyncio, threading
        from ditto_core.sandbox.daemon_thread import run_in_daemon_thread

        async def main():
            try:
                await asyncio.wait_for(run_in_daemon_thread(threading.Event().wait), 0.05)
            except TimeoutError:
                print("given up")

        asyncio.run(main())
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "given up\n", "")


@pytest.mark.anyio
async def test_many_calls_run_side_by_side() -> None:
    barrier = threading.Barrier(20)
    work: Callable[[], int] = lambda: barrier.wait(PATIENCE)  # noqa: E731  # ends only when all twenty are running
    assert sorted(await asyncio.gather(*(run_in_daemon_thread(work) for _ in range(20)))) == list(range(20))
