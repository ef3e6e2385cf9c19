"""One awaited thing under the time limit and the stop event of a command."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

import anyio

from ditto_core.errors import DeadlineError, DittoError

Result = TypeVar("Result")


class StoppedError(DittoError):
    """The command was asked to stop; the outcome of what was under way is unknown."""

    code = "CANCELLED"


async def bounded(
    work: Awaitable[Result], stop: anyio.Event, limit_ms: int, what: str = "the tool"
) -> tuple[Result, int]:
    """The result and the milliseconds it took. Raises DeadlineError, StoppedError and what `work` raises.

    `what` is what messages call the work.
    """
    started = anyio.current_time()
    found: list[Result] = []
    failed: list[Exception] = []
    with anyio.move_on_after(limit_ms / 1000) as scope:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_cancel_when, stop, tasks.cancel_scope)
            try:
                found.append(await work)
            except Exception as error:  # noqa: BLE001  # raised as itself below: a task group would wrap it
                failed.append(error)
            tasks.cancel_scope.cancel()
    if failed:
        raise failed[0]
    if found:
        return found[0], round((anyio.current_time() - started) * 1000)
    if scope.cancelled_caught:
        raise DeadlineError(f"{what} took longer than {limit_ms} ms (runtime.timeoutMs)")
    raise StoppedError(f"interrupted; whether {what} finished is unknown")


async def _cancel_when(stop: anyio.Event, scope: anyio.CancelScope) -> None:
    await stop.wait()
    scope.cancel()
