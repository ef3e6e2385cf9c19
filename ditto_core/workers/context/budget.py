"""How much may be kept: the request's limits within the policy's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ditto_core.contracts.context import ContextItem
from ditto_core.settings.schema_workers import ContextPolicySettings
from ditto_core.workers.context.injected import injected, invalid_output
from ditto_core.workers.context.ports import TokenEstimator
from ditto_core.workers.context.size import content_bytes, estimate_tokens


class Budget(NamedTuple):
    """Items and estimated tokens of the whole (None is no limit), and the bytes of one item's content."""

    items: int
    tokens: int | None
    item_bytes: int
    estimator: TokenEstimator | None

    def cost(self, item: ContextItem) -> int:
        """Estimated tokens of one item; 0 where tokens are not limited. Raises INVALID_PROVIDER_OUTPUT."""
        if self.tokens is None:
            return 0
        if self.estimator is None:
            return estimate_tokens(item)
        with injected("token estimator", "INVALID_PROVIDER_OUTPUT"):
            tokens: object = self.estimator(item)
        if not isinstance(tokens, int) or isinstance(tokens, bool) or tokens < 0:
            raise invalid_output("token estimator", "something that is no count of tokens")
        return tokens

    def allows(self, items: int, tokens: int) -> bool:
        """Whether so much fits."""
        return items <= self.items and (self.tokens is None or tokens <= self.tokens)


def budget_of(
    items: int | None, tokens: int | None, policy: ContextPolicySettings, estimator: TokenEstimator | None
) -> Budget:
    """The smaller of the request's limit and the policy's, each."""
    limits = [limit for limit in (tokens, policy.max_tokens) if limit is not None]
    most = policy.max_items if items is None else min(items, policy.max_items)
    return Budget(most, min(limits, default=None), policy.max_inline_bytes, estimator)


def fitting(items: Iterable[ContextItem], budget: Budget) -> list[ContextItem]:
    """The items that fit, in their order; one that does not is skipped, and smaller ones after it may still fit."""
    kept: list[ContextItem] = []
    spent = 0
    for item in items:
        if len(kept) >= budget.items:
            break
        if content_bytes(item.content) > budget.item_bytes:
            continue
        cost = budget.cost(item)
        if budget.allows(len(kept) + 1, spent + cost):
            kept.append(item)
            spent += cost
    return kept
