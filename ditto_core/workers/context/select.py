"""CONTEXT.SELECT: what a model should see, or what memory should keep. It changes no state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, assert_never

from ditto_core.contracts.context import (
    Context,
    ContextItem,
    ContextSelectInput,
    ContextSelection,
    DefaultSelect,
    ProviderSelect,
    RagSelect,
)
from ditto_core.errors import ContextError
from ditto_core.runtime.worker import WorkerContext
from ditto_core.workers.context.budget import Budget, fitting
from ditto_core.workers.context.injected import injected, invalid_output
from ditto_core.workers.context.ports import ContextServices, RagRequest
from ditto_core.workers.context.rag import first_of_each
from ditto_core.workers.context.size import canonical_json, text_of
from ditto_core.workers.context.term import query_terms, terms
from ditto_core.workers.context.trait import call_id, is_leading, is_memorable, may_be_remembered, number, trait


class _Selection(NamedTuple):
    """One request: what is asked, and what may be chosen from and with."""

    given: ContextSelectInput
    candidates: Sequence[ContextItem]
    budget: Budget
    services: ContextServices
    ctx: WorkerContext


async def select_context(
    context: Context, given: ContextSelectInput, budget: Budget, services: ContextServices, ctx: WorkerContext
) -> ContextSelection:
    """A selection by the strategy that `given` names, within the budget, the best item first.

    For memory, items that are private or not eligible are left out whatever the strategy. Raises ContextError
    STRATEGY_UNAVAILABLE or INVALID_PROVIDER_OUTPUT.
    """
    asked = _Selection(given, _permitted(context.items, given), budget, services, ctx)
    kept = tuple(await _chosen(asked))
    return ContextSelection(
        purpose=given.purpose, context=Context(items=kept), selected_item_ids=tuple(item.id for item in kept)
    )


async def _chosen(asked: _Selection) -> Sequence[ContextItem]:
    match asked.given.strategy:
        case DefaultSelect():
            return fitting(_unlike(_ranked(asked.candidates, asked.given)), asked.budget)
        case RagSelect() as rag:
            return fitting(_permitted(await _retrieved(asked, rag), asked.given), asked.budget)
        case ProviderSelect() as provider:
            return await _picked(asked, provider)
        case _:
            assert_never(asked.given.strategy)


def _permitted(items: Sequence[ContextItem], given: ContextSelectInput) -> Sequence[ContextItem]:
    return items if given.purpose == "infer" else [item for item in items if may_be_remembered(item)]


def _ranked(items: Sequence[ContextItem], given: ContextSelectInput) -> list[ContextItem]:
    """Leading items, then by priority, relevance and the query's words in common; ties in the order given."""
    asked = set(query_terms(text_of(given.query))) if given.query is not None else set[str]()
    leads = is_leading if given.purpose == "infer" else is_memorable

    def rank(item: ContextItem) -> tuple[bool, float, float, int]:
        shared = len(asked.intersection(terms(text_of(item.content)))) if asked else 0
        return leads(item), number(item, "priority"), number(item, "relevance"), shared

    return sorted(items, key=rank, reverse=True)


def _unlike(items: Iterable[ContextItem]) -> Iterator[ContextItem]:
    """The items without those that repeat one before them: same content, role, name and call."""
    seen: set[tuple[str, ...]] = set()
    for item in items:
        said = canonical_json(item.to_wire()["content"])
        key = (said, *(canonical_json(trait(item, name)) for name in ("role", "name")), call_id(item) or "")
        if key not in seen:
            seen.add(key)
            yield item


async def _retrieved(asked: _Selection, rag: RagSelect) -> Sequence[ContextItem]:
    strategy = asked.services.rag_strategy
    if strategy is None:
        raise _unavailable("rag", "rag_strategy")
    if asked.budget.items == 0:
        return ()
    options = rag.options if rag.options is not None else {}
    request = RagRequest(asked.candidates, asked.given.query, rag.corpus, asked.budget.items, options)
    with injected("rag strategy", "STRATEGY_UNAVAILABLE"):
        found: Any = await strategy.select(request, asked.ctx)
    return first_of_each(found, "rag strategy")


async def _picked(asked: _Selection, provider: ProviderSelect) -> Sequence[ContextItem]:
    """The items that the selector named. What it may not name, or too much of it, is its mistake, not cut."""
    selector, budget = asked.services.selector, asked.budget
    if selector is None:
        raise _unavailable("provider", "selector")
    options = provider.options if provider.options is not None else {}
    given = asked.given
    with injected("selector", "STRATEGY_UNAVAILABLE"):
        ids: Any = await selector(asked.candidates, given.purpose, given.query, budget.items, budget.tokens, options)
    if not isinstance(ids, list | tuple) or not all(isinstance(item_id, str) for item_id in ids):
        raise invalid_output("selector", "no list of item ids")
    if len(set(ids)) != len(ids):
        raise invalid_output("selector", "an item id twice")
    known = {item.id: item for item in asked.candidates}
    if any(item_id not in known for item_id in ids):
        raise invalid_output("selector", "the id of an item that was not offered")
    picked = [known[item_id] for item_id in ids]
    if len(fitting(picked, budget)) != len(picked):
        raise invalid_output("selector", "more than the limits allow")
    return picked


def _unavailable(kind: str, service: str) -> ContextError:
    return ContextError(
        f"strategy {kind} is not available: this Worker has no {service}",
        code="STRATEGY_UNAVAILABLE",
        hint=f"Give create_context_worker ContextServices({service}=…), or use the strategy default.",
    )
