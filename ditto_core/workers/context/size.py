"""How large items are, and the one way in which they are written down to be measured, compared and hashed."""

from __future__ import annotations

import json
from typing import Any

from ditto_core.contracts.context import ContextItem
from ditto_core.contracts.message import ReferencePart, TextPart
from ditto_core.contracts.text import content_text
from ditto_core.errors import ContextError


def canonical_json(value: Any) -> str:
    """JSON without white space, keys sorted by code point, non-ASCII characters as they are.

    Raises ContextError INVALID_INPUT for a whole number of more digits than Python writes (4300).
    """
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    except ValueError:
        raise _too_long() from None


def content_bytes(content: Any) -> int:
    """How much an item holds inline: UTF-8 bytes of its text, or of the compact JSON of what is no text."""
    if isinstance(content, str):
        return len(content.encode())
    if isinstance(content, tuple):
        return sum(map(_part_bytes, content))
    return _json_bytes(content)


def estimate_tokens(item: ContextItem) -> int:
    """A rough count without a tokenizer: a quarter of the UTF-8 bytes of the item's JSON, rounded up."""
    return -(-_json_bytes(item.to_wire()) // 4)


def text_of(content: Any) -> str:
    """A MessageContent as text. Raises like `canonical_json`."""
    try:
        return content_text(content)
    except ValueError:
        raise _too_long() from None


def _part_bytes(part: Any) -> int:
    if isinstance(part, TextPart):
        return len(part.text.encode())
    return _json_bytes(part.reference.to_wire() if isinstance(part, ReferencePart) else part.data)


def _json_bytes(value: Any) -> int:
    return len(canonical_json(value).encode())


def _too_long() -> ContextError:
    return ContextError("an item holds a number that is too long to write", code="INVALID_INPUT")
