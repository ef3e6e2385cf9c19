"""What a Ditto does with Workers, calls and graphs."""

from collections.abc import Mapping
from typing import Any

import anyio
import pytest

from ditto_core.contracts.json import JsonValue
from ditto_core.contracts.nodes import NodeType
from ditto_core.errors import (
    DeadlineError,
    DependencyError,
    InvalidInputError,
    NoWorkerAvailableError,
    RuntimeClosedError,
    UnknownNodeError,
)
from ditto_core.runtime.graph import graph
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import WorkerContext, WorkerDefinition, define_worker

pytestmark = pytest.mark.anyio

ECHO = {"APP.ECHO": NodeType(JsonValue, JsonValue), "APP.CALL": NodeType(JsonValue, JsonValue)}


async def echo(value: Any, ctx: WorkerContext) -> Any:
    return {"value": value, "worker": ctx.worker.id}


def echo_worker(**options: Any) -> WorkerDefinition:
    return define_worker(type="ECHO", nodes={"APP.ECHO": echo}, **options)


def same(value: Any, _: Mapping[str, Any]) -> Any:
    return value


async def test_invoke_answers_with_the_checked_output() -> None:
    async with Ditto(workers=[echo_worker()], node_types=ECHO) as runtime:
        assert await runtime.invoke("APP.ECHO", 1) == {"value": 1, "worker": "echo-1"}


async def test_calls_take_turns_among_equal_workers() -> None:
    async with Ditto(workers=[echo_worker(), echo_worker()], node_types=ECHO) as runtime:
        asked = [(await runtime.invoke("APP.ECHO", n))["worker"] for n in range(4)]
    assert asked == ["echo-1", "echo-2", "echo-1", "echo-2"]


async def test_a_pinned_worker_gets_the_call() -> None:
    async with Ditto(workers=[echo_worker(), echo_worker()], node_types=ECHO) as runtime:
        assert (await runtime.invoke("APP.ECHO", 1, worker_id="echo-2"))["worker"] == "echo-2"
        with pytest.raises(NoWorkerAvailableError, match="no Worker has the id 'echo-9'"):
            await runtime.invoke("APP.ECHO", 1, worker_id="echo-9")


async def test_an_unknown_node_is_answered_with_the_nearest_one() -> None:
    async with Ditto() as runtime:
        with pytest.raises(UnknownNodeError) as caught:
            await runtime.invoke("INTERACTION.OBSERV", {})
    assert caught.value.hint == "Did you mean INTERACTION.OBSERVE?"


async def test_without_a_worker_the_error_says_why_each_was_ruled_out() -> None:
    async with Ditto(workers=[echo_worker(expose=[])], node_types=ECHO) as runtime:
        with pytest.raises(NoWorkerAvailableError, match="echo-1 does not expose it"):
            await runtime.invoke("APP.ECHO", 1)


async def test_an_input_that_breaks_the_contract_names_the_node_and_the_path() -> None:
    async with Ditto(workers=[echo_worker()], node_types=ECHO) as runtime:
        with pytest.raises(InvalidInputError, match=r"INTERACTION.OBSERVE\.result: required"):
            await runtime.invoke("INTERACTION.OBSERVE", {})
        with pytest.raises(InvalidInputError, match="not a finite number"):
            await runtime.invoke("APP.ECHO", float("nan"))


async def test_an_output_that_breaks_the_contract_is_the_workers_fault() -> None:
    async def bad(_: Any, __: WorkerContext) -> Any:
        return object()

    async with Ditto(workers=[define_worker(type="BAD", nodes={"APP.ECHO": bad})], node_types=ECHO) as runtime:
        with pytest.raises(DependencyError, match=r"bad-1 broke the contract of APP\.ECHO"):
            await runtime.invoke("APP.ECHO", 1)


async def test_a_timeout_cancels_the_handler_and_raises() -> None:
    cancelled = anyio.Event()

    async def slow(_: Any, __: WorkerContext) -> Any:
        try:
            await anyio.sleep_forever()
        finally:
            cancelled.set()

    async with Ditto(workers=[define_worker(type="SLOW", nodes={"APP.ECHO": slow})], node_types=ECHO) as runtime:
        with pytest.raises(DeadlineError, match=r"APP.ECHO took longer than 0.01 s"):
            await runtime.invoke("APP.ECHO", 1, timeout=0.01)
    assert cancelled.is_set()


async def test_a_timeout_error_of_the_handlers_own_is_not_mistaken_for_the_deadline() -> None:
    async def own(_: Any, __: WorkerContext) -> Any:
        raise TimeoutError("mine")

    async with Ditto(workers=[define_worker(type="OWN", nodes={"APP.ECHO": own})], node_types=ECHO) as runtime:
        with pytest.raises(TimeoutError, match="mine"):
            await runtime.invoke("APP.ECHO", 1, timeout=5)


async def test_a_full_worker_serves_waiting_calls_in_order() -> None:
    order: list[Any] = []

    async def handle(value: Any, _: WorkerContext) -> Any:
        await anyio.lowlevel.checkpoint()
        order.append(value)
        return value

    worker = define_worker(type="ONE", nodes={"APP.ECHO": handle}, concurrency=1)
    async with Ditto(workers=[worker], node_types=ECHO) as runtime, anyio.create_task_group() as tasks:
        for number in range(5):
            tasks.start_soon(runtime.invoke, "APP.ECHO", number)
            await anyio.lowlevel.checkpoint()
    assert order == [0, 1, 2, 3, 4]


async def test_a_call_that_gives_up_waiting_leaves_the_queue() -> None:
    go = anyio.Event()

    async def handle(value: Any, _: WorkerContext) -> Any:
        await go.wait()
        return value

    worker = define_worker(type="ONE", nodes={"APP.ECHO": handle}, concurrency=1)
    async with Ditto(workers=[worker], node_types=ECHO) as runtime, anyio.create_task_group() as tasks:
        tasks.start_soon(runtime.invoke, "APP.ECHO", 1)
        await anyio.lowlevel.checkpoint()
        with pytest.raises(DeadlineError):
            await runtime.invoke("APP.ECHO", 2, timeout=0.01)
        go.set()
        with anyio.fail_after(5):
            assert await runtime.invoke("APP.ECHO", 3) == 3


async def test_a_handler_that_calls_its_own_full_worker_fails_at_once() -> None:
    async def again(_: Any, ctx: WorkerContext) -> Any:
        return await ctx.invoke("APP.CALL", 1)

    worker = define_worker(type="ONE", nodes={"APP.CALL": again}, concurrency=1)
    async with Ditto(workers=[worker], node_types=ECHO) as runtime:
        with anyio.fail_after(5), pytest.raises(NoWorkerAvailableError, match="held by the calls that led here"):
            await runtime.invoke("APP.CALL", 1)


async def test_a_handlers_own_graph_runs_on_its_replica_without_another_slot() -> None:
    async def outer(value: Any, ctx: WorkerContext) -> Any:
        inner = graph("inner").node("echo", "APP.ECHO", [], same)
        return (await ctx.run(inner, value))["echo"]

    worker = define_worker(type="BOTH", nodes={"APP.CALL": outer, "APP.ECHO": echo}, expose=["APP.CALL"], concurrency=1)
    async with Ditto(workers=[worker], node_types=ECHO) as runtime:
        with anyio.fail_after(5):
            assert await runtime.invoke("APP.CALL", "x") == {"value": "x", "worker": "both-1"}


async def test_a_handlers_own_graph_has_its_own_time_limit() -> None:
    async def slow(_: Any, __: WorkerContext) -> Any:
        await anyio.sleep_forever()

    async def outer(value: Any, ctx: WorkerContext) -> Any:
        return await ctx.run(graph("inner").node("slow", "APP.ECHO", [], same), value, timeout=0.01)

    worker = define_worker(type="BOTH", nodes={"APP.CALL": outer, "APP.ECHO": slow})
    async with Ditto(workers=[worker], node_types=ECHO) as runtime:
        with anyio.fail_after(5), pytest.raises(DeadlineError, match="graph inner"):
            await runtime.invoke("APP.CALL", 1)


async def test_a_graph_gives_each_node_one_run_id_and_its_own_execution() -> None:
    seen: list[Any] = []

    async def look(value: Any, ctx: WorkerContext) -> Any:
        seen.append(ctx.execution)
        return value

    plan = graph("g").node("a", "APP.ECHO", [], same).node("b", "APP.ECHO", ["a"], lambda _, out: out["a"])
    async with Ditto(workers=[define_worker(type="L", nodes={"APP.ECHO": look})], node_types=ECHO) as runtime:
        outputs = await runtime.run(plan, 7)
    assert dict(outputs) == {"a": 7, "b": 7}
    assert {(e.graph_id, e.node_id) for e in seen} == {("g", "a"), ("g", "b")}
    assert len({e.run_id for e in seen}) == 1
    assert len({e.id for e in seen}) == 2


async def test_what_a_run_returns_cannot_be_changed() -> None:
    plan = graph("g").node("a", "APP.ECHO", [], same)
    async with Ditto(workers=[echo_worker()], node_types=ECHO) as runtime:
        outputs: Any = await runtime.run(plan, {"list": [1]})
    with pytest.raises(TypeError):
        outputs["b"] = 1
    with pytest.raises(TypeError):
        outputs["a"]["value"]["list"].append(2)


async def test_a_run_pins_nodes_to_workers() -> None:
    plan = graph("g").node("a", "APP.ECHO", [], same).node("b", "APP.ECHO", [], same)
    async with Ditto(workers=[echo_worker(), echo_worker()], node_types=ECHO) as runtime:
        outputs = await runtime.run(plan, 1, workers={"a": "echo-2", "b": "echo-2"})
    assert {output["worker"] for output in outputs.values()} == {"echo-2"}


async def test_resources_are_made_once_per_replica_and_disposed() -> None:
    log: list[str] = []

    async def make(_: Any) -> list[str]:
        await anyio.lowlevel.checkpoint()
        log.append("made")
        return log

    async def use(value: Any, ctx: WorkerContext) -> Any:
        assert ctx.resources is log
        return value

    worker = define_worker(
        type="R", nodes={"APP.ECHO": use}, resources=make, dispose=lambda resources: resources.append("disposed")
    )
    async with Ditto(workers=[worker, worker], node_types=ECHO) as runtime, anyio.create_task_group() as tasks:
        for number in range(6):
            tasks.start_soon(runtime.invoke, "APP.ECHO", number)
    assert sorted(log) == ["disposed", "disposed", "made", "made"]


async def test_closing_lets_accepted_work_finish_and_refuses_new_work() -> None:
    done: list[Any] = []
    go = anyio.Event()

    async def slow(value: Any, ctx: WorkerContext) -> Any:
        await go.wait()
        done.append(await ctx.invoke("APP.CALL", value))
        return value

    async def inner(value: Any, _: WorkerContext) -> Any:
        return value

    worker = define_worker(type="W", nodes={"APP.ECHO": slow, "APP.CALL": inner})
    runtime = Ditto(workers=[worker], node_types=ECHO)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(runtime.invoke, "APP.ECHO", 1)
        await anyio.wait_all_tasks_blocked()
        tasks.start_soon(runtime.close)
        await anyio.wait_all_tasks_blocked()
        with pytest.raises(RuntimeClosedError):
            await runtime.invoke("APP.ECHO", 2)
        go.set()
    assert done == [1]


async def test_closing_cancels_what_does_not_finish_in_time() -> None:
    async def forever(_: Any, __: WorkerContext) -> Any:
        await anyio.sleep_forever()

    runtime = Ditto(workers=[define_worker(type="W", nodes={"APP.ECHO": forever})], node_types=ECHO)
    raised: list[BaseException] = []

    async def call() -> None:
        try:
            await runtime.invoke("APP.ECHO", 1)
        except RuntimeClosedError as error:
            raised.append(error)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(call)
        await anyio.wait_all_tasks_blocked()
        with anyio.fail_after(5):
            await runtime.close(timeout=0.01)
    assert len(raised) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"type": "", "nodes": {"A": echo}}, "needs a type"),
        ({"type": "A", "nodes": {}}, "at least one Node"),
        ({"type": "A", "nodes": {"A": 5}}, "handler of A cannot be called"),
        ({"type": "A", "nodes": {"A": echo}, "concurrency": 0}, "positive"),
        ({"type": "A", "nodes": {"A": echo}, "concurrency": True}, "positive"),
        ({"type": "A", "nodes": {"A": echo}, "expose": ["B"]}, "no handler"),
    ],
)
async def test_a_worker_that_makes_no_sense_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInputError, match=message):
        define_worker(**options)


async def test_a_worker_id_is_taken_once() -> None:
    async with Ditto(node_types=ECHO) as runtime:
        runtime.register(echo_worker(), id="one")
        with pytest.raises(InvalidInputError, match="registered already"):
            runtime.register(echo_worker(), id="one")
