"""Awaiting code that is not ours: what it raises ends the call, not the task, the loop or the process."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

import anyio

from ditto_core.errors import DependencyError

Result = TypeVar("Result")


async def called(what: str, work: Awaitable[Result]) -> Result:
    """What `work` gives; an ordinary exception passes as it is.

    SystemExit, and a CancelledError that nobody outside asked for (as of awaiting a task that it had cancelled itself),
    are DependencyErrors: left alone, the first would end the process with success, the second look like the caller's
    own cancellation.
    """
    try:
        return await work
    except Exception:
        raise
    except BaseException as error:
        if not _is_its_own(error):
            raise
        raise DependencyError(f"{what} raised {type(error).__name__}") from error


def _is_its_own(error: BaseException) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(_is_its_own(inner) or isinstance(inner, Exception) for inner in error.exceptions)
    if isinstance(error, anyio.get_cancelled_exc_class()):
        return not _is_being_cancelled()
    return isinstance(error, SystemExit)


def _is_being_cancelled() -> bool:
    """Whether somebody has asked this task to end. On other loops than asyncio every cancellation is such a request."""
    import asyncio

    try:
        task = asyncio.current_task()
    except RuntimeError:
        return True
    return task is None or task.cancelling() > 0
