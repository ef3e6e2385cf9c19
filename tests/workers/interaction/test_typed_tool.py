"""Tools out of typed functions."""

from __future__ import annotations

import datetime as dt
import enum
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from ditto_core.contracts.interaction import ToolOutcome
from ditto_core.errors import InvalidArgumentsError, InvalidInputError
from ditto_core.workers.interaction.tools.registry import ToolRegistry
from ditto_core.workers.interaction.tools.tool import RegisteredTool
from ditto_core.workers.interaction.tools.typed import tool
from tests.workers.interaction.calls import act, running

if TYPE_CHECKING:
    from nowhere import Context  # type: ignore[import-not-found]  # it exists for nobody, as some annotations do

pytestmark = pytest.mark.anyio


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Point(BaseModel):
    x: int
    y: int = 0


async def called(made: RegisteredTool, **arguments: Any) -> Any:
    """The structured content, or else the content."""
    async with running([made]) as runtime:
        result = await act(runtime, made.name, arguments)
    return result.content if result.structured_content is None else result.structured_content


def schema_of(made: RegisteredTool) -> dict[str, Any]:
    return dict(made.definition().to_wire()["inputSchema"])


@tool
def add(a: int, b: int = 2) -> int:
    """Adds two numbers.

    Whole numbers only.

    Args:
        a: The first one,
            on two lines.
        b (int): The second one.

    Returns:
        Their sum.
    """
    return a + b


async def test_signature_and_docstring_become_the_definition() -> None:
    definition = add.definition()
    assert definition.name == "add"
    assert definition.description is not None
    assert definition.description.startswith("Adds two numbers.\n\nWhole numbers only.")
    assert schema_of(add) == {
        "type": "object",
        "properties": {
            "a": {"type": "integer", "description": "The first one, on two lines."},
            "b": {"type": "integer", "default": 2, "description": "The second one."},
        },
        "required": ["a"],
        "additionalProperties": False,
    }


async def test_defaults_of_the_function_count() -> None:
    assert await called(add, a=1) == 3
    assert await called(add, a=1, b=1) == 2


@pytest.mark.parametrize("arguments", [{}, {"a": "1"}, {"a": 1.5}, {"a": True}, {"a": 1, "c": 2}, {"a": None}])
async def test_arguments_are_strict(arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentsError):
        await called(add, **arguments)


async def test_the_decorator_takes_name_description_effects_and_approval() -> None:
    @tool(name="send", description="Sends.", effects=["network"], requires_approval=True)
    async def anything(to: str) -> str:
        return to

    definition = anything.definition()
    assert (definition.name, definition.description) == ("send", "Sends.")
    assert (definition.effects, definition.requires_approval) == (("network",), True)


async def test_rest_docstrings_describe_arguments_too() -> None:
    @tool
    def find(text: str, limit: int = 5) -> str:
        """Finds things.

        :param text: What to find.
        :param int limit: How many
            at most.
        """
        return text

    properties = schema_of(find)["properties"]
    assert properties["text"]["description"] == "What to find."
    assert properties["limit"]["description"] == "How many at most."
    assert find.description == "Finds things."


async def test_a_function_without_docstring_or_parameters_is_a_tool() -> None:
    @tool
    def now() -> str:
        return "now"

    assert schema_of(now) == {"type": "object", "properties": {}, "additionalProperties": False}
    assert await called(now) == "now"


async def test_rich_types_arrive_as_themselves() -> None:
    @tool
    async def show(
        at: dt.date,
        colour: Colour,
        path: Path,
        kind: Literal["a", "b"] = "a",
        many: list[Point] | None = None,
        tagged: Annotated[int, Field(ge=1, description="at least 1")] = 1,
    ) -> dict[str, Any]:
        assert isinstance(at, dt.date)
        assert isinstance(path, Path)
        assert many == [Point(x=4)]
        return {"at": at.isoformat(), "colour": colour.name, "x": many[0].x, "kind": kind, "tagged": tagged}

    given = {"at": "2024-02-29", "colour": "red", "path": "a/b", "many": [{"x": 4}]}
    assert await called(show, **given) == {"at": "2024-02-29", "colour": "RED", "x": 4, "kind": "a", "tagged": 1}
    assert schema_of(show)["properties"]["tagged"] == {
        "type": "integer",
        "minimum": 1,
        "default": 1,
        "description": "at least 1",
    }
    with pytest.raises(InvalidArgumentsError) as caught:  # a date by its form, but there is none
        await called(show, **{**given, "at": "2023-02-29"})
    assert caught.value.path.startswith("arguments")
    with pytest.raises(InvalidArgumentsError):
        await called(show, **{**given, "where": {"z": 1}})


async def test_arguments_may_have_the_names_of_model_attributes() -> None:
    @tool
    def odd(schema: str, copy: int, json: bool, model_config: str = "m", _private: int = 1) -> dict[str, Any]:
        return {"schema": schema, "copy": copy, "json": json, "model_config": model_config}

    assert set(schema_of(odd)["properties"]) == {"schema", "copy", "json", "model_config", "_private"}
    assert await called(odd, schema="s", copy=1, json=True) == {
        "schema": "s",
        "copy": 1,
        "json": True,
        "model_config": "m",
    }


async def test_the_context_is_no_argument_and_its_type_need_not_exist() -> None:
    @tool
    async def where(prefix: str, ctx: Context) -> str:
        return f"{prefix} {ctx.worker.type}"

    assert list(schema_of(where)["properties"]) == ["prefix"]
    assert await called(where, prefix="at") == "at INTERACTION"


async def test_a_plain_function_runs_beside_the_loop_and_an_async_one_on_it() -> None:
    @tool
    def beside() -> bool:
        return threading.current_thread() is threading.main_thread()

    @tool
    async def on_it() -> bool:
        return threading.current_thread() is threading.main_thread()

    assert await called(beside) is False
    assert await called(on_it) is True


async def test_a_model_is_returned_as_json_and_an_outcome_as_itself() -> None:
    @tool
    def point() -> Point:
        return Point(x=1)

    @tool
    def outcome() -> ToolOutcome:
        return ToolOutcome(status="success", content="as it is")

    assert await called(point) == {"x": 1, "y": 0}
    assert await called(outcome) == "as it is"


async def test_a_default_that_is_no_json_is_left_out_of_the_schema() -> None:
    marker = object()

    @tool
    def probe(value: Any = marker) -> bool:
        return value is marker

    assert schema_of(probe)["properties"] == {"value": {}}
    assert await called(probe) is True


async def test_parameters_without_a_name_are_refused() -> None:
    def some(*values: int) -> None: ...
    def named(**values: int) -> None: ...
    def positional(value: int, /) -> None: ...

    for function in (some, named, positional):
        with pytest.raises(InvalidInputError, match="cannot be given by name"):
            tool(function)


async def test_types_are_read_when_the_tool_is_registered() -> None:
    @tool
    def later(value: Unknown) -> str:  # type: ignore[name-defined]  # noqa: F821  # that is the subject
        return ""

    @tool
    def impossible(value: threading.Lock) -> str:  # type: ignore[valid-type, unused-ignore]  # a class on 3.13 only
        return ""

    for made in (later, impossible):
        with pytest.raises(InvalidInputError):
            ToolRegistry([made])
