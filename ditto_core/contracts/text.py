"""The plain text of contents."""

from __future__ import annotations

import json
from typing import Any

from ditto_core.contracts.infer import ModelMessage
from ditto_core.contracts.message import JsonPart, ReferencePart, TextPart


def public_text(message: ModelMessage) -> str:
    """The text of a model message, its text blocks joined; images and native blocks are left out."""
    if isinstance(message.content, str):
        return message.content
    return "".join(str(block["text"]) for block in message.content if block.get("type") == "text")


def content_text(content: Any) -> str:
    """A MessageContent as a model reads it: text as it is, data as compact JSON, references as their uri."""
    if isinstance(content, str):
        return content
    if isinstance(content, tuple):
        return "\n".join(_part_text(part) for part in content)
    return json_text(content)


def json_text(value: Any) -> str:
    """JSON as a model reads it: compact, Unicode as it is. Raises ValueError for an integer of thousands of digits."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _part_text(part: TextPart | JsonPart | ReferencePart) -> str:
    match part:
        case TextPart(text=text):
            return text
        case JsonPart(data=data):
            return json_text(data)
        case ReferencePart(reference=reference):
            return reference.uri
