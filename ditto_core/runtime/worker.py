"""A Worker implements Nodes and owns what they need."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import anyio

from ditto_core.contracts.events import Event, Observer, no_observer
from ditto_core.errors import DeadlineError, InvalidInputError
from ditto_core.runtime.count import check_count
from ditto_core.runtime.graph import Graph
from ditto_core.runtime.services import Services

if TYPE_CHECKING:
    from ditto_core.contracts.worker_event import WorkerEvent


class WorkerAddress(NamedTuple):
    """Where a Worker is: its id, its type, and the host and process it lives in."""

    id: str
    type: str
    host_id: str
    process_id: str


class Execution(NamedTuple):
    """Which call this is. `id` is unique for the call; a graph run shares `run_id` among its nodes."""

    id: str
    run_id: str
    graph_id: str | None = None
    node_id: str | None = None


class Caller(Protocol):
    """The part of a runtime that a WorkerContext speaks through."""

    @property
    def observer(self) -> Observer:
        """Takes the events of the run."""
        ...

    async def invoke(self, node: str, input: Any, worker_id: str | None, timeout: float | None) -> Any:  # noqa: A002, ASYNC109  # the field's words
        """Request and response."""
        ...

    async def run_within(self, graph: Graph, input: Any, replica: Any) -> Mapping[str, Any]:  # noqa: A002  # as above
        """A graph whose nodes prefer this replica, without another slot."""
        ...

    async def emit(self, event: Any, source: str) -> None:
        """An event for whoever subscribed to its type."""
        ...


class WorkerContext:
    """What a handler gets beside its input."""

    __slots__ = ("_caller", "_execution", "_replica", "_resources", "_services")

    def __init__(self, services: Services, resources: Any, replica: Any, execution: Execution, caller: Caller) -> None:
        self._services = services
        self._resources = resources
        self._replica = replica
        self._execution = execution
        self._caller = caller

    @property
    def services(self) -> Services:
        """Configuration, sandbox and providers of this Worker."""
        return self._services

    @property
    def resources(self) -> Any:
        """What `define_worker(resources=...)` made for this replica; None without."""
        return self._resources

    @property
    def worker(self) -> WorkerAddress:
        """Who handles the call."""
        address: WorkerAddress = self._replica.address
        return address

    @property
    def execution(self) -> Execution:
        """Which call this is."""
        return self._execution

    @property
    def observed(self) -> bool:
        """Whether anybody watches the run."""
        return self._caller.observer is not no_observer

    async def invoke(self, node: str, input: Any, worker_id: str | None = None, timeout: float | None = None) -> Any:  # noqa: A002, ASYNC109  # the field's words
        """Calls a Node through the runtime, as `Ditto.invoke` does. The caller's deadline goes on counting."""
        return await self._caller.invoke(node, input, worker_id, timeout)

    async def run(self, graph: Graph, input: Any, *, timeout: float | None = None) -> Mapping[str, Any]:  # noqa: A002, ASYNC109  # as above
        """Runs a graph; nodes that this Worker implements, exposed or not, run here without another slot."""
        if timeout is None:
            return await self._caller.run_within(graph, input, self._replica)
        with anyio.move_on_after(timeout):
            return await self._caller.run_within(graph, input, self._replica)
        raise DeadlineError(f"graph {graph.name} took longer than {timeout} s")

    async def emit(self, event: WorkerEvent | Mapping[str, Any]) -> None:
        """Emits to the subscribers, as `Ditto.emit` does. An event without a source gets the id of this Worker."""
        await self._caller.emit(event, self._replica.address.id)

    def observe(self, event: Event) -> None:
        """Tells whoever watches the run. `observed` says whether anybody does."""
        self._caller.observer(event)


Handler: TypeAlias = Callable[[Any, WorkerContext], Awaitable[Any]]
MakeResources: TypeAlias = Callable[[Services], Any]
Dispose: TypeAlias = Callable[[Any], Any]


class WorkerDefinition(NamedTuple):
    """What `define_worker` made. Registering it twice makes two replicas, each with its own resources."""

    type: str
    nodes: Mapping[str, Handler]
    exposed: frozenset[str]
    resources: MakeResources | None
    dispose: Dispose | None
    concurrency: int | None


def define_worker(
    *,
    type: str,  # noqa: A002  # the field's word
    nodes: Mapping[str, Handler],
    resources: MakeResources | None = None,
    dispose: Dispose | None = None,
    expose: Sequence[str] | None = None,
    concurrency: int | None = None,
) -> WorkerDefinition:
    """A Worker: handlers by Node type, `async handler(input, ctx) -> output`.

    `resources(services)` makes what the handlers share, once per replica and on first use; `dispose(resources)` closes
    it when the replica goes; both may be async. `expose` narrows what others may call. `concurrency` is the number of
    calls one replica takes at once. Raises InvalidInputError.
    """
    if not type.strip() or not nodes:
        raise InvalidInputError("a Worker needs a type and at least one Node", path="define_worker")
    for name, handler in nodes.items():
        _check_handler(name, handler)
    check_count(concurrency, "concurrency")
    exposed = frozenset(nodes if expose is None else expose)
    if unknown := sorted(exposed - set(nodes)):
        raise InvalidInputError(f"{unknown[0]} is exposed but has no handler", path="expose")
    return WorkerDefinition(type, dict(nodes), exposed, resources, dispose, concurrency)


def _check_handler(name: str, handler: object) -> None:
    """What a type checker would have said."""
    if not callable(handler):
        raise InvalidInputError(f"the handler of {name} cannot be called", path="nodes")
