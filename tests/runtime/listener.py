"""A subscriber, an event for it, and the warnings of a run."""

from typing import Any

import anyio

from ditto_core.contracts.events import Event, Warned
from ditto_core.contracts.worker_event import WorkerEvent


class Listener:
    """Keeps the data of what it hears, after its gate has opened."""

    def __init__(self, *, open: bool = True) -> None:  # noqa: A002  # what a gate is
        self.heard: list[Any] = []
        self.gate = anyio.Event()
        if open:
            self.gate.set()

    async def __call__(self, event: WorkerEvent) -> None:
        await self.gate.wait()
        self.heard.append(event.data)


def event(data: Any = None, type: str = "news") -> dict[str, Any]:  # noqa: A002  # the field's word
    return {"type": type, "data": data}


def warnings(events: list[Event]) -> list[str]:
    return [each.message for each in events if isinstance(each, Warned)]
