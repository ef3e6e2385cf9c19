"""A tool's schema as options, for schemas that the built-in tools do not have."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ditto_cli.failure import UsageError
from ditto_cli.options import all_globals
from ditto_cli.tool_command import command_of
from ditto_cli.tool_options import ToolOption, arguments_of, options_of
from ditto_core.contracts.interaction import ToolDefinition


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def options(**properties: Any) -> dict[str, ToolOption]:
    return {option.name: option for option in options_of(schema(**properties))}


def flags(**properties: Any) -> dict[str, tuple[str, ...]]:
    return {name: option.flags for name, option in options(**properties).items()}


def read(part: dict[str, Any], value: Any) -> Any:
    """What an option of this schema makes of a value of the command line."""
    return arguments_of(options(x=part), {"x": value}, None)["x"]


def parse(properties: dict[str, Any], *words: str) -> Any:
    """The context of a command line for a tool with these properties, parsed by Typer and not run."""
    definition = ToolDefinition.parse({"name": "made_up", "description": "x", "inputSchema": schema(**properties)})
    return command_of(definition).make_context("made_up", list(words))


def help_of(**properties: Any) -> str:
    return str(parse(properties).get_help())


def test_a_property_has_its_exact_name_and_a_kebab_alias() -> None:
    assert flags(startLine={}, max_items={}, path={}) == {
        "startLine": ("--startLine", "--start-line"),
        "max_items": ("--max_items", "--max-items"),
        "path": ("--path",),
    }


def test_an_alias_that_is_a_name_or_another_alias_is_not_taken_twice() -> None:
    assert flags(**{"a_b": {}, "a-b": {}}) == {"a_b": ("--a_b",), "a-b": ("--a-b",)}
    assert flags(fooBar={}, foo_bar={}) == {"fooBar": ("--fooBar", "--foo-bar"), "foo_bar": ("--foo_bar",)}


@pytest.mark.parametrize("name", ["args", "help", "a b", "", "-x", "é", "a=b", "0"])
def test_a_name_that_cannot_be_an_option_is_reached_by_args_only(name: str) -> None:
    assert options(**{name: {"type": "string"}}) == {}
    assert arguments_of({}, {}, f'{{"{name}": 1}}') == {name: 1}


@pytest.mark.parametrize(
    ("part", "value", "expected"),
    [
        ({"type": "string"}, "1", "1"),
        ({"type": "string"}, "", ""),
        ({"type": "integer"}, "-3", -3),
        ({"type": "number"}, "1.5", 1.5),
        ({"type": "number"}, "1e3", 1000.0),
        ({"type": "boolean"}, False, False),
        ({"type": "object"}, '{"a": [1]}', {"a": [1]}),
        ({"type": "array", "items": {"type": "integer"}}, ["1", "2"], [1, 2]),
        ({"type": "array", "items": {"type": "string"}}, ["1", "[2]"], ["1", "[2]"]),
        ({"type": "array", "items": {"type": "object"}}, ['{"a": 1}'], [{"a": 1}]),
        ({"type": "array"}, ["1", "x"], [1, "x"]),
        ({"type": ["string", "null"]}, "5", "5"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "5", "5"),
        ({"oneOf": [{"type": "integer"}, {"type": "null"}]}, "5", 5),
        ({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "null"}]}, ["5"], ["5"]),
        ({"type": ["string", "integer"]}, "5", 5),
        ({"type": ["string", "integer"]}, "five", "five"),
        ({"enum": ["1", "2"]}, "1", "1"),
        ({"const": "1"}, "1", "1"),
        ({"$ref": "#/$defs/Color"}, "red", "red"),
        ({"$ref": "#/$defs/Point"}, '{"x": 1}', {"x": 1}),
        ({}, "null", None),
        ({"type": "strange"}, "x", "x"),
        ({"type": 5}, "x", "x"),
    ],
)
def test_values_are_read_as_the_schema_says(part: dict[str, Any], value: Any, expected: Any) -> None:
    assert read(part, value) == expected


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ({"type": "integer"}, "x"),
        ({"type": "integer"}, "1_000"),
        ({"type": "integer"}, " 1"),
        ({"type": "integer"}, "٣"),
        ({"type": "integer"}, "1.0"),
        ({"type": "integer"}, "9" * 5000),
        ({"type": "number"}, "1,5"),
        ({"type": "object"}, "{"),
        ({"type": "object"}, "[" * 100_000),
        ({"type": "string"}, "\udcff"),
        ({"type": "array", "items": {"type": "integer"}}, ["1", "x"]),
    ],
)
def test_a_value_that_does_not_fit_is_a_usage_error_with_the_schema(part: dict[str, Any], value: Any) -> None:
    with pytest.raises(UsageError) as caught:
        read(part, value)
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("Its schema is {")


def test_an_option_that_was_not_given_is_no_argument() -> None:
    assert arguments_of(options(a={"type": "string"}, b={"type": "array"}), {"a": None, "b": []}, None) == {}


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("[]", "JSON object"),
        ("{", "line 1, column 2"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5000, "a number is too long"),
        ("", "empty"),
        ("@/nowhere/x", "cannot read"),
        ("@\0", "not a file name"),
        ("@/dev/null", "not a regular file"),
        ('{"a": "\udcff"}', "UTF-8"),
    ],
)
def test_all_arguments_at_once_are_one_json_object(raw: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)) as caught:
        arguments_of({}, {}, raw)
    assert "--args" in caught.value.message


def test_a_boolean_can_be_switched_off_where_the_name_is_free() -> None:
    part = {"type": "boolean"}
    assert options(deepScan=part)["deepScan"].off == "--no-deep-scan"
    assert options(**{"x": part, "no-x": {"type": "string"}})["x"].off is None
    assert parse({"deepScan": part}, "--no-deep-scan").params["p0"] is False
    assert parse({"deepScan": part}, "--deepScan").params["p0"] is True
    assert parse({"deepScan": part}).params["p0"] is None


def test_the_schema_wins_over_a_global_option_of_the_same_name() -> None:
    context = parse({"config": {"type": "string"}, "json": {"type": "boolean"}}, "--config", "x", "--json")
    assert context.params["p0"] == "x"
    assert context.params["p1"] is True
    assert "config" not in context.params
    assert all_globals(context, dict(context.params)).format == "text"


def test_a_global_option_keeps_the_flags_that_the_schema_leaves() -> None:
    context = parse({"workspace": {"type": "string"}, "q": {"type": "string"}}, "--workspace", "mine", "-C", "there")
    assert context.params["p0"] == "mine"
    assert context.params["workspace"] == "there"


def test_help_shows_the_options_with_types_and_the_description_on_one_line() -> None:
    text = help_of(
        startLine={"type": "integer", "description": "First\nline\x1b[31m."}, paths={"type": "array"}, any_thing={}
    )
    assert "--startLine, --start-line INTEGER" in text
    assert re.search(r"--paths ITEM", text)
    assert "\x1b" not in text
    assert "--args JSON|@FILE|-" in text


def test_a_schema_without_properties_has_no_options() -> None:
    assert options_of({"type": "object"}) == ()
    assert options_of({"type": "object", "properties": []}) == ()
    assert options_of(schema(x=True)) == (ToolOption("x", ("--x",), {}),)
