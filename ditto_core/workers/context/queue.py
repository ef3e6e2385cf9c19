"""One line per scope: jobs of one scope run one after another, other scopes go on."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from ditto_core.contracts.context import Scope
from ditto_core.errors import ContextError, InvalidInputError
from ditto_core.workers.context.store import ScopeKey, scope_key


class _Line:
    """The jobs of one scope: a lock that is given in the order of arrival, and how many want or hold it."""

    __slots__ = ("jobs", "lock")

    def __init__(self) -> None:
        self.lock = anyio.Lock()
        self.jobs = 0


class ContextQueue:
    """A StateQueue for one process and one event loop, first come first served within a scope.

    `max_pending` bounds the jobs of all scopes together, waiting and running.
    """

    def __init__(self, max_pending: int = 1024) -> None:
        if max_pending < 1:
            raise InvalidInputError("must be a positive whole number", path="max_pending")
        self._max_pending = max_pending
        self._lines: dict[ScopeKey, _Line] = {}

    @property
    def pending(self) -> int:
        """The jobs that wait or run."""
        return sum(line.jobs for line in self._lines.values())

    @asynccontextmanager
    async def turn(self, scope: Scope) -> AsyncIterator[None]:
        """The turn of one job. However the job ends, its place is free afterwards. Raises ContextError QUEUE_FULL."""
        if self.pending >= self._max_pending:
            raise ContextError(
                f"{self._max_pending} jobs are waiting or running already",
                code="QUEUE_FULL",
                hint="Try again later, or raise workers.context.queue.maxPending.",
            )
        key = scope_key(scope)
        line = self._lines.setdefault(key, _Line())
        line.jobs += 1
        try:
            async with line.lock:
                yield
        finally:
            line.jobs -= 1
            if line.jobs == 0:
                del self._lines[key]
