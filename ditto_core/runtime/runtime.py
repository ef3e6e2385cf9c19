"""The Runtime: routes calls to Workers and runs graphs over them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from ditto_core.contracts.events import Event, Observer, Warned, no_observer
from ditto_core.contracts.nodes import NODE_TYPES, NodeType, node_type
from ditto_core.errors import InvalidInputError, RuntimeClosedError
from ditto_core.nearest import did_you_mean
from ditto_core.runtime.bus import Bus, Subscriber
from ditto_core.runtime.calls import Calls
from ditto_core.runtime.count import check_count
from ditto_core.runtime.graph import Graph
from ditto_core.runtime.intake import Intake
from ditto_core.runtime.local_replica import LocalReplica
from ditto_core.runtime.registration import Registration
from ditto_core.runtime.replica import Replica
from ditto_core.runtime.router import Router
from ditto_core.runtime.services import Providers, Services
from ditto_core.runtime.shutdown import Shutdown
from ditto_core.runtime.worker import WorkerAddress, WorkerDefinition
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.settings.runtime_config import RuntimeConfig

if TYPE_CHECKING:
    from ditto_core.contracts.worker_event import WorkerEvent
    from ditto_core.runtime.loop import Loop
    from ditto_core.runtime.remote import Transport
    from ditto_core.runtime.snapshot import WorkerSnapshot

S = TypeVar("S")
_NO_PINS: Mapping[str, str] = {}


class Ditto:
    """A runtime in this process; use it as an async context manager.

    `services` are what Workers see: the configuration (library defaults), a sandbox (denies everything) and the model
    providers. `events` takes every event of every run, synchronously. `node_types` adds contracts for Nodes of the
    application's own. `host_id` and `process_id` say where this is, so that the router knows which Workers are near.
    `transports` carry calls to remote Workers; Ditto ships none.

    Leaving `async with` closes it: after the block's normal end accepted work has 5 seconds to finish, after an error
    or a cancellation none. Without `async with`, call `close`.
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
        transports: Sequence[Transport] = (),
        events: Observer | None = None,
        node_types: Mapping[str, NodeType] | None = None,
    ) -> None:
        self.services = Services(config or RuntimeConfig(), sandbox or Sandbox("."), providers)
        self._limits = self.services.config.settings.runtime
        self._place = (host_id, process_id or f"p{os.getpid()}")
        self._observer = events or no_observer
        self._types = {**NODE_TYPES, **(node_types or {})}
        self._transports = _by_id(transports)
        self._intake = Intake()
        self._router = Router(*self._place)
        self._bus = Bus(self._intake, self._warn)
        self._calls = Calls(
            types=self._types,
            router=self._router,
            intake=self._intake,
            bus=self._bus,
            observer=self._observer,
            concurrency=self._limits.graph_concurrency,
        )
        self._shutdown = Shutdown(self._intake, self._router, self._bus, self._warn)
        for worker in workers:
            self.register(worker)

    async def __aenter__(self) -> Self:
        self._intake.check()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            await self.close()
        else:
            await self._shutdown.close(0)  # what it returns was a warning already, and must not replace this error

    def register(
        self,
        worker: WorkerDefinition,
        id: str | None = None,  # noqa: A002  # the field's word
        services: Services | None = None,
    ) -> Registration:
        """Adds a Worker under `id` (its type and a number otherwise); `services` instead of those of the runtime.

        Raises InvalidInputError for an id that is blank or taken, UnknownNodeError and RuntimeClosedError.
        """
        name = self._free_id(worker.type) if id is None else id
        address = WorkerAddress(name, worker.type, *self._place)
        return self._add(LocalReplica(worker, address, services or self.services), worker.nodes)

    def register_remote(
        self, address: WorkerAddress, capabilities: Sequence[str], transport_id: str, concurrency: int | None = None
    ) -> Registration:
        """Adds a Worker of another process: calls of the Nodes in `capabilities` go through the transport.

        Nearer Workers come first. Cancelling a call, or closing, ends the wait here, not the work there. Raises like
        `register`, and InvalidInputError for a transport that was not given to the constructor.
        """
        from ditto_core.runtime.remote import RemoteReplica

        transport = self._transports.get(transport_id)
        if transport is None:
            hint = did_you_mean(transport_id, self._transports) or "Pass it to Ditto(transports=[...])."
            raise InvalidInputError(f"no transport has the id {transport_id!r}", path="transport_id", hint=hint)
        check_count(concurrency, "concurrency")
        replica = RemoteReplica(
            address=address,
            capabilities=capabilities,
            transport=transport,
            concurrency=concurrency,
            types=self._types,
        )
        return self._add(replica, capabilities)

    def workers(self) -> tuple[WorkerSnapshot, ...]:
        """The registered Workers as they are now, in the order of registration."""
        from ditto_core.runtime.snapshot import snapshot_of

        return tuple(snapshot_of(replica) for replica in self._router.replicas)

    def observe(self, event: Event) -> None:
        """Tells whoever watches the run."""
        self._observer(event)

    async def invoke(self, node: str, input: Any, worker_id: str | None = None, timeout: float | None = None) -> Any:  # noqa: A002, ASYNC109  # the field's words
        """One Node on one Worker: the checked, read-only output.

        `worker_id` pins the Worker; no other takes the call then. `timeout` is in seconds, waiting for a slot included.
        Raises UnknownNodeError, InvalidInputError, NoWorkerAvailableError, DependencyError (an output that breaks the
        contract), DeadlineError, RuntimeClosedError and what the handler raises.
        """
        return await self._calls.invoke(node, input, worker_id, timeout)

    async def emit(self, event: WorkerEvent | Mapping[str, Any]) -> None:
        """Accepts an event for the subscribers of its type; they handle it in the background, each in order.

        Returns once it is accepted, also when nobody subscribed. While 1,024 events wait for a subscriber of the type,
        it waits for room first. Raises InvalidInputError, RuntimeClosedError, and SelfWaitError in a subscriber that
        would have to wait for room.
        """
        await self._calls.emit(event, None)

    def subscribe(self, type: str, fn: Subscriber) -> Callable[[], None]:  # noqa: A002  # the field's word
        """Calls `fn(event)`, async or not, for every event of exactly this type that is emitted from now on.

        A subscriber gets one event after another; it does not hold up others. What it raises becomes a `warning` event
        of the run. The result unsubscribes: events that still wait for `fn` are forgotten; calling it again has no
        effect. Raises InvalidInputError and RuntimeClosedError.
        """
        return self._bus.subscribe(type, fn)

    async def drain_events(self) -> None:
        """Waits until every accepted event was handled, those included that subscribers emit meanwhile.

        Raises SelfWaitError in a subscriber.
        """
        await self._bus.drain()

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
        finish, and the first exception is raised as itself. Raises like `invoke`.
        """
        pins = workers or _NO_PINS
        if unknown := [name for name in pins if not graph.has(name)]:
            hint = did_you_mean(unknown[0], [node.id for node in graph.nodes])
            raise InvalidInputError(f"graph {graph.name} has no node {unknown[0]!r}", path="workers", hint=hint)
        with self._intake.accept(f"graph {graph.name}", timeout):
            return await self._calls.run(graph, input, pins, concurrency)

    async def loop(
        self,
        definition: Loop[S],
        state: S,
        *,
        workers: Mapping[str, str] | None = None,
        concurrency: int | None = None,
        timeout: float | None = None,  # noqa: ASYNC109  # as in run
    ) -> S:
        """Runs rounds of graphs until the state is done; the last state, as `update` made it.

        The other arguments are those of `run`; `timeout` is for all rounds together, and pins of nodes that a round's
        graph lacks have no effect. Raises LoopLimitError, which carries the last state, after `max_iterations` rounds,
        else `runtime.loopMaxIterations`, and what `run` and the functions of the definition raise.
        """
        from ditto_core.runtime.loop import run_loop

        pins = workers or _NO_PINS

        async def run(graph: Graph, input: Any) -> Mapping[str, Any]:  # noqa: A002  # the field's word
            return await self._calls.run(graph, input, pins, concurrency)

        with self._intake.accept("the loop", timeout):
            return await run_loop(definition, state, run, self._limits.loop_max_iterations)

    async def close(self, timeout: float = 5) -> None:  # noqa: ASYNC109  # the public contract
        """Refuses new work, lets accepted work finish for `timeout` seconds, cancels the rest, disposes the Workers.

        Events are accepted work, too; what is cancelled of them is a `warning` event. Cancelled work and then the
        disposals have 5 seconds each. Calling it again or at the same time shares the outcome, and the shortest time;
        being cancelled cuts the waiting short, nothing else. A dispose that fails keeps no other from running: it is a
        `warning` event, and the first such error is raised in the end. Raises SelfWaitError inside of a call.
        """
        if not timeout >= 0:
            raise InvalidInputError("must be a number of seconds, 0 or more", path="timeout")
        error = await self._shutdown.close(timeout)
        if error is not None:
            raise error

    def _add(self, replica: Replica, nodes: Collection[str]) -> Registration:
        if self._intake.closing:
            raise RuntimeClosedError("the runtime is closing and takes no Worker")
        name = replica.address.id
        if not name.strip():
            raise InvalidInputError("a Worker needs an id that is not blank", path="id")
        if self._router.knows(name):
            raise InvalidInputError(f"a Worker with the id {name!r} is registered already", path="id")
        for node in nodes:
            node_type(self._types, node)
        self._router.add(replica)
        return Registration(self._router, replica)

    def _free_id(self, type: str) -> str:  # noqa: A002  # the field's word
        numbered = (f"{type.lower()}-{number}" for number in itertools.count(1))
        return next(name for name in numbered if not self._router.knows(name))

    def _warn(self, message: str) -> None:
        with suppress(Exception):  # an observer that breaks must not keep the runtime from closing
            self._observer(Warned(message=message))


def _by_id(transports: Sequence[Transport]) -> Mapping[str, Transport]:
    """The transports by their ids, which are not blank and taken once."""
    found: dict[str, Transport] = {}
    for transport in transports:
        if not transport.id.strip() or transport.id in found:
            raise InvalidInputError(f"the id {transport.id!r} is blank or taken", path="transports")
        found[transport.id] = transport
    return found
