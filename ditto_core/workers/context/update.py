"""CONTEXT.UPDATE: removes, adds and takes in, within the policy. A new Context comes out; the old one stays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ditto_core.contracts.context import Context, ContextIngress, ContextItem, ContextUpdateInput
from ditto_core.errors import ContextError
from ditto_core.settings.schema_workers import ContextPolicySettings
from ditto_core.workers.context.policy import check_limits, put_item, shown


def update_context(context: Context, given: ContextUpdateInput, policy: ContextPolicySettings) -> Context:
    """The context after `given`: first removals, then additions, then ingress, each in its order.

    Raises ContextError: MISSING_ITEM and DUPLICATE_ITEM where the policy rejects them, ITEM_LIMIT_EXCEEDED and
    INLINE_LIMIT_EXCEEDED for what would come out. Nothing is changed then.
    """
    items = {item.id: item for item in context.items}
    _remove(items, given.remove_ids, policy)
    for item in (*given.add, *map(_taken_in, given.ingress)):
        put_item(items, item, policy)
    kept = tuple(items.values())
    check_limits(kept, policy)
    return Context(items=kept)


def _remove(items: dict[str, ContextItem], ids: Iterable[str], policy: ContextPolicySettings) -> None:
    for item_id in dict.fromkeys(ids):
        if items.pop(item_id, None) is None and policy.missing_removal == "reject":
            raise ContextError(
                f"there is no item {shown(item_id)} to remove",
                code="MISSING_ITEM",
                hint="Name items that are there, or set workers.context.policy.missingRemoval to ignore.",
            )


def _taken_in(ingress: ContextIngress) -> ContextItem:
    """Outside material as an item that says which Node it came through, whatever its own metadata says."""
    metadata = {**(ingress.metadata or {}), "sourceNode": ingress.source_node}
    given: dict[str, Any] = {"id": ingress.id, "content": ingress.content, "metadata": metadata}
    if ingress.reference is not None:
        given["source"] = ingress.reference
    return ContextItem(**given)
