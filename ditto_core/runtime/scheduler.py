"""Runs a Graph: whatever waits for nothing runs, in parallel, up to a limit.

Kahn's algorithm (Communications of the ACM 5, 1962) with a ready queue: O(nodes + dependencies). Tasks are what costs
most, so a task that finished a node goes on with another that is ready, and the caller's own task works, too: a chain
needs no other.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any, TypeAlias

import anyio
import anyio.lowlevel
from anyio.abc import TaskGroup

from ditto_core.runtime.count import check_count
from ditto_core.runtime.graph import Graph, GraphNode

Call: TypeAlias = Callable[[GraphNode, Any], Awaitable[Any]]
"""Runs one node with its input."""

_AT_ONCE = 16
"""Ready nodes that get a task at the same moment. Where more are ready, every task that starts brings `_MORE` along, so
nodes that wait all run after a few turns of the event loop, and nodes that never wait need few tasks."""
_MORE = 2

_NODES = 8
_SECONDS = 0.001
"""How many nodes, and for how long, a task runs before it lets others have their turn: deadlines need that."""


async def run_graph(graph: Graph, input: Any, call: Call, concurrency: int | None = None) -> dict[str, Any]:  # noqa: A002  # the field's word
    """The outputs by node id, in the order the nodes finished.

    On an exception no further node starts, the started ones finish, and the first exception is raised as itself.
    Cancelling the caller cancels the started nodes. Raises InvalidInputError for a concurrency below 1.
    """
    check_count(concurrency, "concurrency")
    return await _Run(graph, input, call, concurrency).outputs()


class _Run:
    """The state of one run of one graph."""

    def __init__(self, graph: Graph, input: Any, call: Call, concurrency: int | None) -> None:  # noqa: A002  # as above
        self._graph = graph
        self._nodes = graph.nodes
        self._input = input
        self._call = call
        self._free = len(self._nodes) if concurrency is None else concurrency
        self._missing = [len(node.depends_on) for node in self._nodes]
        self._ready = deque(index for index, count in enumerate(self._missing) if count == 0)
        self._outputs: dict[str, Any] = {}
        self._error: Exception | None = None
        self._tasks: TaskGroup | None = None

    async def outputs(self) -> dict[str, Any]:
        if self._nodes:
            await self._run()
        if self._error is not None:
            raise self._error
        return self._outputs

    async def _run(self) -> None:
        self._free -= 1
        first = self._ready.popleft()
        if self._free == 0 or _is_chain(self._nodes):
            await self._work(first)
            return
        async with anyio.create_task_group() as self._tasks:
            self._start(_AT_ONCE - 1)
            await self._work(first)

    def _start(self, most: int) -> None:
        """Starts tasks for ready nodes."""
        while most and self._ready and self._free and self._error is None and self._tasks is not None:
            most -= 1
            self._free -= 1
            self._tasks.start_soon(self._work, self._ready.popleft(), _MORE)

    async def _work(self, index: int, more: int = 0) -> None:
        """Runs the node, then ready ones for as long as there are any."""
        self._start(more)
        current: int | None = index
        turn, until = 0, 0.0
        while current is not None:
            if turn == 0 or time.monotonic() > until:
                await anyio.lowlevel.checkpoint()
                turn, until = _NODES, time.monotonic() + _SECONDS
            turn -= 1
            current = await self._finish(current)
        self._free += 1

    async def _finish(self, index: int) -> int | None:
        """Runs one node; the next one for this task."""
        node = self._nodes[index]
        outputs = self._outputs
        try:
            before = {name: outputs[name] for name in node.depends_on}
            outputs[node.id] = await self._call(node, node.bind(self._input, before))
        except Exception as error:  # noqa: BLE001  # kept, and raised as itself once the started branches are done
            self._error = self._error or error
            return None
        freed = 0
        for successor in self._graph.successors(index):
            self._missing[successor] -= 1
            if self._missing[successor] == 0:
                self._ready.append(successor)
                freed += 1
        if self._error is not None or not self._ready:
            return None
        following = self._ready.popleft()
        if freed > 1:
            self._start(min(freed - 1, _AT_ONCE))
        return following


def _is_chain(nodes: tuple[GraphNode, ...]) -> bool:
    """Whether every node waits for the one before it, so that never two are ready."""
    return all(before.id in node.depends_on for before, node in pairwise(nodes))
