"""Runs a Graph: whatever waits for nothing runs, in parallel, up to a limit.

Kahn's algorithm (Communications of the ACM 5, 1962) with a ready queue: O(nodes + dependencies). A task that
finished a node goes on with a node that became ready, so a chain costs one task.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import anyio
import anyio.lowlevel
from anyio.abc import TaskGroup

from ditto_core.errors import InvalidInputError
from ditto_core.runtime.graph import Graph, GraphNode

Call: TypeAlias = Callable[[GraphNode, Any], Awaitable[Any]]
"""Runs one node with its input."""


async def run_graph(graph: Graph, input: Any, call: Call, concurrency: int | None = None) -> dict[str, Any]:  # noqa: A002  # the field's word
    """The outputs by node id, in the order the nodes finished.

    On an exception no further node starts, the started ones finish, and the first exception is raised as itself.
    Cancelling the caller cancels the started nodes. Raises InvalidInputError for a concurrency below 1.
    """
    if concurrency is not None and (concurrency < 1):
        raise InvalidInputError("must be a positive whole number", path="concurrency")
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

    async def outputs(self) -> dict[str, Any]:
        async with anyio.create_task_group() as tasks:
            self._start_ready(tasks)
        if self._error is not None:
            raise self._error
        return self._outputs

    def _start_ready(self, tasks: TaskGroup) -> None:
        while self._ready and self._free and self._error is None:
            self._free -= 1
            tasks.start_soon(self._work, self._ready.popleft(), tasks)

    async def _work(self, index: int, tasks: TaskGroup) -> None:
        """Runs the node, then ready ones for as long as there are any."""
        current: int | None = index
        while current is not None:
            current = await self._finish(current, tasks)
        self._free += 1

    async def _finish(self, index: int, tasks: TaskGroup) -> int | None:
        node = self._nodes[index]
        await anyio.lowlevel.checkpoint()  # handlers that never wait must not hold off a deadline
        try:
            before = {name: self._outputs[name] for name in node.depends_on}
            self._outputs[node.id] = await self._call(node, node.bind(self._input, before))
        except Exception as error:  # noqa: BLE001  # kept, and raised as itself once the started branches are done
            self._error = self._error or error
            return None
        for successor in self._graph.successors(index):
            self._missing[successor] -= 1
            if self._missing[successor] == 0:
                self._ready.append(successor)
        if self._error is not None or not self._ready:
            return None
        following = self._ready.popleft()
        self._start_ready(tasks)
        return following
