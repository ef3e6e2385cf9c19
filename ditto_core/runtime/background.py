"""A task that belongs to no caller."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from contextvars import Context
from typing import Any, TypeVar

T = TypeVar("T")


def start_background(work: Callable[[T], Coroutine[Any, Any, None]], argument: T, name: str) -> object:
    """Starts `work(argument)` outside every cancel scope and context variable of the caller.

    The result is the task; keep it, the event loop does not.

    A task group would do the same, but binds whoever opens it to the task that closes it: a runtime could then not be
    opened by one task and closed by another, as fixtures of tests and notebooks do. So `work` must not raise, and its
    owner must see to it that it ends.
    """
    trio: Any = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_run():
        return trio.lowlevel.spawn_system_task(work, argument, name=name)
    import asyncio

    return asyncio.get_running_loop().create_task(work(argument), name=name, context=Context())
