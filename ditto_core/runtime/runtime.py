"""The Runtime: routes calls to Workers and runs graphs over them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType, TracebackType
from typing import Any, Self

import anyio

from ditto_core.contracts.events import Event, Observer, no_observer
from ditto_core.contracts.nodes import NODE_TYPES, NodeType, checked, node_type
from ditto_core.errors import DeadlineError, DependencyError, InvalidInputError, RuntimeClosedError
from ditto_core.runtime.graph import Graph, GraphNode
from ditto_core.runtime.replica import Replica
from ditto_core.runtime.router import Router, inside_a_call
from ditto_core.runtime.scheduler import run_graph
from ditto_core.runtime.services import Providers, Services
from ditto_core.runtime.worker import Execution, WorkerAddress, WorkerContext, WorkerDefinition
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.settings.runtime_config import RuntimeConfig

_GRACE = 5.0
"""Seconds that closing waits for a cancelled handler, and for each Worker's dispose, before it goes on."""


class Ditto:
    """A runtime in this process; use it as an async context manager.

    `services` are what Workers see: the configuration (library defaults), a sandbox (denies everything) and the model
    providers. `events` takes every event of every run, synchronously. `node_types` adds contracts for Nodes of the
    application's own.
    """

    def __init__(  # noqa: PLR0913  # keyword-only, and each is one thing an application injects
        self,
        *,
        config: RuntimeConfig | None = None,
        providers: Providers | None = None,
        sandbox: Sandbox | None = None,
        workers: Sequence[WorkerDefinition] = (),
        host_id: str = "local",
        process_id: str | None = None,
        events: Observer | None = None,
        node_types: Mapping[str, NodeType] | None = None,
    ) -> None:
        self.services = Services(config or RuntimeConfig(), sandbox or Sandbox("."), providers)
        self._host_id = host_id
        self._process_id = process_id or f"p{os.getpid()}"
        self._router = Router(self._host_id, self._process_id)
        self._observer = events or no_observer
        self._types = {**NODE_TYPES, **(node_types or {})}
        self._closing = False
        self._accepted: set[anyio.CancelScope] = set()
        self._idle = anyio.Event()
        for worker in workers:
            self.register(worker)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close(timeout=0 if kind else 5)

    def register(self, worker: WorkerDefinition, id: str | None = None) -> WorkerAddress:  # noqa: A002  # the field's word
        """Adds a Worker under `id` (its type and a number otherwise). Raises InvalidInputError for a taken id."""
        if self._closing:
            raise RuntimeClosedError("the runtime is closing and takes no Worker")
        taken = {replica.address.id for replica in self._router.replicas}
        name = id or next(
            candidate for n in range(1, len(taken) + 2) if (candidate := f"{worker.type.lower()}-{n}") not in taken
        )
        if name in taken:
            raise InvalidInputError(f"a Worker with the id {name!r} is registered already", path="id")
        for node in worker.nodes:
            node_type(self._types, node)
        address = WorkerAddress(name, worker.type, self._host_id, self._process_id)
        self._router.add(Replica(worker, address, self.services))
        return address

    def observe(self, event: Event) -> None:
        """Tells whoever watches the run."""
        self._observer(event)

    async def invoke(self, node: str, input: Any, worker_id: str | None = None, timeout: float | None = None) -> Any:  # noqa: A002, ASYNC109  # the field's words
        """One Node on one Worker: the checked output.

        `timeout` is in seconds. Raises UnknownNodeError, InvalidInputError, NoWorkerAvailableError, DeadlineError,
        RuntimeClosedError and what the handler raises.
        """
        with self._accept(timeout, f"{node} took longer than {timeout} s"):
            run_id = _new_id()
            return await self._dispatch(node, input, worker_id, Execution(run_id, run_id))

    async def run(
        self,
        graph: Graph,
        input: Any,  # noqa: A002  # the field's word
        *,
        workers: Mapping[str, str] | None = None,
        concurrency: int | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  # the public contract; a cancel scope inside
    ) -> Mapping[str, Any]:
        """Runs a graph; the outputs by node id, read-only.

        `workers` pins node ids to Worker ids, `concurrency` bounds the nodes under way (default
        `runtime.graphConcurrency`), `timeout` is in seconds. On an exception no further node starts, the started ones
        finish, and the first exception is raised as itself.
        """
        pins = workers or {}
        with self._accept(timeout, f"graph {graph.name} took longer than {timeout} s"):
            run_id = _new_id()

            async def call(node: GraphNode, value: Any) -> Any:
                execution = Execution(f"{run_id}/{node.id}", run_id, graph.name, node.id)
                return await self._dispatch(node.type, value, pins.get(node.id), execution)

            limit = concurrency or self.services.config.settings.runtime.graph_concurrency
            return MappingProxyType(await run_graph(graph, input, call, limit))

    async def run_within(self, graph: Graph, input: Any, replica: Replica) -> Mapping[str, Any]:  # noqa: A002  # the field's word
        """`WorkerContext.run`: nodes that `replica` implements run on it, in the slot its caller holds."""
        run_id = _new_id()

        async def call(node: GraphNode, value: Any) -> Any:
            execution = Execution(f"{run_id}/{node.id}", run_id, graph.name, node.id)
            if node.type in replica.definition.nodes:
                return await self._handle(node.type, value, replica, execution)
            return await self._dispatch(node.type, value, None, execution)

        limit = self.services.config.settings.runtime.graph_concurrency
        return MappingProxyType(await run_graph(graph, input, call, limit))

    async def close(self, timeout: float = 5) -> None:  # noqa: ASYNC109  # the public contract
        """Refuses new work, lets accepted work finish for `timeout` seconds, cancels the rest, disposes the Workers."""
        self._closing = True
        with anyio.CancelScope(shield=True):
            with anyio.move_on_after(timeout):
                while self._accepted:
                    await self._idle.wait()
            for scope in tuple(self._accepted):
                scope.cancel()
            with anyio.move_on_after(_GRACE):
                while self._accepted:
                    await self._idle.wait()
            for replica in self._router.replicas:
                with anyio.move_on_after(_GRACE):
                    await replica.dispose()
                self._router.remove(replica)

    @contextmanager
    def _accept(self, timeout: float | None, late: str) -> Iterator[None]:
        """Counts a call as accepted work, under its deadline. Calls made by accepted work pass while closing."""
        if self._closing and not inside_a_call():
            raise RuntimeClosedError("the runtime is closing and takes no new work")
        if timeout is not None and not timeout >= 0:
            raise InvalidInputError("must be a number of seconds, 0 or more", path="timeout")
        scope = anyio.move_on_after(timeout)
        with scope:
            self._accepted.add(scope)
            try:
                yield
            finally:
                self._accepted.discard(scope)
                if not self._accepted:
                    self._idle.set()
                    self._idle = anyio.Event()
        if scope.cancelled_caught:
            if self._closing and not _passed(scope):
                raise RuntimeClosedError("the runtime was closed while this call was under way")
            raise DeadlineError(late)

    async def _dispatch(self, node: str, value: Any, worker_id: str | None, execution: Execution) -> Any:
        value = checked(node_type(self._types, node).input, value, node)
        async with self._router.slot(node, worker_id) as replica:
            return await self._handle(node, value, replica, execution)

    async def _handle(self, node: str, value: Any, replica: Replica, execution: Execution) -> Any:
        contract = node_type(self._types, node)
        context = WorkerContext(
            services=replica.services,
            resources=await replica.resources(),
            worker=replica.address,
            execution=execution,
            observed=self._observer is not no_observer,
            _caller=self,
            _replica=replica,
        )
        output = await replica.definition.nodes[node](checked(contract.input, value, node), context)
        try:
            return checked(contract.output, output, node)
        except InvalidInputError as error:
            raise DependencyError(f"{replica.address.id} broke the contract of {error.message}") from error


def _passed(scope: anyio.CancelScope) -> bool:
    return anyio.current_time() >= scope.deadline


def _new_id() -> str:
    """16 hexadecimal digits, random."""
    return os.urandom(8).hex()
