"""Arguments against their JSON Schema."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ditto_core.contracts.json import freeze_json
from ditto_core.contracts.schema import ArgumentsSchema
from ditto_core.errors import InvalidArgumentsError, InvalidInputError


def schema(**properties: Any) -> ArgumentsSchema:
    return ArgumentsSchema({"type": "object", "properties": properties, "additionalProperties": False})


def refusal(checked: ArgumentsSchema, arguments: Any) -> InvalidArgumentsError:
    with pytest.raises(InvalidArgumentsError) as caught:
        checked.check(arguments)
    return caught.value


def test_arguments_that_fit_pass() -> None:
    schema(n={"type": "integer", "minimum": 1}).check({"n": 3})


def test_frozen_schemas_and_frozen_arguments_are_accepted() -> None:
    frozen = freeze_json(
        {"type": "object", "properties": {"l": {"type": "array", "items": {"enum": ["a"]}}}, "required": ["l"]}
    )
    checked = ArgumentsSchema(frozen)
    checked.check(freeze_json({"l": ["a"]}))
    assert refusal(checked, freeze_json({"l": ["b"]})).path == "arguments.l[0]"


@pytest.mark.parametrize(
    ("name", "rules", "value", "said"),
    [
        ("n", {"type": "integer"}, "3", 'must be integer, not string (schema: properties.n.type: "integer")'),
        ("n", {"minimum": 1}, 0, "less than the minimum of 1 (schema: properties.n.minimum: 1)"),
        ("s", {"maxLength": 3}, "abcd", "longer than 3 characters (schema: properties.s.maxLength: 3)"),
        ("e", {"enum": ["x", "y"]}, "z", '(schema: properties.e.enum: ["x", "y"])'),
        ("p", {"pattern": "^a$"}, "b", 'does not match "^a$" (schema: properties.p.pattern: "^a$")'),
        ("l", {"items": {"required": ["k"]}}, [{}], "k is required, but missing (schema: properties.l.items.required"),
        ("u", {"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, "must be string, not integer, or must be null"),
        ("f", False, 1, "is never allowed"),
        ("o", {"oneOf": [{"minimum": 1}, {"type": "integer"}]}, 2, "exactly one is needed"),
    ],
)
def test_a_refusal_says_where_what_rule_and_which_line(name: str, rules: Any, value: Any, said: str) -> None:
    error = refusal(schema(**{name: rules}), {name: value})
    assert error.path.startswith(f"arguments.{name}")
    assert error.message.startswith(f"{error.path}: ")
    assert said in error.message


def test_a_missing_argument_is_named() -> None:
    checked = ArgumentsSchema({"type": "object", "required": ["path"]})
    assert "path is required, but missing" in refusal(checked, {}).message


def test_an_unknown_argument_gets_the_nearest_known_name() -> None:
    error = refusal(schema(path={"type": "string"}), {"paht": "x"})
    assert "unknown argument paht" in error.message
    assert error.hint == "Did you mean path?"


def test_three_problems_are_listed_and_the_rest_is_counted() -> None:
    error = refusal(schema(l={"items": {"type": "string"}}), {"l": [1, 2, 3, 4, 5]})
    assert error.message.count("must be string") == 3
    assert error.message.endswith("and 2 more")


def test_large_arguments_are_refused_without_listing_every_problem() -> None:
    error = refusal(schema(l={"items": {"type": "string"}}), {"l": list(range(50_000))})
    assert error.message == 'arguments.l[0]: must be string, not integer (schema: properties.l.items.type: "string")'


@settings(max_examples=50)
@given(st.text(alphabet="0123456789", min_size=8, max_size=5000))
def test_a_value_is_never_quoted(secret: str) -> None:
    checked = schema(
        a={"type": "integer"}, b={"enum": ["x"]}, c={"maxLength": 2}, d={"pattern": "^x$"}, e={"const": "y"}
    )
    for name in "abcde":
        assert secret not in str(refusal(checked, {name: secret}))


def test_a_name_that_is_long_or_holds_control_characters_is_not_quoted() -> None:
    assert "unknown argument (a name of 500 characters)" in refusal(schema(), {"k" * 500: 1}).message
    assert "\x1b" not in refusal(schema(), {"\x1b[2J": 1}).message


@pytest.mark.parametrize(
    "invalid",
    [
        {},
        {"type": "string"},
        [],
        None,
        True,
        {"type": "object", "properties": []},
        {"type": "object", "properties": {"coin": {"type": "string"}, "required": ["coin"]}},
        {"type": "object", "properties": {"a": {"type": "objekt"}}},
        {"type": "object", "properties": {"a": {"type": "string", "required": True}}},
        {"type": "object", "properties": {"a": {"pattern": "("}}},
        {"type": "object", "properties": {"a": {"pattern": "^((.{0,1000}){0,1000}){0,1000}$"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/nowhere"}}},
    ],
)
def test_a_schema_that_is_invalid_or_of_no_object_is_refused(invalid: Any) -> None:
    with pytest.raises(InvalidInputError) as caught:
        ArgumentsSchema(invalid)
    assert not isinstance(caught.value, InvalidArgumentsError)
    assert caught.value.path.startswith("inputSchema")


@pytest.mark.parametrize("uri", ["https://example.com/x.json", "file:///etc/hostname", "other.json"])
def test_a_reference_to_another_document_is_refused_unread(uri: str) -> None:
    with pytest.raises(InvalidInputError, match="nothing is fetched or read"):
        ArgumentsSchema({"type": "object", "properties": {"a": {"$ref": uri}}})


def test_a_reference_to_a_readable_file_is_refused_too(tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text('{"type": "integer"}')
    with pytest.raises(InvalidInputError, match="nothing is fetched or read"):
        ArgumentsSchema({"type": "object", "properties": {"a": {"$ref": other.as_uri()}}})


def test_references_inside_the_schema_work_also_recursive_ones() -> None:
    checked = ArgumentsSchema(
        {
            "type": "object",
            "$defs": {"n": {"type": "integer"}},
            "properties": {"n": {"$ref": "#/$defs/n"}, "a": {"$ref": "#"}},
        }
    )
    checked.check({"a": {"a": {"n": 1}}})
    assert refusal(checked, {"a": {"a": {"n": "1"}}}).path == "arguments.a.a.n"


def test_the_draft_that_a_schema_names_is_obeyed() -> None:
    items = {"type": "object", "properties": {"a": {"items": [{"type": "string"}]}}}
    old = ArgumentsSchema({"$schema": "http://json-schema.org/draft-07/schema#", **items})
    assert refusal(old, {"a": [1]}).path == "arguments.a[0]"
    with pytest.raises(InvalidInputError):
        ArgumentsSchema(items)


def test_patterns_with_look_around_are_accepted() -> None:
    checked = schema(mail={"type": "string", "pattern": r"^(?!\.)(?!.*\.\.)[a-z.]+@[a-z]+\.[a-z]{2,}$"})
    checked.check({"mail": "a.b@example.org"})
    refusal(checked, {"mail": "a..b@example.org"})


def test_a_nested_repetition_does_not_hang() -> None:
    refusal(schema(s={"pattern": "^(a+)+$"}), {"s": "a" * 50_000 + "b"})


def test_a_pattern_that_would_take_for_ever_is_a_refusal() -> None:
    error = refusal(schema(s={"pattern": r"^(?:(?=a)a|(?=a)aa)+$"}), {"s": "a" * 200 + "b"})
    assert "too many steps" in error.message


@pytest.mark.parametrize("odd", [{"s": "\ud800\ud800"}, {"s": {1, 2}}, {"s": b"x"}, {"s": 10**5000}])
def test_values_that_are_no_json_are_a_refusal(odd: Any) -> None:
    refusal(schema(s={"type": "string", "maxLength": 1}), odd)
