"""A Worker in this process: its handlers and its resources."""

from __future__ import annotations

import inspect
from typing import Any

import anyio

from ditto_core.errors import RuntimeClosedError
from ditto_core.runtime.foreign import called
from ditto_core.runtime.replica import Replica
from ditto_core.runtime.services import Services
from ditto_core.runtime.worker import Caller, Execution, WorkerAddress, WorkerContext, WorkerDefinition


class LocalReplica(Replica):
    """Makes the resources with the first call that needs them; a failed attempt is tried again by the next."""

    __slots__ = ("_definition", "_disposed", "_lock", "_made", "_resources", "_services")

    def __init__(self, definition: WorkerDefinition, address: WorkerAddress, services: Services) -> None:
        super().__init__(address, definition.exposed, definition.concurrency)
        self._definition = definition
        self._services = services
        self._made = definition.resources is None
        self._disposed = False
        self._resources: Any = None
        self._lock: anyio.Lock | None = None

    def implements(self, node: str) -> bool:
        """Whether it has a handler, exposed or not."""
        return node in self._definition.nodes

    async def handle(self, node: str, value: Any, execution: Execution, caller: Caller) -> Any:
        """What the handler returns; what it raises ends this call only."""
        resources = self._resources if self._made else await self._make()
        context = WorkerContext(self._services, resources, self, execution, caller)
        return await called(self.address.id, self._definition.nodes[node](value, context))

    async def _make(self) -> Any:
        """Of several first calls one makes them."""
        self._lock = self._lock or anyio.Lock()
        async with self._lock:
            if self._disposed:
                raise RuntimeClosedError(f"{self.address.id} is closed")
            if self._definition.resources is not None and not self._made:
                self._resources = await _awaited(self._definition.resources(self._services))
                self._made = True
        return self._resources

    async def dispose(self) -> None:
        """Closes the resources if they were made; they are not made again."""
        self._lock = self._lock or anyio.Lock()
        async with self._lock:
            resources, made = self._resources, self._made
            self._made, self._disposed, self._resources = self._definition.resources is None, True, None
            if made and resources is not None and self._definition.dispose is not None:
                await _awaited(self._definition.dispose(resources))


async def _awaited(value: Any) -> Any:
    return await value if inspect.isawaitable(value) else value
