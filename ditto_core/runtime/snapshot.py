"""What a runtime shows of its Workers."""

from __future__ import annotations

from typing import NamedTuple

from ditto_core.runtime.replica import Replica
from ditto_core.runtime.worker import WorkerAddress


class WorkerSnapshot(NamedTuple):
    """A registered Worker at one moment. `capabilities` are the Nodes it exposes, `active` its calls under way."""

    address: WorkerAddress
    capabilities: tuple[str, ...]
    available: bool
    active: int
    concurrency: int | None


def snapshot_of(replica: Replica) -> WorkerSnapshot:
    """The replica as it is now, without anything that it holds."""
    capabilities = tuple(sorted(replica.exposed))
    return WorkerSnapshot(replica.address, capabilities, replica.available, replica.active, replica.concurrency)
