"""CONTEXT.UPDATE: removes, adds and takes in, within the policy. A new Context comes out; the old one stays."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ditto_core.contracts.context import Context, ContextIngress, ContextItem, ContextUpdateInput
from ditto_core.contracts.message import ReferencePart, TextPart
from ditto_core.errors import ContextError
from ditto_core.settings.schema_workers import ContextPolicySettings


def update_context(context: Context, given: ContextUpdateInput, policy: ContextPolicySettings) -> Context:
    """The context after `given`: first removals, then additions, then ingress, each in its order.

    Raises ContextError: MISSING_ITEM and DUPLICATE_ITEM where the policy rejects them, ITEM_LIMIT_EXCEEDED and
    INLINE_LIMIT_EXCEEDED for what would come out. Nothing is changed then.
    """
    items = {item.id: item for item in context.items}
    _remove(items, given.remove_ids, policy)
    for item in (*given.add, *map(_taken_in, given.ingress)):
        _put(items, item, policy)
    _check_limits(items.values(), policy)
    return Context(items=tuple(items.values()))


def content_bytes(content: Any) -> int:
    """How much an item holds inline: UTF-8 bytes of its text, or of the compact JSON of what is no text."""
    if isinstance(content, str):
        return len(content.encode())
    if isinstance(content, tuple):
        return sum(map(_part_bytes, content))
    return _json_bytes(content)


def _remove(items: dict[str, ContextItem], ids: Iterable[str], policy: ContextPolicySettings) -> None:
    for item_id in dict.fromkeys(ids):
        if items.pop(item_id, None) is None and policy.missing_removal == "reject":
            raise ContextError(
                f"there is no item {_shown(item_id)} to remove",
                code="MISSING_ITEM",
                hint="Name items that are there, or set workers.context.policy.missingRemoval to ignore.",
            )


def _put(items: dict[str, ContextItem], item: ContextItem, policy: ContextPolicySettings) -> None:
    """Adds an item. An id that is there already keeps its place."""
    if item.id in items:
        if policy.duplicate == "reject":
            raise ContextError(
                f"an item {_shown(item.id)} is there already",
                code="DUPLICATE_ITEM",
                hint="Give it another id, or set workers.context.policy.duplicate to replace or keep-first.",
            )
        if policy.duplicate == "keep-first":
            return
    items[item.id] = item


def _taken_in(ingress: ContextIngress) -> ContextItem:
    """Outside material as an item that says which Node it came through, whatever its own metadata says."""
    metadata = {**(ingress.metadata or {}), "sourceNode": ingress.source_node}
    given: dict[str, Any] = {"id": ingress.id, "content": ingress.content, "metadata": metadata}
    if ingress.reference is not None:
        given["source"] = ingress.reference
    return ContextItem(**given)


def _check_limits(items: Iterable[ContextItem], policy: ContextPolicySettings) -> None:
    kept = list(items)
    if len(kept) > policy.max_items:
        raise ContextError(
            f"{len(kept)} items are more than the {policy.max_items} a context may hold",
            code="ITEM_LIMIT_EXCEEDED",
            hint="Remove items, or raise workers.context.policy.maxItems.",
        )
    for item in kept:
        size = content_bytes(item.content)
        if size > policy.max_inline_bytes:
            raise ContextError(
                f"item {_shown(item.id)} holds {size} bytes, more than the {policy.max_inline_bytes} of one item",
                code="INLINE_LIMIT_EXCEEDED",
                hint="Keep large material elsewhere and refer to it, or raise workers.context.policy.maxInlineBytes.",
            )


def _part_bytes(part: Any) -> int:
    if isinstance(part, TextPart):
        return len(part.text.encode())
    return _json_bytes(part.reference.to_wire() if isinstance(part, ReferencePart) else part.data)


def _json_bytes(value: Any) -> int:
    try:
        return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())
    except ValueError:
        raise ContextError("an item holds a number that is too long to write", code="INVALID_INPUT") from None


def _shown(item_id: str) -> str:
    return repr(item_id[:80])
