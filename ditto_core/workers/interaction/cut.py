"""Results that are too large for a model, cut so that it says so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ditto_core.contracts.interaction import ToolOutcome
from ditto_core.contracts.message import JsonPart, MessagePart, Reference, ReferencePart, TextPart, text_part
from ditto_core.contracts.text import json_text
from ditto_core.workers.interaction.observe import failure_line


def cut_text(text: str, limit: int, *, after: str = "") -> str:
    """At most `limit` bytes of UTF-8: the text, or its beginning and the line `[cut: first N of M bytes]`.

    `after` follows that line. Only the line itself is left when the limit is too small for more.
    """
    size = len(text.encode())
    if size <= limit:
        return text
    kept = head(text, limit - len(note(size, size, after).encode()) - 1)
    return f"{kept}\n{note(len(kept.encode()), size, after)}" if kept else note(0, size, after)


def note(kept: int, size: int, after: str = "") -> str:
    """The line that says how much is left."""
    return f"[cut: first {kept} of {size} bytes]{after}"


def head(text: str, room: int) -> str:
    """The beginning of the text, at most `room` bytes of UTF-8, cut between two characters."""
    return text.encode()[: max(room, 0)].decode(errors="ignore")


def capped(outcome: ToolOutcome, limit: int) -> ToolOutcome:
    """The outcome with at most `limit` bytes of content and of each other part; `metadata.truncated` says it was cut.

    Text is cut between two characters. Structured content is kept whole or left out, and becomes the content, cut,
    where there is none. References are kept from the first one on.
    """
    given = {name: getattr(outcome, name) for name in type(outcome).model_fields if name in outcome.model_fields_set}
    whole = dict(given)
    room = limit if outcome.error is None else max(1, limit - len(failure_line(outcome).encode()) - 1)
    if outcome.content is not None:
        given["content"] = _content(outcome.content, room)
    structured = None if outcome.structured_content is None else json_text(outcome.structured_content)
    if structured is not None and len(structured.encode()) > room:
        del given["structured_content"]
        if outcome.content is None:
            given["content"] = cut_text(structured, room)
    if outcome.references is not None:
        given["references"] = _references(outcome.references, limit)
    if outcome.metadata is not None and len(json_text(outcome.metadata).encode()) > limit:
        given["metadata"] = {}
    if given == whole:
        return outcome
    given["metadata"] = {**(given.get("metadata") or {}), "truncated": True}
    return type(outcome)(**given)


def _content(content: Any, limit: int) -> Any:
    if isinstance(content, str):
        return cut_text(content, limit)
    if isinstance(content, tuple):
        return _parts(content, limit)
    text = json_text(content)
    return content if len(text.encode()) <= limit else cut_text(text, limit)


def _parts(parts: Sequence[MessagePart], limit: int) -> Sequence[MessagePart]:
    """Parts as long as there is room; what does not fit is cut or named."""
    kept: list[MessagePart] = []
    for index, part in enumerate(parts):
        size = part_bytes(part)
        if size > limit:
            rest = len(parts) - index - 1
            after = f" {rest} more parts are left out." if rest else ""
            kept.append(text_part(cut_text(_part_text(part), limit, after=after)))
            break
        kept.append(part)
        limit -= size
    return parts if len(kept) == len(parts) and kept[-1] is parts[-1] else tuple(kept)


def part_bytes(part: MessagePart) -> int:
    """The bytes of a part: of its text, or of its JSON."""
    return len(_part_text(part).encode())


def _part_text(part: MessagePart) -> str:
    match part:
        case TextPart():
            return part.text
        case JsonPart():
            return json_text(part.data)
        case ReferencePart():
            return json_text(part.reference.to_wire())


def _references(references: Sequence[Reference], limit: int) -> Sequence[Reference]:
    kept = 0
    for reference in references:
        limit -= len(json_text(reference.to_wire()).encode())
        if limit < 0:
            break
        kept += 1
    return references if kept == len(references) else tuple(references[:kept])
