"""The scheduler against a simple model of its rules."""

from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ditto_core.errors import InvalidInputError
from ditto_core.runtime.graph import Graph, GraphNode, graph
from ditto_core.runtime.scheduler import run_graph

pytestmark = pytest.mark.anyio


def keep(value: Any, before: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    return value, dict(before)


@st.composite
def plans(draw: st.DrawFn) -> tuple[Graph, frozenset[str]]:
    """A random DAG, narrow or wider than the tasks that start at once, and the ids of the nodes that fail."""
    plan = graph("random")
    ids: list[str] = []
    most = draw(st.sampled_from([0, 1, 4]))
    for index in range(draw(st.integers(0, 12) | st.integers(30, 80))):
        depends_on = draw(st.lists(st.sampled_from(ids), unique=True, max_size=most)) if ids and most else []
        ids.append(f"n{index}")
        plan = plan.node(ids[-1], "X", depends_on, keep)
    failing = draw(st.frozensets(st.sampled_from(ids), max_size=3)) if ids else frozenset()
    return plan, failing


class Recorder:
    """Runs nodes by yielding a few times; remembers what ran at once and in which order."""

    def __init__(self, failing: frozenset[str], pauses: list[int]) -> None:
        self.failing = failing
        self.pauses = pauses
        self.started: list[str] = []
        self.finished: list[str] = []
        self.active = 0
        self.most = 0
        self.failed: list[str] = []
        self.wrong: list[str] = []
        self._startable: set[str] = set()

    async def __call__(self, node: GraphNode, value: Any) -> str:
        if self.failed and not set(node.depends_on) <= self._startable:
            self.wrong.append(f"{node.id} became ready after a failure and was started")
        if value[1] != {name: f"out {name}" for name in node.depends_on}:
            self.wrong.append(f"{node.id} saw {value[1]}")
        self.started.append(node.id)
        self.active += 1
        self.most = max(self.most, self.active)
        for _ in range(self.pauses[len(self.started) % len(self.pauses)]):
            await anyio.lowlevel.checkpoint()
        self.active -= 1
        if node.id in self.failing:
            self._startable = self._startable if self.failed else set(self.finished)
            self.failed.append(node.id)
            raise LookupError(node.id)
        self.finished.append(node.id)
        return f"out {node.id}"


@given(plans(), st.lists(st.integers(0, 3), min_size=1, max_size=5), st.none() | st.integers(1, 4))
@settings(max_examples=150, deadline=None)
def test_random_graphs_with_random_failures_follow_the_rules(
    case: tuple[Graph, frozenset[str]], pauses: list[int], concurrency: int | None
) -> None:
    plan, failing = case
    recorder = Recorder(failing, pauses)

    async def run() -> dict[str, Any]:
        return await run_graph(plan, "in", recorder, concurrency)

    if failing:
        with pytest.raises(LookupError) as caught:
            anyio.run(run)
        assert caught.value.args == (recorder.failed[0],)
    else:
        assert anyio.run(run) == {node.id: f"out {node.id}" for node in plan.nodes}
    assert recorder.wrong == []
    assert recorder.active == 0, "started branches are drained"
    assert len(set(recorder.started)) == len(recorder.started)
    assert recorder.most <= (concurrency or len(plan.nodes) or 1)


async def test_nodes_without_dependencies_run_at_the_same_time() -> None:
    plan = graph("g").node("a", "X", [], keep).node("b", "X", [], keep)
    both = anyio.Event()
    arrived: list[str] = []

    async def meet(node: GraphNode, _: Any) -> str:
        arrived.append(node.id)
        if len(arrived) == 2:
            both.set()
        with anyio.fail_after(5):
            await both.wait()
        return node.id

    assert await run_graph(plan, None, meet) == {"a": "a", "b": "b"}


async def test_a_branch_that_had_started_finishes_after_another_failed() -> None:
    plan = graph("g").node("bad", "X", [], keep).node("slow", "X", [], keep).node("later", "X", ["slow"], keep)
    ran: list[str] = []

    async def call(node: GraphNode, _: Any) -> None:
        if node.id == "bad":
            raise ValueError("first")
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        ran.append(node.id)

    with pytest.raises(ValueError, match="first"):
        await run_graph(plan, None, call)
    assert ran == ["slow"]


async def test_a_failing_bind_is_a_failing_node() -> None:
    def broken(_: Any, __: Any) -> None:
        raise KeyError("bind")

    async def call(_: GraphNode, __: Any) -> None:
        raise AssertionError("never called")

    with pytest.raises(KeyError, match="bind"):
        await run_graph(graph("g").node("a", "X", [], broken), None, call)


async def test_cancelling_the_caller_cancels_the_nodes() -> None:
    cancelled: list[str] = []

    async def call(node: GraphNode, _: Any) -> None:
        try:
            await anyio.sleep_forever()
        except anyio.get_cancelled_exc_class():
            cancelled.append(node.id)
            raise

    with anyio.move_on_after(0.01):
        await run_graph(graph("g").node("a", "X", [], keep).node("b", "X", [], keep), None, call)
    assert sorted(cancelled) == ["a", "b"]


async def test_a_long_chain_of_handlers_that_never_wait_does_not_hold_off_a_deadline() -> None:
    plan = graph("g").node("n0", "X", [], keep)
    for index in range(1, 2000):
        plan = plan.node(f"n{index}", "X", [f"n{index - 1}"], keep)
    ran: list[str] = []

    async def call(node: GraphNode, _: Any) -> None:
        ran.append(node.id)
        if len(ran) == 3:
            scope.cancel()

    with anyio.CancelScope() as scope:
        await run_graph(plan, None, call)
    assert len(ran) < 10


async def test_a_concurrency_below_one_is_refused() -> None:
    async def call(_: GraphNode, __: Any) -> None:
        """Never called."""

    with pytest.raises(InvalidInputError, match="positive"):
        await run_graph(graph("g"), None, call, 0)


@pytest.mark.parametrize("count", [15, 16, 17, 18, 100])
async def test_however_many_nodes_are_ready_they_all_run_at_the_same_time(count: int) -> None:
    plan = graph("g").node("root", "X", [], keep)
    for index in range(count):
        plan = plan.node(f"n{index}", "X", ["root"] if index % 2 else [], keep)
    everybody = anyio.Event()
    arrived: list[str] = []

    async def meet(node: GraphNode, _: Any) -> None:
        if node.id == "root":
            return
        arrived.append(node.id)
        if len(arrived) == count:
            everybody.set()
        with anyio.fail_after(5):
            await everybody.wait()

    await run_graph(plan, None, meet)
    assert len(arrived) == count


async def test_a_limit_is_used_fully_and_never_passed() -> None:
    plan = graph("g")
    for index in range(50):
        plan = plan.node(f"n{index}", "X", [], keep)
    active: list[int] = [0]
    most: list[int] = [0]

    async def call(_: GraphNode, __: Any) -> None:
        active[0] += 1
        most[0] = max(most[0], active[0])
        for _turn in range(3):
            await anyio.lowlevel.checkpoint()
        active[0] -= 1

    await run_graph(plan, None, call, 20)
    assert most == [20]


async def test_an_empty_graph_has_no_outputs() -> None:
    async def call(_: GraphNode, __: Any) -> None:
        """Never called."""

    assert await run_graph(graph("g"), None, call) == {}


async def test_a_task_that_found_nothing_to_do_leaves_its_place_to_a_later_one() -> None:
    plan = graph("g").node("slow", "X", [], keep).node("quick", "X", [], keep)
    plan = plan.node("one", "X", ["slow"], keep).node("two", "X", ["slow"], keep)
    quick, both = anyio.Event(), anyio.Event()
    arrived: list[str] = []

    async def call(node: GraphNode, _: Any) -> None:
        if node.id == "quick":
            quick.set()
        elif node.id == "slow":
            await quick.wait()
            for _turn in range(5):
                await anyio.lowlevel.checkpoint()
        else:
            arrived.append(node.id)
            if len(arrived) == 2:
                both.set()
            with anyio.fail_after(5):
                await both.wait()

    await run_graph(plan, None, call, 2)
    assert sorted(arrived) == ["one", "two"]
