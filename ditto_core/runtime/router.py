"""Which Worker takes a call: by capability, availability, pinning, nearness, turn and free slots."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar

import anyio

from ditto_core.errors import DittoError, NoWorkerAvailableError
from ditto_core.runtime.replica import Replica

_held: ContextVar[tuple[Replica, ...]] = ContextVar("ditto_held_replicas", default=())
"""The replicas whose slots the calls around this one hold; a call that only they could serve would wait for itself."""


class _Waiter:
    """A call in the queue for a slot."""

    __slots__ = ("error", "holding", "node", "replica", "woken", "worker_id")

    def __init__(self, node: str, worker_id: str | None, holding: tuple[Replica, ...]) -> None:
        self.node = node
        self.worker_id = worker_id
        self.holding = holding
        self.woken = anyio.Event()
        self.replica: Replica | None = None
        self.error: DittoError | None = None


class Router:
    """The replicas of one runtime and the calls that wait for their slots, first come first served."""

    def __init__(self, host_id: str, process_id: str) -> None:
        self._here = (host_id, process_id)
        self._replicas: list[Replica] = []
        self._waiting: list[_Waiter] = []
        self._turn = 0

    @property
    def replicas(self) -> Sequence[Replica]:
        """Every registered replica, in the order of registration."""
        return tuple(self._replicas)

    def add(self, replica: Replica) -> None:
        """Registers; calls that wait may use it at once."""
        self._replicas.append(replica)
        self.changed()

    def remove(self, replica: Replica) -> None:
        """Unregisters; calls that only it could serve fail."""
        if replica in self._replicas:
            self._replicas.remove(replica)
        self.changed()

    @asynccontextmanager
    async def slot(self, node: str, worker_id: str | None = None) -> AsyncIterator[Replica]:
        """A replica with one slot taken for this call, given back at the end.

        Waits in order when only capacity is missing. Raises NoWorkerAvailableError at once when no registered,
        available Worker exposes the Node, when the pinned one cannot take it, or when waiting could not end because
        the calls around this one hold the only slots.
        """
        replica = await self._acquire(node, worker_id)
        token = _held.set((*_held.get(), replica))
        try:
            yield replica
        finally:
            _held.reset(token)
            self._release(replica)

    async def _acquire(self, node: str, worker_id: str | None) -> Replica:
        waiter = _Waiter(node, worker_id, _held.get())
        replica = self._try(waiter)
        if replica is not None:
            return replica
        self._waiting.append(waiter)
        try:
            await waiter.woken.wait()
        except BaseException:
            self._waiting = [other for other in self._waiting if other is not waiter]
            if waiter.replica is not None:
                self._release(waiter.replica)
            raise
        if waiter.error is not None:
            raise waiter.error
        assert waiter.replica is not None  # noqa: S101  # woken means served or refused
        return waiter.replica

    def _release(self, replica: Replica) -> None:
        replica.active -= 1
        self.changed()

    def changed(self) -> None:
        """Looks at the queue again after a slot, an availability or a registration changed."""
        if not self._waiting:
            return
        still: list[_Waiter] = []
        for waiter in self._waiting:
            try:
                waiter.replica = self._try(waiter)
            except NoWorkerAvailableError as error:
                waiter.error = error
            if waiter.replica is None and waiter.error is None:
                still.append(waiter)
            else:
                waiter.woken.set()
        self._waiting = still

    def _try(self, waiter: _Waiter) -> Replica | None:
        fitting, reasons = self._fitting(waiter)
        if not fitting:
            raise NoWorkerAvailableError(waiter.node, reasons)
        free = [replica for replica in fitting if not replica.full]
        if not free:
            return None
        best = min(self._distance(replica) for replica in free)
        nearest = [replica for replica in free if self._distance(replica) == best]
        chosen = nearest[self._turn % len(nearest)]
        self._turn += 1
        chosen.active += 1
        return chosen

    def _fitting(self, waiter: _Waiter) -> tuple[list[Replica], list[str]]:
        fitting: list[Replica] = []
        reasons: list[str] = []
        for replica in self._replicas:
            reason = _ruled_out(replica, waiter)
            if reason is None:
                fitting.append(replica)
            else:
                reasons.append(f"{replica.address.id} {reason}")
        if waiter.worker_id is not None and all(r.address.id != waiter.worker_id for r in self._replicas):
            reasons = [f"no Worker has the id {waiter.worker_id!r}"]
        return fitting, reasons

    def _distance(self, replica: Replica) -> int:
        """0 in this process, 1 on this host, 2 elsewhere."""
        host, process = self._here
        if replica.address.host_id != host:
            return 2
        return 0 if replica.address.process_id == process else 1


def _ruled_out(replica: Replica, waiter: _Waiter) -> str | None:
    if waiter.worker_id is not None and replica.address.id != waiter.worker_id:
        return f"is not the pinned {waiter.worker_id}"
    if waiter.node not in replica.definition.exposed:
        return "does not expose it"
    if not replica.available:
        return "is not available"
    if replica.full and waiter.holding.count(replica) >= replica.active:
        return "is full, and its slots are held by the calls that led here"
    return None


def inside_a_call() -> bool:
    """Whether the code that asks runs on behalf of a call that a Worker has accepted."""
    return bool(_held.get())
