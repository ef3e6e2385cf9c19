"""CONTEXT: what a model may see, as explicit, immutable data.

Error codes: INVALID_INPUT, UNKNOWN_NODE, INLINE_LIMIT_EXCEEDED, ITEM_LIMIT_EXCEEDED, DUPLICATE_ITEM, MISSING_ITEM,
STRATEGY_UNAVAILABLE, RESOLVER_UNAVAILABLE, INVALID_PROVIDER_OUTPUT, BUDGET_UNSATISFIABLE, STATE_STORE_UNAVAILABLE,
CONTEXT_NOT_FOUND, STATE_CONFLICT, INVALID_STATE, QUEUE_FULL.
"""

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from ditto_core.contracts.contract import Contract, Identifier, Seq
from ditto_core.contracts.json import JsonObject
from ditto_core.contracts.message import Message, MessageContent, Reference

Purpose: TypeAlias = Literal["infer", "memory"]
RequestLimit: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000)]


class ContextItem(Contract):
    """One piece of context. The id is unique within its Context."""

    id: Identifier
    content: MessageContent
    source: Reference | None = None
    metadata: JsonObject | None = None


class Context(Contract):
    """Ordered items with unique ids."""

    items: Seq[ContextItem]

    @model_validator(mode="after")
    def _ids_are_unique(self) -> Self:
        ids = [item.id for item in self.items]
        if len(set(ids)) != len(ids):
            twice = next(item for index, item in enumerate(ids) if item in ids[:index])
            raise ValueError(f"the item id {twice[:80]!r} appears twice")
        return self


ContextSource: TypeAlias = Message | Reference | ContextItem


class ContextIngress(Contract):
    """How material from outside enters CONTEXT.UPDATE; `source_node` is kept in the item's metadata."""

    id: Identifier
    source_node: Identifier
    content: MessageContent
    reference: Reference | None = None
    metadata: JsonObject | None = None


class ContextSelection(Contract):
    """What SELECT chose, in order, and the ids of it."""

    purpose: Purpose
    context: Context
    selected_item_ids: Seq[Identifier]


class Scope(Contract):
    """The exact key of state kept in a store. At least one part; there is no parent fallback."""

    session_id: Identifier | None = None
    turn_id: Identifier | None = None
    invocation_id: Identifier | None = None

    @model_validator(mode="after")
    def _at_least_one(self) -> Self:
        if self.session_id is None and self.turn_id is None and self.invocation_id is None:
            raise ValueError("a scope needs sessionId, turnId or invocationId")
        return self


class ContextUpdateInput(Contract):
    """CONTEXT.UPDATE: removes, then adds, then takes ingress into `context`, or into the state under `scope`."""

    context: Context | None = None
    scope: Scope | None = None
    remove_ids: Seq[Identifier] = ()
    add: Seq[ContextItem] = ()
    ingress: Seq[ContextIngress] = ()
    expected_version: int | None = None

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if (self.context is None) == (self.scope is None):
            raise ValueError("exactly one of context and scope is needed")
        return self
