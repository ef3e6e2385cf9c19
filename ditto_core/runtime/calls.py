"""How a call gets from its caller to a Worker and back: contract, router, handler, contract."""

from __future__ import annotations

import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import anyio.lowlevel

from ditto_core.contracts.events import Observer
from ditto_core.contracts.nodes import NodeType, checked, node_type
from ditto_core.errors import DependencyError, InvalidInputError
from ditto_core.runtime.bus import Bus
from ditto_core.runtime.graph import Graph, GraphNode
from ditto_core.runtime.intake import Intake
from ditto_core.runtime.replica import Replica
from ditto_core.runtime.router import Router
from ditto_core.runtime.scheduler import run_graph
from ditto_core.runtime.worker import Execution

if TYPE_CHECKING:
    from ditto_core.contracts.worker_event import WorkerEvent


class Calls:
    """The calls of one runtime. WorkerContexts speak through it."""

    def __init__(
        self,
        *,
        types: Mapping[str, NodeType],
        router: Router,
        intake: Intake,
        bus: Bus,
        observer: Observer,
        concurrency: int | None,
    ) -> None:
        self._types = types
        self._router = router
        self._intake = intake
        self._bus = bus
        self.observer = observer
        self._concurrency = concurrency

    async def invoke(self, node: str, input: Any, worker_id: str | None, timeout: float | None) -> Any:  # noqa: A002, ASYNC109  # the field's words
        """`Ditto.invoke`."""
        with self._intake.accept(node, timeout):
            await anyio.lowlevel.checkpoint()
            run_id = _new_id()
            return await self._route(node, input, worker_id, Execution(run_id, run_id))

    async def run(
        self,
        graph: Graph,
        input: Any,  # noqa: A002  # as above
        pins: Mapping[str, str],
        concurrency: int | None,
    ) -> Mapping[str, Any]:
        """One run of a graph, as part of work that was accepted."""
        run_id = _new_id()

        async def call(node: GraphNode, value: Any) -> Any:
            execution = Execution(f"{run_id}/{node.id}", run_id, graph.name, node.id)
            return await self._route(node.type, value, pins.get(node.id), execution)

        limit = self._concurrency if concurrency is None else concurrency
        return MappingProxyType(await run_graph(graph, input, call, limit))

    async def run_within(self, graph: Graph, input: Any, replica: Replica) -> Mapping[str, Any]:  # noqa: A002  # as above
        """`WorkerContext.run`: nodes that `replica` implements run on it, in the slot that its caller holds."""
        run_id = _new_id()

        async def call(node: GraphNode, value: Any) -> Any:
            execution = Execution(f"{run_id}/{node.id}", run_id, graph.name, node.id)
            if not replica.implements(node.type):
                return await self._route(node.type, value, None, execution)
            value = checked(node_type(self._types, node.type).input, value, node.type)
            return await self._handle(node.type, value, replica, execution)

        return MappingProxyType(await run_graph(graph, input, call, self._concurrency))

    async def emit(self, event: WorkerEvent | Mapping[str, Any], source: str | None) -> None:
        """`Ditto.emit`, with a source for an event that has none."""
        await self._bus.emit(event, source)

    async def _route(self, node: str, value: Any, worker_id: str | None, execution: Execution) -> Any:
        contract = node_type(self._types, node)
        value = checked(contract.input, value, node)
        with await self._router.slot(node, worker_id) as replica:
            return await self._handle(node, value, replica, execution)

    async def _handle(self, node: str, value: Any, replica: Replica, execution: Execution) -> Any:
        output = await replica.handle(node, value, execution, self)
        try:
            return checked(node_type(self._types, node).output, output, node)
        except InvalidInputError as error:
            raise DependencyError(f"{replica.address.id} broke the contract of {error.message}") from error


def _new_id() -> str:
    """16 hexadecimal digits, random."""
    return os.urandom(8).hex()
