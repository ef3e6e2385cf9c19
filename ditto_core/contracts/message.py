"""Messages and the pieces they are made of."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic_core import core_schema

from ditto_core.contracts.check import Instead
from ditto_core.contracts.contract import Contract, Identifier
from ditto_core.contracts.json import JsonValue, freeze_json
from ditto_core.errors import InvalidInputError

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


class Reference(Contract):
    """A pointer to material kept elsewhere. It is kept, not fetched."""

    uri: Identifier
    media_type: str | None = None
    digest: str | None = None


class TextPart(Contract):
    """Text inside a message."""

    type: Literal["text"]
    text: str


class JsonPart(Contract):
    """Data inside a message."""

    type: Literal["json"]
    data: JsonValue


class ReferencePart(Contract):
    """A reference inside a message."""

    type: Literal["reference"]
    reference: Reference


MessagePart: TypeAlias = TextPart | JsonPart | ReferencePart

_PARTS: Mapping[object, type[MessagePart]] = {"text": TextPart, "json": JsonPart, "reference": ReferencePart}


def text_part(text: str) -> TextPart:
    """A text part."""
    return TextPart(type="text", text=text)


def _content(value: object) -> Any:
    """Parts when every element of a list names a part type, plain JSON otherwise."""
    try:
        if isinstance(value, list | tuple) and value and all(_part_type(item) for item in value):
            return tuple(_part(item, index) for index, item in enumerate(value))
        return freeze_json(value)
    except InvalidInputError as error:
        raise ValueError(error.message) from None


def _part_type(item: object) -> type[MessagePart] | None:
    if isinstance(item, TextPart | JsonPart | ReferencePart):
        return type(item)
    if not isinstance(item, Mapping):
        return None
    tag = item.get("type")
    return _PARTS.get(tag) if isinstance(tag, str) else None


def _part(item: object, index: int) -> MessagePart:
    kind = _part_type(item)
    assert kind is not None  # noqa: S101  # checked by the caller, for the type checker
    return kind.parse(item, what=f"[{index}]")


def _dump_content(value: Any) -> Any:
    if isinstance(value, tuple):
        return [part.to_wire() for part in value]
    return value


MessageContent: TypeAlias = Annotated[Any, Instead(_content, core_schema.any_schema(), _dump_content)]
"""Text, any JSON value, or a tuple of MessagePart."""


class Message(Contract):
    """One message. `name` says which tool or server a role=tool message comes from."""

    role: Role
    content: MessageContent
    name: Identifier | None = None
