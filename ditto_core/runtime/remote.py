"""A Worker in another process: a seam. Ditto ships no transport; an application may install its own."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple, Protocol

from ditto_core.contracts.contract import Contract
from ditto_core.contracts.json import freeze_json
from ditto_core.contracts.nodes import NodeType, checked, node_type
from ditto_core.errors import DependencyError, InvalidInputError
from ditto_core.runtime.replica import Replica
from ditto_core.runtime.worker import Caller, Execution, WorkerAddress


class Envelope(NamedTuple):
    """A call on its way: for whom, which Node, its input as read-only JSON, and which call it is.

    It never holds services, resources or credentials; the far side has its own.
    """

    worker: WorkerAddress
    node: str
    input: Any
    execution: Execution

    def to_wire(self) -> dict[str, Any]:
        """The envelope as JSON-compatible Python, with camelCase keys."""
        worker, execution = self.worker, self.execution
        return {
            "worker": {
                "id": worker.id,
                "type": worker.type,
                "hostId": worker.host_id,
                "processId": worker.process_id,
            },
            "node": self.node,
            "input": self.input,
            "execution": {
                "id": execution.id,
                "runId": execution.run_id,
                "graphId": execution.graph_id,
                "nodeId": execution.node_id,
            },
        }


class Transport(Protocol):
    """Carries envelopes to other processes. Whoever opened it closes it."""

    @property
    def id(self) -> str:
        """What `register_remote` names."""
        ...

    async def send(self, envelope: Envelope) -> Any:
        """The output as JSON. A DittoError goes to the caller as it is; a far side that is lost is a DependencyError.

        Being cancelled ends the wait of the caller; the work on the far side need not stop.
        """
        ...


class RemoteReplica(Replica):
    """The near end of a remote Worker."""

    __slots__ = ("_transport", "_types")

    def __init__(
        self,
        *,
        address: WorkerAddress,
        capabilities: Collection[str],
        transport: Transport,
        concurrency: int | None,
        types: Mapping[str, NodeType],
    ) -> None:
        super().__init__(address, capabilities, concurrency)
        self._transport = transport
        self._types = types

    def implements(self, node: str) -> bool:
        """Whether it takes the Node; what it does not expose is not known here."""
        return node in self.exposed

    async def handle(self, node: str, value: Any, execution: Execution, caller: Caller) -> Any:
        """What the far side answers, read as its contract says. Raises DependencyError for an answer that is none."""
        wire = value.to_wire() if isinstance(value, Contract) else value
        answer = await self._transport.send(Envelope(self.address, node, freeze_json(wire), execution))
        output = node_type(self._types, node).output
        try:
            if isinstance(output, type) and issubclass(output, Contract):
                return output.project(answer, what=node)
            return checked(output, answer, node)
        except InvalidInputError as error:
            raise DependencyError(f"{self.address.id} broke the contract of {error.message}") from error

    async def dispose(self) -> None:
        """Nothing is owned here."""
