"""One registered Worker: its slots, its availability, its resources."""

from __future__ import annotations

import inspect
from typing import Any

import anyio

from ditto_core.runtime.services import Services
from ditto_core.runtime.worker import WorkerAddress, WorkerDefinition


class Replica:
    """A Worker in this process."""

    __slots__ = ("_lock", "_made", "_resources", "active", "address", "available", "definition", "services")

    def __init__(self, definition: WorkerDefinition, address: WorkerAddress, services: Services) -> None:
        self.definition = definition
        self.address = address
        self.services = services
        self.available = True
        self.active = 0
        self._made = definition.resources is None
        self._resources: Any = None
        self._lock: anyio.Lock | None = None

    @property
    def full(self) -> bool:
        """Whether every slot is taken."""
        limit = self.definition.concurrency
        return limit is not None and self.active >= limit

    async def resources(self) -> Any:
        """What the handlers share, made by the first call that needs it. A failed attempt is tried again."""
        if self._made:
            return self._resources
        self._lock = self._lock or anyio.Lock()
        async with self._lock:
            await self._make()
        return self._resources

    async def _make(self) -> None:
        """Runs under the lock: of several first calls one makes them."""
        if self.definition.resources is not None and not self._made:
            self._resources = await _awaited(self.definition.resources(self.services))
            self._made = True

    async def dispose(self) -> None:
        """Closes the resources, once, if they were made."""
        resources, made = self._resources, self._made
        self._made, self._resources = True, None
        if made and resources is not None and self.definition.dispose is not None:
            await _awaited(self.definition.dispose(resources))


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
