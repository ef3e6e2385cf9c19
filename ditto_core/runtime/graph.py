"""A Graph: Nodes and their data dependencies, immutable, free of places and credentials."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import iscoroutinefunction
from typing import Any, NamedTuple, TypeAlias

from ditto_core.errors import GraphError
from ditto_core.nearest import did_you_mean

Bind: TypeAlias = Callable[[Any, Mapping[str, Any]], Any]
"""Makes a node's input from the run's input and the outputs of exactly the declared dependencies."""


class GraphNode(NamedTuple):
    """One step: an id, a Node type, the ids it waits for and how its input is made."""

    id: str
    type: str
    depends_on: tuple[str, ...]
    bind: Bind


class _Trunk(NamedTuple):
    """Nodes shared by all graphs that grew from one; a graph sees only its own first `size` of them."""

    nodes: list[GraphNode]
    position: dict[str, int]
    successors: list[list[int]]


class Graph:
    """Built with `graph(name).node(...)`; every call returns a new Graph and leaves this one as it is.

    Dependencies name earlier nodes, so a cycle cannot be written. Adding a node costs O(its dependencies).
    """

    __slots__ = ("_size", "_trunk", "name")

    def __init__(self, name: str, trunk: _Trunk, size: int) -> None:
        self.name = name
        self._trunk = trunk
        self._size = size

    def node(self, id: str, type: str, depends_on: Sequence[str], bind: Bind) -> Graph:  # noqa: A002  # the field's words
        """A new Graph with one more node.

        Raises GraphError for an empty or repeated id, an empty type, a dependency that is not an earlier node, or a
        bind that is no plain function.
        """
        _check_kinds(self.name, id, type, depends_on, bind)
        self._check(id, type, depends_on)
        trunk = self._trunk if len(self._trunk.nodes) == self._size else self._branch()
        trunk.position[id] = self._size
        trunk.nodes.append(GraphNode(id, type, tuple(depends_on), bind))
        trunk.successors.append([])
        for dependency in depends_on:
            trunk.successors[trunk.position[dependency]].append(self._size)
        return Graph(self.name, trunk, self._size + 1)

    @property
    def nodes(self) -> tuple[GraphNode, ...]:
        """The nodes in the order they were added, which is a topological order."""
        return tuple(self._trunk.nodes[: self._size])

    def has(self, id: str) -> bool:  # noqa: A002  # as in node()
        """Whether a node has this id."""
        return self._trunk.position.get(id, self._size) < self._size

    def successors(self, position: int) -> list[int]:
        """The positions of the nodes that wait for the node at `position`."""
        return [later for later in self._trunk.successors[position] if later < self._size]

    def _check(self, id: str, type: str, depends_on: Sequence[str]) -> None:  # noqa: A002  # as in node()
        if not id.strip() or not type.strip():
            raise GraphError(f"graph {self.name}: a node needs an id and a type")
        if self.has(id):
            raise GraphError(f"graph {self.name}: the id {id!r} is taken")
        if len(set(depends_on)) != len(depends_on):
            raise GraphError(f"graph {self.name}: {id!r} names a dependency twice")
        for dependency in depends_on:
            if not self.has(dependency):
                known = [node.id for node in self.nodes]
                raise GraphError(
                    f"graph {self.name}: {id!r} depends on {dependency!r}, which is not an earlier node",
                    hint=did_you_mean(dependency, known),
                )

    def _branch(self) -> _Trunk:
        """A copy of what this graph sees; a sibling has already grown past it."""
        nodes = self._trunk.nodes[: self._size]
        return _Trunk(
            nodes=nodes,
            position={node.id: index for index, node in enumerate(nodes)},
            successors=[self.successors(index) for index in range(self._size)],
        )


def _check_kinds(name: str, id: object, type: object, depends_on: object, bind: object) -> None:  # noqa: A002  # as in node()
    """What a type checker would have said."""
    if not isinstance(id, str) or not isinstance(type, str):
        raise GraphError(f"graph {name}: the id and the type of a node are text")
    if not isinstance(depends_on, list | tuple) or not all(isinstance(dependency, str) for dependency in depends_on):
        kind = "a string" if isinstance(depends_on, str) else "that"
        raise GraphError(f"graph {name}: depends_on of {id!r} is a list of ids, not {kind}")
    if not callable(bind) or iscoroutinefunction(bind):
        raise GraphError(f"graph {name}: bind of {id!r} is a plain function of the input and the outputs")


def graph(name: str) -> Graph:
    """An empty Graph."""
    return Graph(name, _Trunk([], {}, []), 0)
