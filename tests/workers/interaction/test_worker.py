"""The INTERACTION Worker and its Nodes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import anyio
import pytest

from ditto_core.contracts.nodes import ACT_MCP, ACT_TOOL, OBSERVE, OUTPUT
from ditto_core.errors import InvalidInputError, NoWorkerAvailableError
from ditto_core.runtime.graph import graph
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import define_worker
from ditto_core.sandbox.policy import SandboxPolicy
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.workers.interaction.worker import create_interaction_nodes, create_interaction_worker
from tests.workers.interaction.calls import act, plain_tool, running

pytestmark = pytest.mark.anyio


def test_tool_and_observe_are_always_exposed_and_nothing_that_was_not_given() -> None:
    worker = create_interaction_worker()
    assert (worker.type, set(worker.exposed)) == ("INTERACTION", {ACT_TOOL, OBSERVE})
    assert set(create_interaction_nodes()) == {OBSERVE}
    assert set(create_interaction_nodes(tools=())) == {OBSERVE, ACT_TOOL}


async def test_mcp_and_output_have_no_worker() -> None:
    async with running([]) as runtime:
        with pytest.raises(NoWorkerAvailableError):
            await runtime.invoke(ACT_MCP, {"operation": "discover"})
        with pytest.raises(NoWorkerAvailableError):
            await runtime.invoke(OUTPUT, {"deliveryId": "1", "message": {"role": "assistant", "content": "x"}})


def test_a_list_with_an_invalid_tool_is_refused_at_construction() -> None:
    with pytest.raises(InvalidInputError):
        create_interaction_worker(tools=[plain_tool(print, name="no good")])


async def test_a_list_is_registered_once() -> None:
    tools = [plain_tool(lambda arguments, ctx: "first")]
    worker = create_interaction_worker(tools=tools)
    tools[0] = plain_tool(lambda arguments, ctx: "second")
    async with Ditto(sandbox=Sandbox(".", SandboxPolicy(tools={"probe"})), workers=[worker]) as runtime:
        assert (await act(runtime, "probe")).content == "first"


async def test_concurrency_bounds_the_calls_under_way() -> None:
    under_way = [0, 0]

    async def execute(arguments: Any, ctx: Any) -> str:
        under_way[0] += 1
        under_way[1] = max(under_way)
        for _ in range(5):
            await anyio.lowlevel.checkpoint()
        under_way[0] -= 1
        return "done"

    worker = create_interaction_worker(tools=[plain_tool(execute)], concurrency=2)
    runtime = Ditto(sandbox=Sandbox(".", SandboxPolicy(tools={"probe"})), workers=[worker])
    async with runtime, anyio.create_task_group() as tasks:
        for _ in range(6):
            tasks.start_soon(act, runtime, "probe")
    assert under_way[1] == 2


async def test_the_handlers_serve_a_worker_of_the_applications_own() -> None:
    tools = [plain_tool(lambda arguments, ctx: ctx.resources)]
    worker = define_worker(type="MINE", nodes=create_interaction_nodes(tools=tools), resources=lambda services: "pool")
    async with Ditto(sandbox=Sandbox(".", SandboxPolicy(tools={"probe"})), workers=[worker]) as runtime:
        assert (await act(runtime, "probe")).content == "pool"


async def test_act_and_observe_compose_in_a_graph() -> None:
    plan = (
        graph("look")
        .node("act", ACT_TOOL, [], lambda call, _: {"call": call})
        .node("see", OBSERVE, ["act"], lambda _, done: {"result": done["act"]})
    )
    async with running([plain_tool(lambda arguments, ctx: {"n": 1})]) as runtime:
        outputs = await runtime.run(plan, {"id": "a", "name": "probe", "arguments": {}}, timeout=20)
    assert outputs["see"].message.content == '{"n":1}'
    assert outputs["see"].call_id == "a"


def test_importing_the_worker_loads_no_schema_engine() -> None:
    script = (
        "import sys, ditto_core.workers.interaction.worker, ditto_core.workers.interaction.tools.builtin as b; "
        "b.create_file_tools(); "
        "print([name for name in ('jsonschema_rs', 'rich', 'yaml', 'httpx2', 'mcp') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
