"""The base of every contract type, and the two ways in: strict for callers, projecting for the outside world."""

from collections.abc import Mapping
from typing import Annotated, Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Strict, ValidationError, model_serializer
from pydantic_core import ErrorDetails

from ditto_core.contracts.check import After, Before
from ditto_core.errors import InvalidInputError

T = TypeVar("T")


def to_camel(name: str) -> str:
    """`input_tokens` → `inputTokens`. pydantic's own takes five patterns for names that no contract has."""
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


class Contract(BaseModel):
    """A frozen value that refuses unknown fields.

    Attributes are snake_case; JSON is camelCase. Python callers may use either spelling, the wire only camelCase.
    A field that was not given and is None is left out of JSON; one that was given as None stays `null`.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        defer_build=True,
        hide_input_in_errors=True,
        allow_inf_nan=False,
    )

    def to_wire(self) -> dict[str, Any]:
        """This value as JSON-compatible Python: camelCase keys, plain dicts and lists."""
        return self.model_dump(mode="json")

    @classmethod
    def parse(cls, value: object, *, what: str | None = None) -> Self:
        """Strictly checks what a caller gave: an instance is returned as it is, a mapping is validated.

        Raises InvalidInputError with the path of the first problem; it never quotes the value.
        """
        if isinstance(value, cls):
            return value
        try:
            return cls.model_validate(_plain(value))
        except ValidationError as error:
            raise invalid_input(error, what or cls.__name__) from None

    @classmethod
    def project(cls, value: object, *, what: str | None = None) -> Self:
        """Reads what came from outside (a tool, a server, a provider): unknown fields are dropped, camelCase only.

        Raises InvalidInputError like `parse`.
        """
        if isinstance(value, cls):
            return value
        try:
            return cls.model_validate(_plain(value), extra="ignore", by_name=False, by_alias=True)
        except ValidationError as error:
            raise invalid_input(error, what or cls.__name__) from None

    @model_serializer(mode="wrap", return_type=Any)
    def _leave_out_what_was_not_given(self, handler: Any) -> dict[str, Any]:
        data: dict[str, Any] = handler(self)
        given = self.model_fields_set
        fields = type(self).model_fields
        for name, field in fields.items():
            if name not in given and getattr(self, name) is None:
                data.pop(field.alias or name, None)
                data.pop(name, None)
        return data


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) and not isinstance(value, dict) else value


def invalid_input(error: ValidationError, what: str) -> InvalidInputError:
    """The first problem of a pydantic error as one line with its path. The refused value is never quoted."""
    details = error.errors(include_url=False, include_context=False, include_input=False)
    first = _most_telling(details)
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return InvalidInputError(f"{_sentence(first)}{more}", path=what + _path(first["loc"]))


def _most_telling(details: list[ErrorDetails]) -> ErrorDetails:
    """In a union every member complains; the longest path belongs to the member that came closest."""
    return max(details, key=lambda detail: len(detail["loc"]))


def _sentence(detail: ErrorDetails) -> str:
    if detail["type"] == "extra_forbidden":
        return "unknown field"
    if detail["type"] == "missing":
        return "required, but missing"
    if detail["type"] == "tuple_type":
        return "a list is needed"
    if detail["type"] in ("model_type", "model_attributes_type"):
        return "an object is needed"
    return detail["msg"].removeprefix("Value error, ")


def _path(loc: tuple[int | str, ...]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _not_blank(value: str) -> str:
    if not value.strip():
        raise ValueError("must not be empty or only white space")
    return value


Seq = Annotated[tuple[T, ...], Before(_as_tuple), Strict()]
"""A JSON array as a tuple. A list is accepted, nothing else that merely iterates."""

Identifier = Annotated[str, After(_not_blank)]
"""Non-empty and not only white space."""
