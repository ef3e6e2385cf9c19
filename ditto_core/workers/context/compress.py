"""CONTEXT.COMPRESS: leaves out what is needed least until the rest fits. Deterministic, and no model is called."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ditto_core.contracts.context import Context, ContextItem
from ditto_core.errors import ContextError, InvalidInputError
from ditto_core.workers.context.budget import Budget
from ditto_core.workers.context.injected import injected, invalid_output
from ditto_core.workers.context.ports import Compressor
from ditto_core.workers.context.trait import call_id, is_protected, number, trait


class _Unit(NamedTuple):
    """Items that go or stay together: all with one callId, or one item. `cost` is in estimated tokens."""

    items: tuple[ContextItem, ...]
    newest: int
    cost: int

    @property
    def protected(self) -> bool:
        """Whether any of them must stay."""
        return any(map(is_protected, self.items))

    @property
    def worth(self) -> tuple[float, float, bool, int]:
        """The lowest goes first: priority, relevance, what can be retrieved again, age. A group counts as its best."""
        return (
            max(number(item, "priority") for item in self.items),
            max(number(item, "relevance") for item in self.items),
            not all(trait(item, "retrievable") for item in self.items),
            self.newest,
        )


async def compress_context(context: Context, budget: Budget, compressor: Compressor | None = None) -> Context:
    """The context within the budget, what stays in its order; a context that fits comes back as it is.

    An injected `compressor` decides instead, and its answer is checked. Raises ContextError BUDGET_UNSATISFIABLE when
    what must stay does not fit, or INVALID_PROVIDER_OUTPUT.
    """
    units = _units(context.items, budget)
    spent = sum(unit.cost for unit in units)
    if budget.allows(len(context.items), spent):
        return context
    _require_room(units, budget)
    if compressor is not None:
        return await _compressed_by(compressor, context, budget)
    gone = _going(units, len(context.items), spent, budget)
    return Context(items=tuple(item for item in context.items if item.id not in gone))


def _units(items: Sequence[ContextItem], budget: Budget) -> list[_Unit]:
    grouped: dict[tuple[str, Any], list[int]] = {}
    for position, item in enumerate(items):
        call = call_id(item)
        key = ("call", call) if call is not None else ("item", position)
        grouped.setdefault(key, []).append(position)
    return [
        _Unit(tuple(items[at] for at in members), members[-1], sum(budget.cost(items[at]) for at in members))
        for members in grouped.values()
    ]


def _require_room(units: Sequence[_Unit], budget: Budget) -> None:
    held = [unit for unit in units if unit.protected]
    items, tokens = sum(len(unit.items) for unit in held), sum(unit.cost for unit in held)
    if not budget.allows(items, tokens):
        need = f"{items} items" if items > budget.items else f"{tokens} tokens of the {budget.tokens}"
        raise ContextError(
            f"what must stay needs {need}, more than there is room for",
            code="BUDGET_UNSATISFIABLE",
            hint="Raise the limits, or protect fewer items.",
        )


def _going(units: Sequence[_Unit], items: int, tokens: int, budget: Budget) -> set[str]:
    """The ids that have to go, the least needed units first."""
    gone: set[str] = set()
    for unit in sorted((unit for unit in units if not unit.protected), key=lambda unit: unit.worth):
        if budget.allows(items, tokens):
            break
        gone.update(item.id for item in unit.items)
        items -= len(unit.items)
        tokens -= unit.cost
    return gone


async def _compressed_by(compressor: Compressor, context: Context, budget: Budget) -> Context:
    with injected("compressor", "STRATEGY_UNAVAILABLE"):
        answer: Any = await compressor(context.items, budget.items, budget.tokens)
    if not isinstance(answer, list | tuple):
        raise invalid_output("compressor", "no list of items")
    try:
        after = Context.project({"items": list(answer)}, what="compressed")
    except InvalidInputError as error:
        raise invalid_output("compressor", f"no usable items: {error.message}") from None
    kept = {item.id: item for item in after.items}
    if any(
        kept.get(item.id) != item for unit in _units(context.items, budget) if unit.protected for item in unit.items
    ):
        raise invalid_output("compressor", "a context without items that must stay")
    if _has_torn_group(context.items, kept):
        raise invalid_output("compressor", "a part of the items of one call")
    if not budget.allows(len(after.items), sum(map(budget.cost, after.items))):
        raise invalid_output("compressor", "more than the limits allow")
    return after


def _has_torn_group(before: Sequence[ContextItem], kept: Mapping[str, ContextItem]) -> bool:
    stayed: dict[str, set[bool]] = {}
    for item in before:
        if (call := call_id(item)) is not None:
            stayed.setdefault(call, set()).add(item.id in kept)
    return any(len(both) > 1 for both in stayed.values())
