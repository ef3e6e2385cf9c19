"""A Worker whose calls begin when they may and end when they are told to."""

from __future__ import annotations

from typing import Any

import anyio
import anyio.lowlevel

from ditto_core.contracts.json import JsonValue
from ditto_core.contracts.nodes import NodeType
from ditto_core.errors import RuntimeClosedError
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import WorkerContext, WorkerDefinition, define_worker

NODE = "APP.WAIT"
OTHER = "APP.OTHER"
TYPES = {NODE: NodeType(JsonValue, JsonValue), OTHER: NodeType(JsonValue, JsonValue)}


class Gated:
    """Remembers which call started where; a call ends when its gate opens. Inputs are the calls' names."""

    def __init__(self) -> None:
        self.started: list[Any] = []
        self.place: dict[Any, str] = {}
        self.ended: list[Any] = []
        self.disposed: list[str] = []
        self._gates: dict[Any, anyio.Event] = {}

    def worker(self, **options: Any) -> WorkerDefinition:
        return define_worker(type="GATED", nodes={NODE: self.wait, OTHER: self.wait}, **options)

    def open(self, *calls: Any) -> None:
        for call in calls:
            self._gates.setdefault(call, anyio.Event()).set()

    async def wait(self, call: Any, ctx: WorkerContext) -> Any:
        self.started.append(call)
        self.place[call] = ctx.worker.id
        try:
            await self._gates.setdefault(call, anyio.Event()).wait()
        finally:
            self.ended.append(call)
        return call


class Outcomes:
    """Calls the gated Node and keeps how each call ended."""

    def __init__(self, runtime: Ditto) -> None:
        self._runtime = runtime
        self.ended: dict[str, str] = {}

    async def call(self, name: str) -> None:
        try:
            await self._runtime.invoke(NODE, name)
            self.ended[name] = "done"
        except RuntimeClosedError as error:
            self.ended[name] = type(error).__name__


def disposing(gated: Gated, log: list[str], name: str, error: Exception | None = None) -> WorkerDefinition:
    """A Worker that was used has resources; disposing of them is logged, and fails if it is to."""

    async def dispose(_: Any) -> None:
        await anyio.lowlevel.checkpoint()
        log.append(name)
        if error is not None:
            raise error

    return gated.worker(resources=lambda _: object(), dispose=dispose)


async def settle(turns: int = 40) -> None:
    """Every task that can go on has had so many turns, more than any of them takes until it waits for a gate."""
    for _ in range(turns):
        await anyio.lowlevel.checkpoint()
