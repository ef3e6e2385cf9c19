"""Registration, permission and the order of checks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from ditto_core.contracts.nodes import ACT_TOOL
from ditto_core.errors import (
    DependencyError,
    InvalidArgumentsError,
    InvalidInputError,
    PermissionDeniedError,
    ToolError,
)
from ditto_core.runtime.runtime import Ditto
from ditto_core.sandbox.policy import SandboxPolicy
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.workers.interaction.tools.registry import ToolRegistry
from ditto_core.workers.interaction.tools.tool import RegisteredTool
from tests.workers.interaction.calls import act, plain_tool, running

pytestmark = pytest.mark.anyio


def hello(arguments: Any, ctx: Any) -> str:
    return "hello"


def number_tool(ran: list[Any], **more: Any) -> RegisteredTool:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}

    def execute(arguments: Any, ctx: Any) -> str:
        ran.append(arguments)
        return "done"

    return plain_tool(execute, input_schema=schema, **more)


async def test_a_call_is_answered_under_its_id_and_the_tools_name() -> None:
    async with running([plain_tool(hello)]) as runtime:
        result = await act(runtime, "probe")
    assert (result.call_id, result.source, result.status, result.content) == ("call-1", "probe", "success", "hello")


async def test_unregistering_answers_true_once_and_then_false() -> None:
    registry = ToolRegistry()
    unregister = registry.register(plain_tool(hello))
    assert [one.name for one in registry.definitions()] == ["probe"]
    assert [unregister(), unregister(), unregister()] == [True, False, False]
    assert registry.definitions() == ()


async def test_an_old_unregister_does_not_take_out_the_successor() -> None:
    registry = ToolRegistry()
    unregister = registry.register(plain_tool(hello))
    unregister()
    registry.register(plain_tool(hello))
    assert unregister() is False
    assert len(registry.definitions()) == 1


async def test_a_registry_changes_while_the_runtime_works() -> None:
    registry = ToolRegistry()
    async with running(registry) as runtime:
        with pytest.raises(DependencyError):
            await act(runtime, "probe")
        unregister = registry.register(plain_tool(hello))
        assert (await act(runtime, "probe")).content == "hello"
        unregister()
        with pytest.raises(DependencyError):
            await act(runtime, "probe")


async def test_a_name_that_is_taken_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="probe is registered already"):
        ToolRegistry([plain_tool(hello), plain_tool(hello)])


@pytest.mark.parametrize("name", ["", " ", "a b", "a.b", "a/b", "ä", "x" * 65, "a\n", None, 5])
async def test_an_invalid_name_is_refused(name: Any) -> None:
    with pytest.raises(InvalidInputError):
        ToolRegistry([plain_tool(hello, name=name)])


async def test_the_longest_name_is_accepted() -> None:
    ToolRegistry([plain_tool(hello, name="a" * 64), plain_tool(hello, name="A-b_9")])


@pytest.mark.parametrize("schema", [{}, {"type": "string"}, {"type": "object", "properties": []}, [], None])
async def test_an_invalid_schema_is_refused_at_registration(schema: Any) -> None:
    with pytest.raises(InvalidInputError):
        ToolRegistry([plain_tool(hello, input_schema=schema)])


async def test_an_unknown_effect_is_refused() -> None:
    with pytest.raises(InvalidInputError):
        ToolRegistry([plain_tool(hello, effects=("teleport",))])


@pytest.mark.parametrize("thing", [hello, "probe", {"name": "probe"}, None])
async def test_only_a_registered_tool_can_be_registered(thing: Any) -> None:
    with pytest.raises(InvalidInputError, match="RegisteredTool"):
        ToolRegistry([thing])


async def test_nothing_is_permitted_by_itself() -> None:
    ran: list[Any] = []
    async with running([number_tool(ran)], policy=SandboxPolicy()) as runtime:
        with pytest.raises(PermissionDeniedError) as caught:
            await act(runtime, "probe")
    assert (caught.value.kind, caught.value.name, ran) == ("tool", "probe", [])


async def test_a_denial_does_not_tell_which_tools_exist() -> None:
    async with running([plain_tool(hello)], policy=SandboxPolicy()) as runtime:
        errors = []
        for name in ("probe", "no_such"):
            with pytest.raises(PermissionDeniedError) as caught:
                await act(runtime, name, {"anything": 1})
            errors.append((str(caught.value) + str(caught.value.hint)).replace(name, "NAME"))
    assert errors[0] == errors[1]


async def test_a_permitted_tool_that_is_not_registered_is_infrastructure() -> None:
    async with running([plain_tool(hello)]) as runtime:
        with pytest.raises(DependencyError) as caught:
            await act(runtime, "prope")
    assert caught.value.code == "TOOL_NOT_FOUND"
    assert caught.value.hint == "Did you mean probe?"


async def test_the_nearest_name_is_named_only_when_it_is_permitted() -> None:
    async with running([plain_tool(hello)], policy=SandboxPolicy(tools={"prope"})) as runtime:
        with pytest.raises(DependencyError) as caught:
            await act(runtime, "prope")
    assert "probe" not in f"{caught.value} {caught.value.hint}"


async def test_arguments_are_checked_after_registration_and_before_the_tool_runs() -> None:
    ran: list[Any] = []
    async with running([number_tool(ran)]) as runtime:
        with pytest.raises(InvalidArgumentsError) as caught:
            await act(runtime, "probe", {"n": "1"})
        assert caught.value.path == "arguments.n"
        with pytest.raises(InvalidArgumentsError):
            await act(runtime, "probe", {"m": 1})
        assert ran == []
        await act(runtime, "probe", {"n": 1})
    assert ran == [{"n": 1}]


@pytest.mark.parametrize("arguments", ["{}", [], None])
async def test_arguments_that_are_no_object_never_reach_the_tool(arguments: Any) -> None:
    ran: list[Any] = []
    async with running([number_tool(ran)]) as runtime:
        with pytest.raises(InvalidInputError):
            await runtime.invoke(ACT_TOOL, {"call": {"id": "1", "name": "probe", "arguments": arguments}})
    assert ran == []


async def test_a_blank_call_id_is_refused_before_the_permission_is_asked() -> None:
    async with running([plain_tool(hello)], policy=SandboxPolicy()) as runtime:
        with pytest.raises(InvalidInputError):
            await runtime.invoke(ACT_TOOL, {"call": {"id": " ", "name": "probe", "arguments": {}}})


async def test_the_arguments_a_tool_gets_cannot_be_changed() -> None:
    def change(arguments: Any, ctx: Any) -> str:
        with pytest.raises(TypeError, match="read-only"):
            arguments["n"] = 2
        return "kept"

    async with running([plain_tool(change)]) as runtime:
        assert (await act(runtime, "probe", {"n": 1})).content == "kept"


async def test_only_permitted_tools_are_listed_in_the_order_of_registration(tmp_path: Path) -> None:
    registry = ToolRegistry([plain_tool(hello, name=name) for name in ("b", "c", "a")])
    async with Ditto(sandbox=Sandbox(tmp_path, SandboxPolicy(tools={"a", "b", "other"}))) as runtime:
        listed = registry.list(runtime)
    assert [definition.name for definition in listed] == ["b", "a"]
    assert not any("execute" in definition.to_wire() for definition in listed)


async def test_a_tool_that_wants_approval_is_not_covered_by_the_star() -> None:
    tool = plain_tool(hello, requires_approval=True)
    async with running([tool]) as runtime:
        with pytest.raises(PermissionDeniedError, match="approval"):
            await act(runtime, "probe")
        assert ToolRegistry([tool]).list(runtime) == ()


async def test_a_tool_that_wants_approval_runs_when_it_was_granted_by_name() -> None:
    tool = plain_tool(hello, requires_approval=True)
    async with running([tool], policy=SandboxPolicy(tools={"*", "probe"})) as runtime:
        assert (await act(runtime, "probe")).content == "hello"
        assert [one.requires_approval for one in ToolRegistry([tool]).list(runtime)] == [True]


async def test_an_ask_rule_with_nobody_to_ask_is_a_denial() -> None:
    policy = SandboxPolicy(tools={"probe"}, ask=["tool:probe"])
    async with running([plain_tool(hello)], policy=policy) as runtime:
        with pytest.raises(PermissionDeniedError):
            await act(runtime, "probe")


async def test_a_tools_own_check_refuses_by_value_error() -> None:
    def check(arguments: Any) -> None:
        if arguments["n"] > 3:
            raise ValueError("n must be at most 3")

    ran: list[Any] = []
    async with running([number_tool(ran, validate=check)]) as runtime:
        with pytest.raises(InvalidArgumentsError, match="n must be at most 3"):
            await act(runtime, "probe", {"n": 4})
        await act(runtime, "probe", {"n": 3})
    assert ran == [{"n": 3}]


async def test_a_tools_own_check_refuses_by_answering_false() -> None:
    ran: list[Any] = []
    async with running([number_tool(ran, validate=lambda arguments: arguments["n"] > 0)]) as runtime:
        with pytest.raises(InvalidArgumentsError):
            await act(runtime, "probe", {"n": 0})
        await act(runtime, "probe", {"n": 1})
    assert ran == [{"n": 1}]


async def test_a_tools_own_check_may_use_pydantic_and_its_words_quote_no_value() -> None:
    class Wanted(BaseModel):
        n: int

    async with running([plain_tool(hello, validate=Wanted.model_validate)]) as runtime:
        with pytest.raises(InvalidArgumentsError) as caught:
            await act(runtime, "probe", {"n": "hunter2hunter2"})
    assert caught.value.path == "arguments.n"
    assert "hunter2" not in str(caught.value)


async def test_an_unsafe_word_of_a_check_is_not_passed_on() -> None:
    def check(arguments: Any) -> None:
        raise ValueError("no such file /home/me/.ssh/id_rsa")

    async with running([plain_tool(hello, validate=check)]) as runtime:
        with pytest.raises(InvalidArgumentsError) as caught:
            await act(runtime, "probe")
    assert "/home" not in str(caught.value)


async def test_a_check_that_crashes_is_infrastructure() -> None:
    def check(arguments: Any) -> None:
        raise SystemExit(0)

    async with running([plain_tool(hello, validate=check)]) as runtime:
        with pytest.raises(DependencyError, match="SystemExit"):
            await act(runtime, "probe")


async def test_a_check_may_say_tool_error() -> None:
    def check(arguments: Any) -> None:
        raise ToolError("CLOSED", "the shop is closed")

    async with running([plain_tool(hello, validate=check)]) as runtime:
        result = await act(runtime, "probe")
    assert (result.status, result.error and result.error.code) == ("failed", "CLOSED")
