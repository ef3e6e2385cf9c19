"""The end of a runtime."""

from __future__ import annotations

import math
from collections.abc import Callable

import anyio

from ditto_core.errors import SelfWaitError
from ditto_core.runtime.bus import Bus
from ditto_core.runtime.failure import failure_text
from ditto_core.runtime.intake import Intake
from ditto_core.runtime.once import Once
from ditto_core.runtime.replica import GRACE, Replica
from ditto_core.runtime.router import Router


class Shutdown:
    """Refuses new work, drains what was accepted, cancels the rest, disposes of the Workers: once, for all who ask.

    Only draining can be cut short, by a caller with less time or by one that is cancelled. From then on it is shielded,
    and bounded by GRACE for what was cancelled and GRACE for the disposals, which run side by side.
    """

    def __init__(self, intake: Intake, router: Router, bus: Bus, warn: Callable[[str], None]) -> None:
        self._intake = intake
        self._router = router
        self._bus = bus
        self._warn = warn
        self._once = Once(self._close)
        self._draining: anyio.CancelScope | None = None
        self._deadline = math.inf
        self._error: Exception | None = None

    async def close(self, timeout: float) -> Exception | None:  # noqa: ASYNC109  # the public contract
        """The first error of a dispose, or None. Every one of them is a warning as well."""
        if self._intake.within():
            raise SelfWaitError("what runs in a runtime cannot close it: it would wait for its own end")
        self._intake.closing = True
        self._hasten(anyio.current_time() + timeout)
        try:
            unexpected = await self._once.outcome()
        except anyio.get_cancelled_exc_class():
            self._hasten(-math.inf)
            with anyio.CancelScope(shield=True):
                await self._once.outcome()
            raise
        return self._error or unexpected

    def _hasten(self, deadline: float) -> None:
        self._deadline = min(self._deadline, deadline)
        if self._draining is not None:
            self._draining.deadline = self._deadline

    async def _close(self) -> None:
        try:
            with anyio.CancelScope(deadline=self._deadline) as self._draining:
                await self._drain()
        finally:
            with anyio.CancelScope(shield=True):
                await self._end()

    async def _drain(self) -> None:
        while self._intake.open or self._bus.pending:
            await self._intake.drain()
            await self._bus.drain()

    async def _end(self) -> None:
        self._intake.cut()
        with anyio.move_on_after(GRACE):
            await self._drain()
        if self._intake.open:
            self._warn(f"{len(self._intake.open)} calls did not end within {GRACE:g} s of being cancelled")
        failed: list[tuple[Replica, Exception]] = []
        async with anyio.create_task_group() as tasks:
            for replica in self._router.clear():
                tasks.start_soon(_dispose, replica, failed)
        for replica, error in failed:
            self._error = self._error or error
            self._warn(f"closing {replica.address.id} failed: {failure_text(error)}")


async def _dispose(replica: Replica, failed: list[tuple[Replica, Exception]]) -> None:
    error = await replica.close()
    if error is not None:
        failed.append((replica, error))
