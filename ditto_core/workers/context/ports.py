"""What the CONTEXT Worker asks of code that an application injects. Structural: no import of Ditto is needed to fit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple, Protocol, TypeAlias

from ditto_core.contracts.context import Context, ContextItem, Purpose, Scope
from ditto_core.contracts.message import Reference
from ditto_core.runtime.worker import WorkerContext


class RagRequest(NamedTuple):
    """What a rag strategy is asked. `query` is a MessageContent, `limit` the most items that can be used."""

    items: Sequence[ContextItem]
    query: Any
    corpus: Reference | None
    limit: int
    options: Mapping[str, Any]


class RagStrategy(Protocol):
    """Finds items, the best one first: `{item: ContextItem, score?, metadata?}` each. See `create_rag_strategy`."""

    async def select(self, request: RagRequest, ctx: WorkerContext) -> Sequence[Any]:
        """What was found. More than the limit may come; the first item per id counts."""
        ...


Selector: TypeAlias = Callable[
    [Sequence[ContextItem], Purpose, Any, int, int | None, Mapping[str, Any]], Awaitable[Sequence[str]]
]
"""`async selector(items, purpose, query, limit, max_tokens, options) -> ids`: ids of `items`, in the order wanted."""

Compressor: TypeAlias = Callable[[Sequence[ContextItem], int, int | None], Awaitable[Sequence[Any]]]
"""`async compressor(items, max_items, max_tokens) -> items`; called only when the items do not fit.

It may leave out, shorten and add items. Protected ones stay as they are, a callId group goes or stays as a whole.
"""

TokenEstimator: TypeAlias = Callable[[ContextItem], int]
"""Tokens of one item, 0 or more."""

Resolver: TypeAlias = Callable[[Reference], Awaitable[Any]]
"""`async resolver(reference) -> MessageContent`: what the reference points to."""


class StoredContext(NamedTuple):
    """A Context under a scope, and its version there."""

    context: Context
    version: int


class StateStore(Protocol):
    """Contexts by scope. The exact tuple of its three ids is the key; a part that is missing matches only itself."""

    async def read(self, scope: Scope) -> StoredContext | None:
        """What is stored, or None. Does not extend the time to live."""
        ...

    async def compare_and_set(self, scope: Scope, context: Context, expected: int | None) -> bool:
        """Writes when the version there still is `expected` (None: nothing is there) and says whether it did.

        Every write makes a version that the scope has not had before.
        """
        ...


class StateQueue(Protocol):
    """One line per scope."""

    def turn(self, scope: Scope) -> AbstractAsyncContextManager[None]:
        """The turn of one job, given back at its end. Raises ContextError QUEUE_FULL."""
        ...


class ContextServices(NamedTuple):
    """What a CONTEXT Worker can do beyond plain data. What is missing is an error with a code where it is needed."""

    rag_strategy: RagStrategy | None = None
    selector: Selector | None = None
    compressor: Compressor | None = None
    token_estimator: TokenEstimator | None = None
    resolver: Resolver | None = None
    state_store: StateStore | None = None
    queue: StateQueue | None = None
