"""One registered Worker, as the router sees it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection
from typing import Any

import anyio

from ditto_core.errors import DeadlineError
from ditto_core.runtime.once import Once
from ditto_core.runtime.worker import Caller, Execution, WorkerAddress

GRACE = 5.0
"""Seconds that closing waits for what was cancelled, and for each Worker's dispose, before it goes on."""


class Replica(ABC):
    """A Worker's slots and availability. `exposed` are the Nodes it takes; `concurrency` None takes any number."""

    __slots__ = ("_closing", "_idle", "active", "address", "available", "concurrency", "exposed", "registered")

    def __init__(self, address: WorkerAddress, exposed: Collection[str], concurrency: int | None) -> None:
        self.address = address
        self.exposed = frozenset(exposed)
        self.concurrency = concurrency
        self.active = 0
        self.available = True
        self.registered = True
        self._idle: anyio.Event | None = None
        self._closing = Once(self._dispose_in_time)

    @property
    def full(self) -> bool:
        """Whether every slot is taken."""
        return self.concurrency is not None and self.active >= self.concurrency

    def give_back(self) -> None:
        """Frees a slot."""
        self.active -= 1
        if self._idle is not None and self.active == 0:
            self._idle.set()
            self._idle = None

    async def idle(self) -> None:
        """Waits until no call is under way."""
        while self.active:
            self._idle = self._idle or anyio.Event()
            await self._idle.wait()

    async def close(self) -> Exception | None:
        """Disposes of what the Worker holds, once, within GRACE, whatever happens to the caller: the shared outcome."""
        return await self._closing.outcome()

    async def _dispose_in_time(self) -> None:
        with anyio.move_on_after(GRACE, shield=True) as scope:
            await self.dispose()
        if scope.cancelled_caught:
            raise DeadlineError(f"{self.address.id} was not disposed of within {GRACE:g} s")

    @abstractmethod
    def implements(self, node: str) -> bool:
        """Whether it can handle the Node, exposed or not."""

    @abstractmethod
    async def handle(self, node: str, value: Any, execution: Execution, caller: Caller) -> Any:
        """The output, unchecked, for an input that was checked. Its caller holds a slot."""

    @abstractmethod
    async def dispose(self) -> None:
        """Closes what it owns."""
