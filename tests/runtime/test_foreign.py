"""What handlers may raise, and what comes of it."""

import asyncio
from typing import Any

import anyio
import pytest

from ditto_core.contracts.json import JsonValue
from ditto_core.contracts.nodes import NodeType
from ditto_core.errors import DeadlineError, DependencyError
from ditto_core.runtime.graph import graph
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import WorkerContext, define_worker
from tests.flows.agent import Agent, asks, declared, request, says

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    """Only asyncio lets a task meet a cancellation that nobody asked for."""
    return "asyncio"


TYPES = {"A.BAD": NodeType(JsonValue, JsonValue), "A.SAVE": NodeType(dict, dict)}


async def cancels_itself(_: Any, __: WorkerContext) -> Any:
    task = asyncio.create_task(asyncio.sleep(60))
    task.cancel()
    return await task


async def exits(_: Any, __: WorkerContext) -> Any:
    raise SystemExit(0)


async def both(_: Any, __: WorkerContext) -> Any:
    raise BaseExceptionGroup("two", [SystemExit(0), ValueError("x")])


BAD = {"CancelledError": cancels_itself, "SystemExit": exits, "BaseExceptionGroup": both}


@pytest.mark.parametrize("name", BAD)
async def test_a_handler_ends_only_its_own_call(name: str) -> None:
    worker = define_worker(type="BAD", nodes={"A.BAD": BAD[name]})
    async with Ditto(workers=[worker], node_types=TYPES) as runtime:
        with pytest.raises(DependencyError, match=f"bad-1 raised {name}"):
            await runtime.invoke("A.BAD", None)


@pytest.mark.parametrize("name", BAD)
async def test_a_graph_drains_the_other_branches_and_raises(name: str) -> None:
    saved: list[str] = []

    async def save(_: Any, __: WorkerContext) -> Any:
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        saved.append("saved")
        return {}

    worker = define_worker(type="BAD", nodes={"A.BAD": BAD[name], "A.SAVE": save})
    plan = graph("g").node("save", "A.SAVE", [], lambda _, __: {}).node("bad", "A.BAD", [], lambda _, __: None)
    async with Ditto(workers=[worker], node_types=TYPES) as runtime:
        with pytest.raises(DependencyError):
            await runtime.run(plan, None)
    assert saved == ["saved"]


@pytest.mark.parametrize("name", BAD)
async def test_a_react_run_ends_in_its_result(name: str) -> None:
    worker = define_worker(type="BAD", nodes={"A.BAD": BAD[name]})
    agent = Agent(asks(request("bad"), text="so far"), says("never"), workers=[worker], node_types=TYPES)
    result = await agent.run(actions=[declared("bad", kind="node", node="A.BAD")])
    assert (result.status, result.stop_reason) == ("partial", "dependency_failed")
    assert result.result.content == "so far"


@pytest.mark.parametrize("raised", [SystemExit(0), asyncio.CancelledError()])
async def test_a_model_that_raises_such_a_thing_ends_in_the_result(raised: BaseException) -> None:
    def turn(_: Any) -> Any:
        raise raised

    result = await Agent(turn).run()
    assert (result.status, result.stop_reason) == ("failed", "error")


async def test_a_real_cancellation_still_passes() -> None:
    async def waits(_: Any, __: WorkerContext) -> Any:
        await anyio.sleep_forever()

    async with Ditto(workers=[define_worker(type="W", nodes={"A.BAD": waits})], node_types=TYPES) as runtime:
        with anyio.move_on_after(0.02) as scope:
            await runtime.invoke("A.BAD", None)
    assert scope.cancelled_caught


async def test_a_dict_that_a_handler_returns_cannot_be_changed_by_who_gets_it() -> None:
    kept = {"k": [1]}

    async def gives(_: Any, __: WorkerContext) -> Any:
        return kept

    async with Ditto(workers=[define_worker(type="W", nodes={"A.SAVE": gives})], node_types=TYPES) as runtime:
        output = await runtime.invoke("A.SAVE", {})
        with pytest.raises(TypeError, match="read-only"):
            output["k"].append("more")
    assert kept == {"k": [1]}


async def swallows(_: Any, __: WorkerContext) -> Any:
    try:
        await anyio.sleep(60)
    except anyio.get_cancelled_exc_class():
        return {"late": True}


async def test_a_handler_that_swallows_its_cancellation_is_late_all_the_same() -> None:
    async with Ditto(workers=[define_worker(type="W", nodes={"A.BAD": swallows})], node_types=TYPES) as runtime:
        with pytest.raises(DeadlineError):
            await runtime.invoke("A.BAD", None, timeout=0.02)


async def test_a_model_that_swallows_its_cancellation_does_not_complete_a_run_after_its_deadline() -> None:
    async def turn(_: Any) -> Any:
        try:
            await anyio.sleep(60)
        except anyio.get_cancelled_exc_class():
            return says("late")

    result = await Agent(turn).run(timeoutMs=30)
    assert result.stop_reason == "timeout"
