"""What the policy says about the items of a Context."""

from __future__ import annotations

from collections.abc import Sequence

from ditto_core.contracts.context import ContextItem
from ditto_core.errors import ContextError
from ditto_core.settings.schema_workers import ContextPolicySettings
from ditto_core.workers.context.size import content_bytes


def put_item(items: dict[str, ContextItem], item: ContextItem, policy: ContextPolicySettings) -> None:
    """Adds an item. An id that is there already keeps its place. Raises ContextError DUPLICATE_ITEM."""
    if item.id in items:
        if policy.duplicate == "reject":
            raise ContextError(
                f"an item {shown(item.id)} is there already",
                code="DUPLICATE_ITEM",
                hint="Give it another id, or set workers.context.policy.duplicate to replace or keep-first.",
            )
        if policy.duplicate == "keep-first":
            return
    items[item.id] = item


def check_limits(items: Sequence[ContextItem], policy: ContextPolicySettings) -> None:
    """Raises ContextError ITEM_LIMIT_EXCEEDED or INLINE_LIMIT_EXCEEDED for what a Context may not hold."""
    if len(items) > policy.max_items:
        raise ContextError(
            f"{len(items)} items are more than the {policy.max_items} a context may hold",
            code="ITEM_LIMIT_EXCEEDED",
            hint="Remove items, or raise workers.context.policy.maxItems.",
        )
    for item in items:
        size = content_bytes(item.content)
        if size > policy.max_inline_bytes:
            raise ContextError(
                f"item {shown(item.id)} holds {size} bytes, more than the {policy.max_inline_bytes} of one item",
                code="INLINE_LIMIT_EXCEEDED",
                hint="Keep large material elsewhere and refer to it, or raise workers.context.policy.maxInlineBytes.",
            )


def shown(item_id: str) -> str:
    """An id for a message, cut."""
    return repr(item_id[:80])
