"""A piece of a file: what the readers of Markdown, prose and code have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["heading", "text", "item", "table", "code", "links"]


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a file, as a person would say it; `code` keeps its lines.

    `line` is where it begins in the file, counted from 1. `level` is a heading's depth, from 1. A table has a block for
    each row. `links` is a paragraph that is mostly links: navigation, not content.
    """

    kind: Kind
    line: int
    text: str
    level: int = 0


def paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Where the pieces between blank lines begin and end, as slices of `lines`."""
    start: int | None = None
    for at, line in enumerate(lines):
        if not line.strip():
            if start is not None:
                yield start, at
            start = None
        elif start is None:
            start = at
    if start is not None:
        yield start, len(lines)
