"""A Loop runs rounds until its state is done."""

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from ditto_core.contracts.nodes import NodeType
from ditto_core.errors import DeadlineError, InvalidInputError, LoopLimitError, RuntimeClosedError
from ditto_core.runtime.graph import Graph, graph
from ditto_core.runtime.loop import Loop
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import WorkerContext, WorkerDefinition, define_worker
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.schema import Settings

pytestmark = pytest.mark.anyio

TYPES = {"APP.ADD": NodeType(int, int), "APP.DOUBLE": NodeType(int, int)}


async def add(number: int, _: WorkerContext) -> int:
    return number + 1


async def double(number: int, _: WorkerContext) -> int:
    return number * 2


def numbers(**options: Any) -> WorkerDefinition:
    return define_worker(type="NUMBERS", nodes={"APP.ADD": add, "APP.DOUBLE": double}, **options)


def one(node: str) -> Graph:
    return graph(node).node("step", node, [], lambda number, _: number)


def counting(until: int, **options: Any) -> Loop[int]:
    return Loop(
        graph=options.pop("graph", one("APP.ADD")),
        bind=lambda state: state,
        update=lambda _, outputs: int(outputs["step"]),
        done=lambda state: state >= until,
        **options,
    )


async def test_rounds_go_on_until_the_state_is_done() -> None:
    async with Ditto(workers=[numbers()], node_types=TYPES) as runtime:
        assert await runtime.loop(counting(5), 0) == 5


async def test_a_state_that_is_done_from_the_start_still_has_one_round() -> None:
    async with Ditto(workers=[numbers()], node_types=TYPES) as runtime:
        assert await runtime.loop(counting(5), 10) == 11


async def test_the_state_chooses_the_graph_of_its_round() -> None:
    seen: list[int] = []

    def plan(state: int) -> Graph:
        seen.append(state)
        return one("APP.DOUBLE" if state % 2 else "APP.ADD")

    async with Ditto(workers=[numbers()], node_types=TYPES) as runtime:
        assert await runtime.loop(counting(7, graph=plan), 2) == 7
    assert seen == [2, 3, 6]


async def test_the_limit_of_the_definition_comes_before_the_configured_one() -> None:
    config = RuntimeConfig(settings=Settings.parse({"runtime": {"loopMaxIterations": 5}}))
    async with Ditto(config=config, workers=[numbers()], node_types=TYPES) as runtime:
        with pytest.raises(LoopLimitError) as own:
            await runtime.loop(counting(100, max_iterations=2), 0)
        with pytest.raises(LoopLimitError, match="after 5 rounds") as configured:
            await runtime.loop(counting(100), 0)
    assert (own.value.state, own.value.iterations) == (2, 2)
    assert (configured.value.state, configured.value.iterations) == (5, 5)
    assert configured.value.code == "LOOP_LIMIT"


async def test_without_any_limit_it_is_32_rounds() -> None:
    async with Ditto(workers=[numbers()], node_types=TYPES) as runtime:
        assert await runtime.loop(counting(32), 0) == 32
        with pytest.raises(LoopLimitError) as caught:
            await runtime.loop(counting(33), 0)
    assert caught.value.state == 32


async def test_done_in_the_very_last_round_is_done() -> None:
    async with Ditto(workers=[numbers()], node_types=TYPES) as runtime:
        assert await runtime.loop(counting(3, max_iterations=3), 0) == 3


async def test_the_state_is_the_callers_own_object() -> None:
    class State:
        """Nothing that a contract knows."""

        def __init__(self, number: int) -> None:
            self.number = number

    def update(state: State, outputs: Mapping[str, Any]) -> State:
        state.number = outputs["step"]
        return state

    definition = Loop[State](
        graph=one("APP.ADD"), bind=lambda state: state.number, update=update, done=lambda state: state.number > 2
    )
    mine = State(0)
    async with Ditto(workers=[numbers()], node_types=TYPES) as runtime:
        assert await runtime.loop(definition, mine) is mine
    assert mine.number == 3


async def test_what_a_function_of_the_loop_raises_is_raised() -> None:
    def broken(_: int) -> bool:
        raise LookupError("mine")

    definition = Loop[int](graph=one("APP.ADD"), bind=lambda s: s, update=lambda s, _: s, done=broken)
    async with Ditto(workers=[numbers()], node_types=TYPES) as runtime:
        with pytest.raises(LookupError, match="mine"):
            await runtime.loop(definition, 0)


async def test_a_time_limit_holds_for_all_rounds_together() -> None:
    endless = counting(-1, max_iterations=1_000_000)
    endless.done = lambda _: False
    async with Ditto(workers=[numbers()], node_types=TYPES) as runtime:
        with anyio.fail_after(5), pytest.raises(DeadlineError, match=r"the loop took longer than 0.02 s"):
            await runtime.loop(endless, 0, timeout=0.02)


async def test_pins_hold_in_every_round_and_ignore_nodes_that_a_round_lacks() -> None:
    where: list[str] = []

    async def look(number: int, ctx: WorkerContext) -> int:
        where.append(ctx.worker.id)
        return number + 1

    worker = define_worker(type="LOOK", nodes={"APP.ADD": look})
    async with Ditto(workers=[worker, worker], node_types=TYPES) as runtime:
        await runtime.loop(counting(3), 0, workers={"step": "look-2", "absent": "look-1"})
    assert where == ["look-2"] * 3


async def test_a_runtime_that_closes_ends_its_loops() -> None:
    endless = counting(-1, max_iterations=1_000_000)
    endless.done = lambda _: False
    ended: list[type[BaseException]] = []
    runtime = Ditto(workers=[numbers()], node_types=TYPES)

    async def run() -> None:
        try:
            await runtime.loop(endless, 0)
        except RuntimeClosedError as error:
            ended.append(type(error))

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(run)
            await anyio.lowlevel.checkpoint()
            await anyio.lowlevel.checkpoint()
            await runtime.close(timeout=0)
    assert ended == [RuntimeClosedError]


async def test_a_graph_function_that_makes_no_graph_is_refused() -> None:
    async with Ditto(workers=[numbers()], node_types=TYPES) as runtime:
        with pytest.raises(InvalidInputError, match="made no Graph, but NoneType"):
            await runtime.loop(counting(1, graph=lambda _: None), 0)


async def asynchronous(_: Any) -> Any:
    """What a Loop does not take."""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"max_iterations": 0}, "max_iterations: must be a positive whole number"),
        ({"max_iterations": True}, "max_iterations: must be a positive whole number"),
        ({"max_iterations": 2.5}, "max_iterations: must be a positive whole number"),
        ({"graph": "APP.ADD"}, "graph: must be a function"),
        ({"graph": asynchronous}, "graph: must be a function, not an async one"),
    ],
)
async def test_a_loop_that_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        counting(1, **options)
