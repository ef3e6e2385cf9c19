"""CONTEXT: what a model may see, as explicit, immutable data.

Error codes: INVALID_INPUT, UNKNOWN_NODE, INLINE_LIMIT_EXCEEDED, ITEM_LIMIT_EXCEEDED, DUPLICATE_ITEM, MISSING_ITEM,
STRATEGY_UNAVAILABLE, RESOLVER_UNAVAILABLE, INVALID_PROVIDER_OUTPUT, BUDGET_UNSATISFIABLE, STATE_STORE_UNAVAILABLE,
CONTEXT_NOT_FOUND, STATE_CONFLICT, INVALID_STATE, QUEUE_FULL.
"""

from collections.abc import Mapping
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Discriminator, Field, Tag, model_validator

from ditto_core.contracts.contract import Contract, Identifier, Seq
from ditto_core.contracts.json import JsonObject
from ditto_core.contracts.message import Message, MessageContent, Reference

Purpose: TypeAlias = Literal["infer", "memory"]
RequestLimit: TypeAlias = Annotated[int, Field(ge=0, le=1_000_000)]
"""A request's own limit. It can narrow the policy, never relax it."""

StateVersion: TypeAlias = Annotated[int, Field(ge=0)]
"""A version as the state store counts them; it changes with every write."""


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


_SOURCES = (("message", Message, "role"), ("reference", Reference, "uri"), ("item", ContextItem, "id"))


def _kind_of_source(value: object) -> str | None:
    """Which member of ContextSource a value means, so that an error speaks of that one only."""
    for kind, model, name in _SOURCES:
        if isinstance(value, model) or (isinstance(value, Mapping) and name in value):
            return kind
    return None


ContextSource: TypeAlias = Annotated[
    Annotated[Message, Tag("message")] | Annotated[Reference, Tag("reference")] | Annotated[ContextItem, Tag("item")],
    Discriminator(
        _kind_of_source,
        custom_error_type="context_source",
        custom_error_message="needs a role (Message), a uri (Reference) or an id (ContextItem)",
    ),
]
"""What CONTEXT.LOAD takes in, told apart by `role`, `uri` and `id`."""


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


class _OneTarget(Contract):
    """`context` itself, or the state under `scope`."""

    context: Context | None = None
    scope: Scope | None = None

    @model_validator(mode="after")
    def _one_target(self) -> Self:
        if (self.context is None) == (self.scope is None):
            raise ValueError("exactly one of context and scope is needed")
        if getattr(self, "expected_version", None) is not None and self.scope is None:
            raise ValueError("expectedVersion needs a scope")
        return self


class ContextLoadInput(Contract):
    """CONTEXT.LOAD: makes a Context of `sources`; with a `scope` it is stored there, `[]` leaves it empty.

    A scope alone reads what is stored. `resolve_references` fetches References through the injected resolver.
    """

    sources: Seq[ContextSource] | None = None
    resolve_references: bool = False
    scope: Scope | None = None

    @model_validator(mode="after")
    def _something_to_load(self) -> Self:
        if self.sources is None and self.scope is None:
            raise ValueError("one of sources and scope is needed")
        if self.sources is None and self.resolve_references:
            raise ValueError("resolveReferences needs sources")
        return self


class ContextUpdateInput(_OneTarget):
    """CONTEXT.UPDATE: removes, then adds, then takes ingress into `context`, or into the state under `scope`.

    With `expected_version` the state must still have that version of its store.
    """

    remove_ids: Seq[Identifier] = ()
    add: Seq[ContextItem] = ()
    ingress: Seq[ContextIngress] = ()
    expected_version: StateVersion | None = None


class DefaultSelect(Contract):
    """Selection by what the items say of themselves and by the words of the query."""

    kind: Literal["default"] = "default"


class RagSelect(Contract):
    """Selection by the injected rag strategy, of `corpus` and of the items. `options` are the strategy's own."""

    kind: Literal["rag"]
    corpus: Reference | None = None
    options: JsonObject | None = None


class ProviderSelect(Contract):
    """Selection by the injected selector. `options` are the selector's own."""

    kind: Literal["provider"]
    options: JsonObject | None = None


SelectStrategy: TypeAlias = Annotated[DefaultSelect | RagSelect | ProviderSelect, Field(discriminator="kind")]


class ContextSelectInput(_OneTarget):
    """CONTEXT.SELECT: at most `limit` items and `max_tokens` of estimated tokens. It changes no state."""

    purpose: Purpose
    query: MessageContent = None
    limit: RequestLimit | None = None
    max_tokens: RequestLimit | None = None
    strategy: SelectStrategy = Field(default_factory=DefaultSelect)


class ContextCompressInput(_OneTarget):
    """CONTEXT.COMPRESS: at most `max_items` items and `max_tokens` of estimated tokens stay."""

    max_items: RequestLimit | None = None
    max_tokens: RequestLimit | None = None
    expected_version: StateVersion | None = None
