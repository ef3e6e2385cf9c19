"""What `ditto rag` was asked to find."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RagOptions:
    """The options of one search, as they were given; None and () mean not given."""

    text: str
    corpus: tuple[str, ...] = ()
    limit: int | None = None
    max_tokens: int | None = None
