"""What items say of themselves in their metadata.

Flags: protected, safety, currentGoal, pending, retrievable, memoryCandidate, reusable, stable, private; a flag is set
unless it is missing, null, false, 0 or empty. Numbers: priority, relevance; 0 where missing or no number.
Also role, name, callId, and memoryEligible, which counts when it is false.
"""

from __future__ import annotations

from typing import Any

from ditto_core.contracts.context import ContextItem


def trait(item: ContextItem, name: str) -> Any:
    """A value of the metadata, or None."""
    return (item.metadata or {}).get(name)


def number(item: ContextItem, name: str) -> float:
    """A number of the metadata; 0 where there is none."""
    value = trait(item, name)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0


def call_id(item: ContextItem) -> str | None:
    """The id of the call that an item belongs to."""
    value = trait(item, "callId")
    return value if isinstance(value, str) else None


def is_system(item: ContextItem) -> bool:
    """Whether it came from a system message."""
    return bool(trait(item, "role") == "system")


def is_protected(item: ContextItem) -> bool:
    """Whether COMPRESS must leave it."""
    return is_system(item) or any(trait(item, flag) for flag in ("protected", "safety", "currentGoal", "pending"))


def is_leading(item: ContextItem) -> bool:
    """Whether SELECT for a model takes it before the others."""
    return is_system(item) or any(trait(item, flag) for flag in ("protected", "currentGoal"))


def is_memorable(item: ContextItem) -> bool:
    """Whether SELECT for memory takes it before the others."""
    return any(trait(item, flag) for flag in ("memoryCandidate", "reusable", "stable"))


def may_be_remembered(item: ContextItem) -> bool:
    """Whether it may go to memory at all."""
    eligible = trait(item, "memoryEligible")
    return not trait(item, "private") and (eligible is None or bool(eligible))
