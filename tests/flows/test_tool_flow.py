"""The tool flow: call, observation, Context."""

from typing import Any

import pytest

from ditto_core.contracts.context import Context, ContextItem
from ditto_core.errors import DependencyError, InvalidArgumentsError, InvalidInputError, PermissionDeniedError
from ditto_core.flows.tool import ToolFlowResult, run_tool_call_flow
from ditto_core.workers.context.worker import create_context_worker
from tests.flows.agent import TOOL_NAMES, Agent, says

pytestmark = pytest.mark.anyio

BEFORE = Context(items=(ContextItem(id="kept", content="before"),))


async def flow(name: str, arguments: dict[str, Any], tools: tuple[str, ...] = TOOL_NAMES) -> ToolFlowResult:
    agent = Agent(says("unused"), tools=tools, workers=[create_context_worker()])
    async with agent.runtime() as runtime:
        call = {"id": "c1", "name": name, "arguments": arguments}
        return await run_tool_call_flow(runtime, {"context": BEFORE, "call": call})


async def test_the_observation_enters_the_context_as_ingress_with_its_correlation() -> None:
    result = await flow("echo", {"text": "hello"})
    assert result.output.content == "hello"
    assert result.observation.message.content == "hello"
    assert [item.id for item in result.context.items] == ["kept", "observation:c1"]
    added = result.context.items[1]
    assert added.content == "hello"
    assert added.metadata == {
        "callId": "c1",
        "source": "echo",
        "status": "success",
        "sourceNode": "INTERACTION.OBSERVE",
    }
    assert [item.id for item in BEFORE.items] == ["kept"]


async def test_a_failed_result_still_becomes_an_observation() -> None:
    result = await flow("refuses", {})
    assert (result.output.status, result.observation.status) == ("failed", "failed")
    assert result.context.items[1].metadata is not None
    assert result.context.items[1].metadata["status"] == "failed"


@pytest.mark.parametrize(
    ("name", "arguments", "tools", "error"),
    [
        ("echo", {"text": "x"}, ("counter",), PermissionDeniedError),
        ("echo", {"wrong": 1}, TOOL_NAMES, InvalidArgumentsError),
        ("ghost", {}, ("ghost",), DependencyError),
        ("crashes", {}, TOOL_NAMES, DependencyError),
    ],
)
async def test_what_is_no_business_result_is_raised(
    name: str, arguments: dict[str, Any], tools: tuple[str, ...], error: type[Exception]
) -> None:
    with pytest.raises(error):
        await flow(name, arguments, tools)


@pytest.mark.parametrize("body", [{}, {"context": {"items": []}}, {"context": {"items": []}, "call": {"id": "1"}}])
async def test_invalid_input_is_raised_with_its_path(body: dict[str, Any]) -> None:
    async with Agent(says("unused")).runtime() as runtime:
        with pytest.raises(InvalidInputError, match="ToolFlowInput"):
            await run_tool_call_flow(runtime, body)
