"""One run of code that is not ours: whatever it does, the run around it goes on.

The code runs in a task of its own, in a task group. So what it raises can be told from a cancellation of the run: a
CancelledError that comes while the group was not cancelled is the code's own. Nothing escapes from that task, because
asyncio ends the loop when a task raises SystemExit or KeyboardInterrupt.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import anyio

from ditto_core.errors import DependencyError, DittoError, InvalidArgumentsError, PermissionDeniedError, ToolError
from ditto_core.sandbox.daemon_thread import run_in_daemon_thread
from ditto_core.sandbox.text import clean_line

SAID_ON_PURPOSE: tuple[type[Exception], ...] = (ToolError, PermissionDeniedError, InvalidArgumentsError)
"""What a tool may raise to tell its caller something. Everything else is infrastructure that broke."""

ErrorT = TypeVar("ErrorT", bound=BaseException)


class _End:
    """How the code ended: the error wins."""

    __slots__ = ("error", "value")

    def __init__(self) -> None:
        self.value: Any = None
        self.error: BaseException | None = None


async def attempt(
    what: str,
    function: Callable[..., Any],
    *arguments: Any,
    thread: bool = True,
    passing: tuple[type[Exception], ...] = SAID_ON_PURPOSE,
) -> Any:
    """What `function(*arguments)` returns; an awaitable is awaited.

    A plain function runs in a daemon thread unless `thread` is False, and is abandoned when the caller is cancelled.
    Errors of the `passing` types are raised as they are, alone or in exception groups; any other is a DependencyError
    that names `what` and the type only, since a message may hold anything. The caller's cancellation passes.
    """
    end = _End()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_run, end, function, arguments, thread)
    if end.error is None:
        return end.value
    raise _raisable(end.error, what, passing)


async def _run(end: _End, function: Callable[..., Any], arguments: tuple[Any, ...], thread: bool) -> None:
    try:
        if thread and not _is_async(function):
            await run_in_daemon_thread(_call, end, function, arguments)
        else:
            end.value = function(*arguments)
        if end.error is None and inspect.isawaitable(end.value):
            end.value = await end.value
    except BaseException as error:  # noqa: BLE001  # the border: a tool must end neither the task, the loop nor the process
        end.error = error


def _call(end: _End, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        end.value = function(*arguments)
    except BaseException as error:  # noqa: BLE001  # the border of the thread; StopIteration cannot pass a Future
        end.error = error


def _is_async(function: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(type(function).__call__)


def _raisable(error: BaseException, what: str, passing: tuple[type[Exception], ...]) -> Exception:
    leaves = list(_leaves(error))
    told = next((leaf for leaf in leaves if isinstance(leaf, Exception) and isinstance(leaf, passing)), None)
    if told is not None and all(isinstance(leaf, passing) or _is_cancellation(leaf) for leaf in leaves):
        return told
    broken = next((leaf for leaf in leaves if not _is_cancellation(leaf) and not isinstance(leaf, passing)), error)
    code = broken.code if isinstance(broken, DittoError) else None
    made = DependencyError(f"{what} broke: {clean_line(type(broken).__name__, 80)}", code=code)
    made.__cause__ = error
    return made


def _leaves(error: BaseException) -> Iterator[BaseException]:
    """The exceptions of a group, of groups in it, or the error itself."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _is_cancellation(error: BaseException) -> bool:
    return isinstance(error, anyio.get_cancelled_exc_class())
