"""The rag strategy: embed the query where that is wanted, retrieve, rank where that is wanted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias

from ditto_core.contracts.context import ContextItem
from ditto_core.contracts.contract import Contract
from ditto_core.contracts.json import JsonObject
from ditto_core.contracts.message import Reference
from ditto_core.errors import InvalidInputError
from ditto_core.runtime.worker import WorkerContext
from ditto_core.workers.context.injected import invalid_output
from ditto_core.workers.context.ports import RagRequest, RagStrategy


class RetrievedItem(Contract):
    """An item that was found. Score and metadata are for ranking; they are not copied into the item."""

    item: ContextItem
    score: float | None = None
    metadata: JsonObject | None = None


Embed: TypeAlias = Callable[[Sequence[ContextItem], Any, Reference | None, int, Mapping[str, Any]], Awaitable[Any]]
"""`async embed(items, query, corpus, limit, options) -> embedding`, whatever `retrieve` understands."""

Retrieve: TypeAlias = Callable[
    [Sequence[ContextItem], Any, Reference | None, int, Mapping[str, Any], Any], Awaitable[Sequence[Any]]
]
"""`async retrieve(items, query, corpus, limit, options, embedding) -> [{item, score?, metadata?}]`, the best first.

`items` are those of the Context, `query` is a MessageContent or None, `limit` the most that can be used, `embedding`
None without `embed`. The arguments are positional.
"""

Rank: TypeAlias = Callable[
    [Sequence[RetrievedItem], Any, Reference | None, int, Mapping[str, Any], Any], Awaitable[Sequence[Any]]
]
"""`async rank(retrieved, query, corpus, limit, options, embedding)`: what to keep of `retrieved`, the best first."""


class _Pipeline:
    """Embed, retrieve, rank."""

    def __init__(self, retrieve: Retrieve, embed: Embed | None, rank: Rank | None) -> None:
        self._retrieve = retrieve
        self._embed = embed
        self._rank = rank

    async def select(self, request: RagRequest, ctx: WorkerContext) -> Sequence[Any]:
        embedding = None if self._embed is None else await self._embed(*request)
        found = await self._retrieve(*request, embedding)
        if self._rank is None:
            return found
        _, query, corpus, limit, options = request
        return await self._rank(retrieved_items(found, "rag strategy"), query, corpus, limit, options, embedding)


def create_rag_strategy(retrieve: Retrieve, embed: Embed | None = None, rank: Rank | None = None) -> RagStrategy:
    """A strategy for ContextServices(rag_strategy=…) out of the application's own functions.

    The order of what comes back is the order of the selection, and the first item per id wins; scores sort nothing by
    themselves. The Worker keeps the limits.
    """
    return _Pipeline(retrieve, embed, rank)


def retrieved_items(found: Any, what: str) -> tuple[RetrievedItem, ...]:
    """What injected code found, checked; unknown fields are dropped. Raises ContextError INVALID_PROVIDER_OUTPUT."""
    if not isinstance(found, list | tuple):
        raise invalid_output(what, f"{type(found).__name__}, not a list")
    try:
        return tuple(RetrievedItem.project(each, what=f"[{index}]") for index, each in enumerate(found))
    except InvalidInputError as error:
        raise invalid_output(what, f"no usable item: {error.message}") from None


def first_of_each(found: Any, what: str) -> list[ContextItem]:
    """The items that were found, the first per id. Raises like `retrieved_items`."""
    items: dict[str, ContextItem] = {}
    for each in retrieved_items(found, what):
        items.setdefault(each.item.id, each.item)
    return list(items.values())
