"""Blocking work beside the event loop, in threads that never delay the end of the process.

`asyncio.to_thread` uses a pool that the interpreter joins at exit: one call that hangs (a dead network file system,
a tool that never returns) would keep the process alive. A daemon thread is simply left behind.
"""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    import asyncio

T = TypeVar("T")
Ts = TypeVarTuple("Ts")


async def run_in_daemon_thread(fn: Callable[[*Ts], T], *args: *Ts) -> T:
    """Runs `fn(*args)` in a daemon thread of its own, with the caller's context variables, and returns its result.

    Cancelling the wait abandons the thread: it runs on, and its result or exception is dropped.
    An Exception of `fn` is raised here as it is. What would end the loop, the task or the generator that awaits
    (SystemExit, KeyboardInterrupt, CancelledError, StopIteration) arrives as a RuntimeError with it as the cause.
    """
    import asyncio  # takes 40 ms, which a configuration error must not cost

    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            result = context.run(fn, *args)
        except BaseException as error:  # noqa: BLE001  # the border of the thread: everything goes to the one who waits
            _tell(loop, _fail, done, _deliverable(error))
        else:
            _tell(loop, _succeed, done, result)

    threading.Thread(target=work, name=f"ditto {getattr(fn, '__name__', 'work')}", daemon=True).start()
    return await done


def _tell(loop: asyncio.AbstractEventLoop, call: Callable[[*Ts], None], *args: *Ts) -> None:
    try:
        loop.call_soon_threadsafe(call, *args)
    except RuntimeError:
        if not loop.is_closed():
            raise
        # The loop ended while the abandoned work went on: nobody is left to be told.


def _succeed(done: asyncio.Future[T], result: T) -> None:
    if not done.done():
        done.set_result(result)


def _fail(done: asyncio.Future[T], error: Exception) -> None:
    if not done.done():
        done.set_exception(error)


def _deliverable(error: BaseException) -> Exception:
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    wrapped = RuntimeError(f"the work in the thread raised {type(error).__name__}")
    wrapped.__cause__ = error
    return wrapped
