"""CONTEXT.LOAD: messages, references and items become one Context."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from ditto_core.contracts.context import Context, ContextItem
from ditto_core.contracts.message import Message, Reference, ReferencePart
from ditto_core.errors import ContextError, InvalidInputError
from ditto_core.settings.schema_workers import ContextPolicySettings
from ditto_core.workers.context.injected import injected, invalid_output
from ditto_core.workers.context.policy import check_limits, put_item
from ditto_core.workers.context.ports import Resolver
from ditto_core.workers.context.size import canonical_json

_ID_DIGITS = 32


async def load_context(
    sources: Iterable[Message | Reference | ContextItem],
    policy: ContextPolicySettings,
    *,
    resolve: bool = False,
    resolver: Resolver | None = None,
) -> Context:
    """The sources as items, in their order; equal ids meet the policy's `duplicate`.

    With `resolve`, references are fetched one after another. Raises ContextError RESOLVER_UNAVAILABLE,
    INVALID_PROVIDER_OUTPUT, DUPLICATE_ITEM, ITEM_LIMIT_EXCEEDED or INLINE_LIMIT_EXCEEDED.
    """
    items: dict[str, ContextItem] = {}
    for source in sources:
        item = _item(source)
        if resolve and isinstance(source, Reference):
            item = await _resolved(item, source, resolver)
        put_item(items, item, policy)
    kept = tuple(items.values())
    check_limits(kept, policy)
    return Context(items=kept)


def source_id(source: Message | Reference) -> str:
    """`message:` or `reference:` and the first 32 hexadecimal digits of the SHA-256 of the source's canonical JSON.

    Canonical JSON is UTF-8 without white space, keys sorted, fields that are null left out at the top. So the id is
    the same in every process and on every machine, and a source that is equal has an equal id.
    """
    kind = "message" if isinstance(source, Message) else "reference"
    given = {key: value for key, value in source.to_wire().items() if value is not None or key == "content"}
    return f"{kind}:{hashlib.sha256(canonical_json(given).encode()).hexdigest()[:_ID_DIGITS]}"


def _item(source: Message | Reference | ContextItem) -> ContextItem:
    match source:
        case ContextItem():
            return source
        case Reference():
            pointer = ReferencePart(type="reference", reference=source)
            return ContextItem(id=source_id(source), content=(pointer,), source=source)
        case Message(role=role, content=content, name=name):
            metadata = {"role": role} if name is None else {"role": role, "name": name}
            return ContextItem(id=source_id(source), content=content, metadata=metadata)


async def _resolved(item: ContextItem, reference: Reference, resolver: Resolver | None) -> ContextItem:
    if resolver is None:
        raise ContextError(
            "references cannot be resolved: this Worker has no resolver",
            code="RESOLVER_UNAVAILABLE",
            hint="Leave out resolveReferences, or give create_context_worker a resolver.",
        )
    with injected("resolver", "RESOLVER_UNAVAILABLE"):
        content: Any = await resolver(reference)
    if content is None:
        raise invalid_output("resolver", "no content")
    try:
        return ContextItem.parse({"id": item.id, "content": content, "source": reference}, what="content")
    except InvalidInputError as error:
        raise invalid_output("resolver", f"no usable content: {error.message}") from None
