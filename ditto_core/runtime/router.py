"""Which Worker takes a call: by capability, availability, pinning, nearness, turn and free slots."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from contextvars import ContextVar, Token
from typing import TypeAlias

import anyio

from ditto_core.errors import DittoError, NoWorkerAvailableError
from ditto_core.runtime.replica import Replica

_held: ContextVar[tuple[Slot, ...]] = ContextVar("ditto_held_slots", default=())
"""The slots of the calls around this one; waiting for one of them would be waiting for itself.

A task that outlives the call that started it still sees its slot, which by then is given back.
"""

_Key: TypeAlias = tuple[str, str | None]
"""A Node type and the id of the Worker it is pinned to. Calls of one key fit the same replicas."""


class _Waiter:
    """A call in the queue for a slot."""

    __slots__ = ("error", "held", "key", "number", "replica", "woken")

    def __init__(self, key: _Key, number: int, held: tuple[Slot, ...]) -> None:
        self.key = key
        self.number = number
        self.held = held
        self.woken = anyio.Event()
        self.replica: Replica | None = None
        self.error: DittoError | None = None


class Slot:
    """A slot that was taken for a call, as a context manager around the call; it is given back at the end."""

    __slots__ = ("_router", "_token", "replica", "taken")

    def __init__(self, router: Router, replica: Replica) -> None:
        self._router = router
        self.replica = replica
        self.taken = True

    def __enter__(self) -> Replica:
        self._token: Token[tuple[Slot, ...]] = _held.set((self, *_held.get()))
        return self.replica

    def __exit__(self, *_: object) -> None:
        _held.reset(self._token)
        self.taken = False
        self._router.release(self.replica)


class Router:
    """The replicas of one runtime and the calls that wait for their slots, first come first served.

    A call waits only while every replica that fits it is full. So whoever waits for a replica goes before a new call,
    and a slot that becomes free goes to the call that has waited longest among those that fit.
    """

    def __init__(self, host_id: str, process_id: str) -> None:
        self._here = (host_id, process_id)
        self._replicas: dict[str, Replica] = {}
        self._leaving: list[Replica] = []
        self._tiers: dict[_Key, Sequence[Sequence[Replica]]] = {}
        self._turns: dict[_Key, int] = {}
        self._queues: dict[_Key, OrderedDict[int, _Waiter]] = {}
        self._arrivals = 0

    @property
    def replicas(self) -> Sequence[Replica]:
        """Every registered replica, in the order of registration."""
        return tuple(self._replicas.values())

    def knows(self, worker_id: str) -> bool:
        """Whether a Worker is registered under the id."""
        return worker_id in self._replicas

    def add(self, replica: Replica) -> None:
        """Registers; calls that wait may use it at once."""
        self._replicas[replica.address.id] = replica
        self.changed()

    def remove(self, replica: Replica) -> None:
        """Unregisters; calls that wait and that only it could serve fail."""
        replica.registered = False
        del self._replicas[replica.address.id]
        self._leaving.append(replica)
        self.changed()

    def forget(self, replica: Replica) -> None:
        """Lets go of an unregistered replica that is closed."""
        if replica in self._leaving:
            self._leaving.remove(replica)

    def clear(self) -> Sequence[Replica]:
        """Unregisters all; the replicas that have to be closed."""
        for replica in self.replicas:
            self.remove(replica)
        leaving, self._leaving = self._leaving, []
        return leaving

    async def slot(self, node: str, worker_id: str | None = None) -> Slot:
        """A slot of a replica, to be entered at once.

        Waits in order when only capacity is missing. Raises NoWorkerAvailableError at once when no registered,
        available Worker exposes the Node, when the pinned one cannot take it, or when all that could are full and
        called from within.
        """
        key = (node, worker_id)
        replica = self._take(key, _held.get())
        return Slot(self, replica or await self._wait(key))

    def release(self, replica: Replica) -> None:
        """Gives a slot back, to the call that has waited longest for it."""
        replica.give_back()
        if self._queues and replica.available and replica.registered:
            self._serve(replica)

    def changed(self) -> None:
        """Looks at the queue again after an availability or a registration changed."""
        self._tiers.clear()
        waiting = [waiter for queue in self._queues.values() for waiter in queue.values()]
        for waiter in sorted(waiting, key=lambda each: each.number):
            try:
                waiter.replica = self._take(waiter.key, waiter.held)
            except NoWorkerAvailableError as error:
                waiter.error = error
            if waiter.replica is not None or waiter.error is not None:
                self._dequeue(waiter)
                waiter.woken.set()

    async def _wait(self, key: _Key) -> Replica:
        self._arrivals += 1
        waiter = _Waiter(key, self._arrivals, _held.get())
        self._queues.setdefault(key, OrderedDict())[waiter.number] = waiter
        try:
            await waiter.woken.wait()
        except BaseException:
            if waiter.replica is not None:
                self.release(waiter.replica)
            elif waiter.error is None:
                self._dequeue(waiter)
            raise
        if waiter.error is not None:
            raise waiter.error
        assert waiter.replica is not None  # noqa: S101  # woken means served or refused
        return waiter.replica

    def _dequeue(self, waiter: _Waiter) -> None:
        queue = self._queues[waiter.key]
        del queue[waiter.number]
        if not queue:
            del self._queues[waiter.key]

    def _serve(self, replica: Replica) -> None:
        while not replica.full:
            heads = [next(iter(queue.values())) for key, queue in self._queues.items() if _takes(replica, key)]
            if not heads:
                return
            waiter = min(heads, key=lambda each: each.number)
            self._dequeue(waiter)
            replica.active += 1
            waiter.replica = replica
            waiter.woken.set()

    def _take(self, key: _Key, held: tuple[Slot, ...]) -> Replica | None:
        """A slot of the nearest replica that has one; None when waiting can help."""
        tiers = self._tiers.get(key) or self._tiers_of(key)
        for tier in tiers:
            replica = self._next_free(key, tier)
            if replica is not None:
                replica.active += 1
                return replica
        own = {slot.replica for slot in held if slot.taken}
        if any(replica not in own for tier in tiers for replica in tier):
            return None
        raise NoWorkerAvailableError(key[0], self._reasons(key))

    def _next_free(self, key: _Key, tier: Sequence[Replica]) -> Replica | None:
        """Round robin: the search begins behind the one that was found last."""
        if len(tier) == 1:
            return None if tier[0].full else tier[0]
        turn = self._turns.get(key, 0)
        for step in range(len(tier)):
            replica = tier[(turn + step) % len(tier)]
            if not replica.full:
                self._turns[key] = turn + step + 1
                return replica
        return None

    def _tiers_of(self, key: _Key) -> Sequence[Sequence[Replica]]:
        """The available replicas that fit, the nearest ones first."""
        fitting = [each for each in self._replicas.values() if each.available and _takes(each, key)]
        distances = sorted({self._distance(each) for each in fitting})
        tiers = [[each for each in fitting if self._distance(each) == distance] for distance in distances]
        if tiers:
            self._tiers[key] = tiers
        return tiers

    def _reasons(self, key: _Key) -> list[str]:
        node, pinned = key
        if pinned is not None and pinned not in self._replicas:
            return [f"no Worker has the id {pinned!r}"]
        asked: Iterable[Replica] = self._replicas.values() if pinned is None else [self._replicas[pinned]]
        return [f"{replica.address.id} {_ruled_out(replica, node)}" for replica in asked]

    def _distance(self, replica: Replica) -> int:
        """0 in this process, 1 on this host, 2 elsewhere."""
        host, process = self._here
        if replica.address.host_id != host:
            return 2
        return 0 if replica.address.process_id == process else 1


def _takes(replica: Replica, key: _Key) -> bool:
    node, pinned = key
    return node in replica.exposed and (pinned is None or pinned == replica.address.id)


def _ruled_out(replica: Replica, node: str) -> str:
    if node not in replica.exposed:
        return "does not expose it"
    if not replica.available:
        return "is not available"
    return "is full, with slots held by the calls that led here"


def holds_a_slot_of(replica: Replica) -> bool:
    """Whether the code that asks runs on behalf of a call that the replica has accepted."""
    return any(slot.taken and slot.replica is replica for slot in _held.get())
