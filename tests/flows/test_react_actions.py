"""Rules of the ReAct flow about actions; each test is named after what the rule says."""

from typing import Any

import pytest

from ditto_core.contracts.infer import ModelFailure, NodeResult
from ditto_core.contracts.json import JsonValue
from ditto_core.contracts.nodes import NodeType
from ditto_core.runtime.worker import WorkerContext, define_worker
from tests.flows.agent import Agent, asks, declared, request, says, tool_messages

pytestmark = pytest.mark.anyio


APP = {"APP.SUM": NodeType(JsonValue, JsonValue), "APP.JUDGE": NodeType(JsonValue, NodeResult[Any])}


async def sum_up(numbers: Any, _: WorkerContext) -> Any:
    return {"sum": sum(numbers["of"])}


async def judge(_: Any, ctx: WorkerContext) -> Any:
    return NodeResult[Any](
        execution_id=ctx.execution.id,
        node="APP.JUDGE",
        status="failed",
        error=ModelFailure(code="UNSURE", message="cannot judge this"),
    )


APP_WORKER = define_worker(type="APP", nodes={"APP.SUM": sum_up, "APP.JUDGE": judge})


async def test_an_action_goes_where_its_descriptor_says_and_not_where_the_model_says() -> None:
    agent = Agent(
        asks(request("renamed", text="x", target={"kind": "node", "node": "APP.SUM"}, server="evil")), says("done")
    )
    open_schema = {"type": "object"}
    result = await agent.run(actions=[declared("renamed", open_schema, kind="tool", name="counter")])
    assert result.status == "completed"
    assert agent.tools.calls == [
        ("counter", {"text": "x", "target": {"kind": "node", "node": "APP.SUM"}, "server": "evil"})
    ]
    assert result.observations[0].source == "counter"


async def test_without_a_target_an_action_is_the_tool_of_its_name() -> None:
    agent = Agent(asks(request("echo", text="hello")), says("done"))
    await agent.run()
    assert agent.tools.calls == [("echo", {"text": "hello"})]


async def test_a_tool_result_passes_through_observe_before_the_model_sees_it() -> None:
    agent = Agent(asks(request("echo", text="hello")), says("done"))
    result = await agent.run()
    message = tool_messages(agent.script.requests[1])[0]
    assert message.content == "hello"
    assert message.metadata == {"actionRequestId": "a1", "name": "echo", "status": "success"}
    assert result.observations[0].message.role == "tool"
    assert result.observations[0].message.name == "echo"


async def test_the_output_of_another_node_becomes_a_success_with_structured_content_and_its_type_as_source() -> None:
    agent = Agent(asks(request("add", of=[1, 2])), says("done"), workers=[APP_WORKER], node_types=APP)
    result = await agent.run(actions=[declared("add", kind="node", node="APP.SUM")])
    observation = result.observations[0]
    assert (observation.status, observation.source) == ("success", "APP.SUM")
    assert observation.structured_content == {"sum": 3}
    assert tool_messages(agent.script.requests[1])[0].content == '{"sum":3}'


async def test_a_node_result_that_failed_becomes_a_failed_observation() -> None:
    agent = Agent(asks(request("judge")), says("done"), workers=[APP_WORKER], node_types=APP)
    result = await agent.run(actions=[declared("judge", kind="node", node="APP.JUDGE")])
    assert result.status == "completed"
    assert result.observations[0].status == "failed"
    assert result.observations[0].error is not None
    assert result.observations[0].error.code == "UNSURE"


async def test_several_actions_of_one_turn_run_one_after_another_in_order() -> None:
    agent = Agent(
        asks(request("echo", "1", text="a"), request("counter", "2"), request("echo", "3", text="b")), says("done")
    )
    await agent.run()
    assert [name for name, _ in agent.tools.calls] == ["echo", "counter", "echo"]
    order = [(event.type, getattr(event, "id", getattr(event, "call_id", ""))) for event in agent.events]
    acts = [entry for entry in order if entry[0] in ("action.started", "observation")]
    assert acts == [(kind, id_) for id_ in "123" for kind in ("action.started", "observation")]


async def test_a_failed_observation_goes_to_the_next_sample() -> None:
    agent = Agent(asks(request("refuses")), says("I could not"))
    result = await agent.run()
    assert result.status == "completed"
    assert "NO_SUCH_THING" in str(tool_messages(agent.script.requests[1])[0].content)


@pytest.mark.parametrize("status", ["cancelled", "timeout", "unknown"])
async def test_an_open_outcome_stops_the_flow_keeps_the_observation_and_is_not_retried(status: str) -> None:
    agent = Agent(asks(request("ends", "1", status=status), request("echo", "2", text="later")), says("never"))
    result = await agent.run()
    assert (result.status, result.stop_reason) == ("partial", "dependency_failed")
    assert result.error is not None
    assert result.error.code == "GONE"
    assert [observation.status for observation in result.observations] == [status]
    assert [left.id for left in result.action_requests] == ["2"]
    assert len(agent.tools.calls) == 1
    assert len(agent.script.requests) == 1


async def test_arguments_that_do_not_match_the_descriptors_schema_are_a_failed_observation_before_dispatch() -> None:
    strict = {"type": "object", "required": ["n"]}
    agent = Agent(asks(request("counter")), says("done"))
    result = await agent.run(actions=[declared("counter", strict)])
    assert result.observations[0].error is not None
    assert result.observations[0].error.code == "INVALID_ARGUMENTS"
    assert agent.tools.calls == []
    assert agent.of_type("action.started") == []


async def test_a_denied_action_is_a_failed_observation_and_an_event_that_names_the_rule() -> None:
    agent = Agent(asks(request("echo", text="x")), says("I may not"), tools=["counter"])
    result = await agent.run()
    assert result.status == "completed"
    assert result.observations[0].error is not None
    assert result.observations[0].error.code == "PERMISSION_DENIED"
    denied = agent.of_type("action.denied")
    assert [(event.kind, event.name) for event in denied] == [("tool", "echo")]
    assert denied[0].rule


async def test_a_tool_error_is_a_failed_observation_with_its_code() -> None:
    agent = Agent(asks(request("refuses")), says("done"))
    result = await agent.run()
    assert result.observations[0].error is not None
    assert result.observations[0].error.code == "NO_SUCH_THING"


@pytest.mark.parametrize(
    ("actions", "code"),
    [
        ([declared("crashes")], "DEPENDENCY_FAILED"),
        ([declared("ghost", kind="tool", name="ghost")], "TOOL_NOT_FOUND"),
        ([declared("lost", kind="node", node="APP.SUM")], "NO_WORKER"),
        ([declared("odd", kind="node", node="APP.TYPO")], "UNKNOWN_NODE"),
    ],
)
async def test_anything_unexpected_is_infrastructure_invents_no_observation_and_stops(
    actions: list[Any], code: str
) -> None:
    name = actions[0]["name"]
    agent = Agent(
        asks(request(name, "1"), request("echo", "2", text="later")),
        says("never"),
        tools=["crashes", "ghost"],
        node_types=APP,
    )
    result = await agent.run(actions=[*actions, declared("echo")])
    assert (result.status, result.stop_reason) == ("partial", "dependency_failed")
    assert result.error is not None
    assert result.error.code == code
    assert "secret inner detail" not in result.error.message
    assert result.observations == ()
    assert [left.id for left in result.action_requests] == ["2"]
