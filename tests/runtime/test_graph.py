"""A Graph is immutable and cannot hold a cycle."""

from typing import Any

import pytest

from ditto_core.errors import GraphError
from ditto_core.runtime.graph import graph


def nothing(_: Any, __: Any) -> None:
    """Binds nothing."""


def test_adding_a_node_leaves_the_graph_as_it_was() -> None:
    empty = graph("g")
    one = empty.node("a", "X", [], nothing)
    assert empty.nodes == ()
    assert [node.id for node in one.nodes] == ["a"]


def test_two_graphs_that_grow_from_one_do_not_see_each_other() -> None:
    base = graph("g").node("a", "X", [], nothing)
    left = base.node("b", "X", ["a"], nothing)
    right = base.node("c", "X", ["a"], nothing)
    assert [node.id for node in left.nodes] == ["a", "b"]
    assert [node.id for node in right.nodes] == ["a", "c"]
    assert left.successors(0) == [1]
    assert right.successors(0) == [1]
    assert base.successors(0) == []


def test_an_id_of_a_sibling_branch_is_free_and_is_no_dependency() -> None:
    base = graph("g").node("a", "X", [], nothing)
    base.node("b", "X", [], nothing)
    with pytest.raises(GraphError, match="not an earlier node"):
        base.node("c", "X", ["b"], nothing)
    assert base.node("b", "Y", [], nothing).nodes[1].type == "Y"


@pytest.mark.parametrize(
    ("id_", "type_", "depends_on", "message"),
    [
        ("a", "X", [], "taken"),
        (" ", "X", [], "needs an id"),
        ("b", "", [], "needs an id and a type"),
        ("b", "X", ["missing"], "not an earlier node"),
        ("b", "X", ["b"], "not an earlier node"),
        ("b", "X", ["a", "a"], "twice"),
        ("b", "X", "a", "not a string"),
        ("b", "X", None, "a list of ids"),
        ("b", "X", [5], "a list of ids"),
        (5, "X", [], "are text"),
        ("b", None, [], "are text"),
    ],
)
def test_a_node_that_makes_no_sense_is_refused(id_: str, type_: str, depends_on: Any, message: str) -> None:
    with pytest.raises(GraphError, match=message):
        graph("g").node("a", "X", [], nothing).node(id_, type_, depends_on, nothing)


def test_a_misspelt_dependency_is_answered_with_the_nearest_id() -> None:
    with pytest.raises(GraphError) as caught:
        graph("g").node("select", "X", [], nothing).node("b", "X", ["selct"], nothing)
    assert caught.value.hint == "Did you mean select?"


@pytest.mark.parametrize("bind", ["text", None, 5])
def test_a_bind_that_cannot_be_called_is_refused(bind: Any) -> None:
    with pytest.raises(GraphError, match="bind of 'a' is a plain function"):
        graph("g").node("a", "X", [], bind)


def test_an_async_bind_is_refused() -> None:
    async def bind(_: Any, __: Any) -> None:
        """Nobody would await it."""

    with pytest.raises(GraphError, match="plain function"):
        graph("g").node("a", "X", [], bind)
