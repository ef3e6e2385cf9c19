"""A Loop: a state, the graph for it, and when to stop."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

from ditto_core.errors import InvalidInputError, LoopLimitError
from ditto_core.runtime.count import check_count
from ditto_core.runtime.graph import Graph

S = TypeVar("S")


class Loop(Generic[S]):
    """Rounds of: pick the graph, bind, run, update, done?

    `graph` is a Graph or makes one from the state; `bind(state)` is the input of its run; `update(state, outputs)` the
    next state; `done(state)` whether that is the last one. All are plain functions, not async. `max_iterations` bounds
    the rounds, before `runtime.loopMaxIterations`. The state belongs to the caller: it is never copied, checked, stored
    or tried again. Raises InvalidInputError.
    """

    __slots__ = ("bind", "done", "graph", "max_iterations", "update")

    def __init__(
        self,
        *,
        graph: Graph | Callable[[S], Graph],
        bind: Callable[[S], Any],
        update: Callable[[S, Mapping[str, Any]], S],
        done: Callable[[S], bool],
        max_iterations: int | None = None,
    ) -> None:
        check_count(max_iterations, "max_iterations")
        for name, function in {"bind": bind, "update": update, "done": done}.items():
            _check_function(function, name)
        if not isinstance(graph, Graph):
            _check_function(graph, "graph")
        self.graph = graph
        self.bind = bind
        self.update = update
        self.done = done
        self.max_iterations = max_iterations

    def plan(self, state: S) -> Graph:
        """The graph of the round that begins with `state`. Raises InvalidInputError when `graph` makes none."""
        if isinstance(self.graph, Graph):
            return self.graph
        plan = self.graph(state)
        if not isinstance(plan, Graph):
            raise InvalidInputError(f"made no Graph, but {type(plan).__name__}", path="graph")
        return plan


def _check_function(value: object, path: str) -> None:
    if not callable(value) or inspect.iscoroutinefunction(value):
        raise InvalidInputError("must be a function, not an async one", path=path)


async def run_loop(
    definition: Loop[S], state: S, run: Callable[[Graph, Any], Awaitable[Mapping[str, Any]]], limit: int
) -> S:
    """The state of the round that is done, after at least one. `limit` holds where the definition has none.

    Raises LoopLimitError with the last state.
    """
    rounds = definition.max_iterations or limit
    for _ in range(rounds):
        outputs = await run(definition.plan(state), definition.bind(state))
        state = definition.update(state, outputs)
        if definition.done(state):
            return state
    raise LoopLimitError(state, rounds)
