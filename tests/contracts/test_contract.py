"""What every contract type promises."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_core.contracts.context import Context, ContextUpdateInput, Scope
from ditto_core.contracts.contract import Contract
from ditto_core.contracts.events import RunCompleted
from ditto_core.contracts.infer import GenerationConfig, ModelMessage, SampleInput, Usage
from ditto_core.contracts.interaction import ExternalResult, ToolCall
from ditto_core.contracts.json import FrozenArray, FrozenObject, freeze_json
from ditto_core.contracts.message import Message, text_part
from ditto_core.errors import InvalidInputError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def message(**changes: Any) -> dict[str, Any]:
    return {"role": "user", "content": "x", **changes}


def test_both_spellings_are_accepted_in_python_and_only_camel_case_on_the_wire() -> None:
    camel = GenerationConfig.parse({"maxTokens": 5})
    assert camel == GenerationConfig.parse({"max_tokens": 5}) == GenerationConfig(max_tokens=5)
    assert camel.to_wire() == {"maxTokens": 5}
    assert GenerationConfig.project({"max_tokens": 5, "maxTokens": 7}) == GenerationConfig(max_tokens=7)


def test_an_unknown_field_is_refused_from_callers_and_dropped_from_outside() -> None:
    with pytest.raises(InvalidInputError, match=r"^Usage\.tokens: unknown field$"):
        Usage.parse({"tokens": 1})
    assert Usage.project({"tokens": 1, "inputTokens": 2}) == Usage(input_tokens=2)


def test_a_value_cannot_be_changed() -> None:
    call = ToolCall.parse({"id": "1", "name": "t", "arguments": {"list": [1, {"deep": 2}]}})
    arguments: Any = call.arguments
    with pytest.raises(Exception, match="frozen"):
        call.id = "2"  # type: ignore[misc]  # refusing it is the subject
    changes: list[Callable[[], Any]] = [
        lambda: arguments.update(x=1),
        lambda: arguments.__setitem__("list", 1),
        lambda: arguments["list"].append(2),
        lambda: arguments["list"][1].pop("deep"),
        lambda: arguments["list"][1].__ior__({"more": 1}),
        lambda: arguments["list"].__iadd__([1]),
    ]
    for change in changes:
        with pytest.raises(TypeError, match="read-only"):
            change()
    assert call.to_wire()["arguments"] == {"list": [1, {"deep": 2}]}


def test_what_was_passed_in_may_change_without_effect() -> None:
    arguments = {"list": [1]}
    call = ToolCall(id="1", name="t", arguments=arguments)
    arguments["list"].append(2)
    assert call.arguments == {"list": [1]}


def test_a_field_that_was_not_given_is_left_out_and_null_stays_null() -> None:
    assert ExternalResult(call_id="1", source="t", status="success", content=None).to_wire() == {
        "callId": "1",
        "source": "t",
        "status": "success",
        "content": None,
    }
    assert Message(role="user", content="x").to_wire() == message()


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_an_identifier_is_not_blank(text: str) -> None:
    with pytest.raises(InvalidInputError, match=r"ToolCall\.id: must not be empty"):
        ToolCall.parse({"id": text, "name": "t", "arguments": {}})


@pytest.mark.parametrize("arguments", ["{}", [], None, 5])
def test_an_object_is_needed_where_an_object_is_needed(arguments: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"ToolCall\.arguments: a JSON object is needed"):
        ToolCall.parse({"id": "1", "name": "t", "arguments": arguments})


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (float("nan"), r"\$\.a\[0\]"),
        (float("inf"), r"\$\.a\[0\]"),
        (b"x", r"\$\.a\[0\]"),
        ({1, 2}, r"\$\.a\[0\]"),
        (print, r"\$\.a\[0\]"),
        ("\ud800", r"\$\.a\[0\]"),
        ({1: 2}, r"\$\.a\[0\]"),
    ],
)
def test_what_json_cannot_say_is_refused_with_its_path(value: Any, where: str) -> None:
    with pytest.raises(InvalidInputError, match=rf"content: {where}: "):
        Message.parse(message(content={"a": [value]}))


def test_a_cycle_is_refused() -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    with pytest.raises(InvalidInputError, match="nested deeper"):
        freeze_json(cycle)


def test_a_refused_value_is_never_quoted() -> None:
    secret = message(content=b"sk-canary-1234")
    with pytest.raises(InvalidInputError) as caught:
        SampleInput.parse({"messages": [secret], "model": {"model": "m"}, "k": "sk-canary-1234"})
    assert "canary" not in str(caught.value)


@given(JSON)
def test_freezing_keeps_the_value_and_can_be_dumped(value: Any) -> None:
    frozen = freeze_json(value)
    assert frozen == value
    assert json.loads(json.dumps(frozen)) == value
    assert freeze_json(frozen) is frozen or not isinstance(frozen, FrozenObject | FrozenArray)
    assert copy.deepcopy(frozen) == pickle.loads(pickle.dumps(frozen)) == value


@given(JSON)
def test_a_message_survives_the_wire(value: Any) -> None:
    made = Message.parse(message(content=value)) if not _looks_like_parts(value) else None
    if made is not None:
        assert Message.project(json.loads(json.dumps(made.to_wire()))) == made


def _looks_like_parts(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(item, dict) and "type" in item for item in value)


def test_parts_are_recognised_and_malformed_ones_refused() -> None:
    parts = Message.parse(message(content=[{"type": "text", "text": "a"}, {"type": "json", "data": [1]}]))
    assert parts.content[0] == text_part("a")
    assert Message.parse(parts.to_wire()) == parts
    with pytest.raises(InvalidInputError, match=r"content: \[0\]\.text"):
        Message.parse(message(content=[{"type": "text"}]))
    assert Message.parse(message(content=[{"type": "other"}])).content == [{"type": "other"}]


def test_a_context_has_unique_ids() -> None:
    with pytest.raises(InvalidInputError, match="'a' appears twice"):
        Context.parse({"items": [{"id": "a", "content": 1}, {"id": "a", "content": 2}]})


def test_an_update_has_one_target_and_a_scope_one_part() -> None:
    for body in ({}, {"context": {"items": []}, "scope": {"turnId": "1"}}):
        with pytest.raises(InvalidInputError, match="exactly one of context and scope"):
            ContextUpdateInput.parse(body)
    with pytest.raises(InvalidInputError, match="a scope needs"):
        Scope.parse({})


def test_a_failure_without_error_and_a_success_without_content_are_refused() -> None:
    base = {"callId": "1", "source": "t"}
    with pytest.raises(InvalidInputError, match="needs an error"):
        ExternalResult.parse({**base, "status": "failed", "content": "x"})
    with pytest.raises(InvalidInputError, match="needs content"):
        ExternalResult.parse({**base, "status": "success"})


@pytest.mark.parametrize("block", [{"text": "x"}, {"type": "text"}, {"type": "image", "data": "x"}, {"type": 5}])
def test_a_content_block_is_tagged_and_complete(block: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"content\[0\]"):
        ModelMessage.parse({"role": "user", "content": [block]})
    assert ModelMessage.parse({"role": "user", "content": [{"type": "vendor_block", "x": 1}]}).content


def test_an_action_name_is_declared_once() -> None:
    action = {"name": "a", "inputSchema": {}}
    with pytest.raises(InvalidInputError, match="'a' is declared twice"):
        SampleInput.parse({"messages": [message()], "model": {"model": "m"}, "actions": [action, action]})


@pytest.mark.parametrize("field", ["inputTokens", "totalTokens"])
def test_usage_counts_are_whole_and_not_negative(field: str) -> None:
    for value in (-1, 1.5, "3", True):
        with pytest.raises(InvalidInputError):
            Usage.parse({field: value})


def test_a_set_or_a_generator_is_no_list() -> None:
    with pytest.raises(InvalidInputError, match="a list is needed"):
        Context.parse({"items": {1}})
    with pytest.raises(InvalidInputError, match="a list is needed"):
        Context.parse({"items": iter(())})


def test_an_instance_is_passed_through() -> None:
    usage = Usage(input_tokens=1)
    assert Usage.parse(usage) is usage
    assert issubclass(RunCompleted, Contract)


def test_read_only_json_is_made_by_freezing_only() -> None:
    for kind in (FrozenObject, FrozenArray):
        with pytest.raises(TypeError, match="freeze_json"):
            kind()
    frozen = freeze_json({"a": [1]})
    with pytest.raises(TypeError, match="freeze_json"):
        frozen.__init__(b=2)
    assert frozen == {"a": [1]}


def test_a_whole_number_of_thousands_of_digits_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="bits"):
        freeze_json([10**400])
    assert freeze_json(2**1023) == 2**1023
    with pytest.raises(InvalidInputError):
        Usage.parse({"inputTokens": 2**63})
