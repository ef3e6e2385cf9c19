"""Checks in annotations do what pydantic's own validators do, in the same order and with the same JSON Schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import core_schema

from ditto_core.contracts.check import After, Before, Instead


def marked(mark: str) -> Callable[[Any], Any]:
    """A check that shows when it ran."""

    def check(value: Any) -> Any:
        if value == "bad":
            raise ValueError("this is bad")
        return f"{value}{mark}"

    return check


A, B = marked("a"), marked("b")


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (Annotated[str, Before(A)], Annotated[str, BeforeValidator(A)]),
        (Annotated[str, After(A)], Annotated[str, AfterValidator(A)]),
        (Annotated[str, After(A), Before(B)], Annotated[str, AfterValidator(A), BeforeValidator(B)]),
        (Annotated[str, Before(A), After(B)], Annotated[str, BeforeValidator(A), AfterValidator(B)]),
        (Annotated[str, Before(A), Field(max_length=3)], Annotated[str, BeforeValidator(A), Field(max_length=3)]),
        (
            Annotated[str, Instead(A, core_schema.dict_schema(), str.upper)],
            Annotated[str, PlainValidator(A, json_schema_input_type=dict), PlainSerializer(str.upper)],
        ),
    ],
)
def test_a_check_is_as_the_validator_of_that_name(ours: Any, theirs: Any) -> None:
    adapter, model = TypeAdapter[Any](ours), TypeAdapter[Any](theirs)
    for value in ("x", "bad", "long text", 1):
        assert answer(adapter, value) == answer(model, value)
    assert adapter.dump_python("x") == model.dump_python("x")
    assert adapter.json_schema() == model.json_schema()


def answer(adapter: TypeAdapter[Any], value: object) -> object:
    """What comes out of a validation, or the words of its error."""
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        return [detail["msg"] for detail in error.errors()]


def test_a_check_may_refuse() -> None:
    assert answer(TypeAdapter(Annotated[str, After(A)]), "bad") == ["Value error, this is bad"]
