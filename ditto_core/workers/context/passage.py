"""Passages: parts of a text that are found and shown as one, with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_WANTED = 900
"""Characters from which a passage ends at the next blank line."""
LONGEST = 1800
"""Characters of a passage at most; a longer line is cut into pieces."""

_MARKDOWN = (".md", ".markdown", ".mdown")
_PYTHON = (".py", ".pyi")
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)(?:\s+#+)?\s*$")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
_DEFINITION = re.compile(r"(?:async def|def|class) |@")


class Passage(NamedTuple):
    """Lines `line` to `last`, counted from 1, both included. `column` is above 1 in later pieces of a long line only.

    `heading` is the way to it through the headings of a Markdown text, as in `Install > Linux`.
    """

    text: str
    line: int
    last: int
    column: int = 1
    heading: str = ""


def passages(path: str, text: str) -> Iterator[Passage]:
    """A text in passages, in order and without gaps but blank lines.

    One begins at every Markdown heading, and at every Python function and class at the left margin; a long one ends
    at a blank line, or where it would become too long. A heading stays with what follows it.
    """
    splitter = _Splitter(path.lower())
    for number, line in enumerate(text.split("\n"), 1):
        yield from splitter.take(number, line.rstrip("\r"))
    yield from splitter.flush()


class _Splitter:
    """One pass over the lines. `_bare` says that only headings and blank lines were taken since the last passage."""

    def __init__(self, name: str) -> None:
        self._markdown = name.endswith(_MARKDOWN)
        self._python = name.endswith(_PYTHON)
        self._fenced = False
        self._headings: list[tuple[int, str]] = []
        self._before = ""
        self._lines: list[str] = []
        self._first = 0
        self._size = 0
        self._bare = True

    def take(self, number: int, line: str) -> Iterator[Passage]:
        heading = self._heading(line)
        if self._ends_before(line, heading is not None):
            yield from self.flush()
        if heading:
            self._enter(heading)
        if len(line) > LONGEST:
            yield from self.flush()
            yield from self._pieces(number, line)
        elif line.strip() or self._lines:
            self._add(number, line, bare=heading is not None)
        self._before = line

    def flush(self) -> Iterator[Passage]:
        text = "\n".join(self._lines).rstrip()
        if text:
            yield Passage(text, self._first, self._first + text.count("\n"), 1, self._path())
        self._lines, self._size, self._bare = [], 0, True

    def _heading(self, line: str) -> tuple[int, str] | None:
        if not self._markdown:
            return None
        if _FENCE.match(line):
            self._fenced = not self._fenced
        found = None if self._fenced else _HEADING.match(line)
        return (len(found[1]), found[2]) if found else None

    def _ends_before(self, line: str, heading: bool) -> bool:
        if self._size + len(line) > LONGEST:
            return True
        if heading:
            return not self._bare
        if self._python and _DEFINITION.match(line):
            return not self._before.startswith("@")
        return not line.strip() and self._size >= _WANTED

    def _enter(self, heading: tuple[int, str]) -> None:
        self._headings = [outer for outer in self._headings if outer[0] < heading[0]] + [heading]

    def _add(self, number: int, line: str, *, bare: bool) -> None:
        if not self._lines:
            self._first = number
        self._lines.append(line)
        self._size += len(line) + 1
        self._bare = self._bare and (bare or not line.strip())

    def _pieces(self, number: int, line: str) -> Iterator[Passage]:
        for at in range(0, len(line), LONGEST):
            if piece := line[at : at + LONGEST].strip():
                yield Passage(piece, number, number, at + 1, self._path())

    def _path(self) -> str:
        return " > ".join(title for _, title in self._headings)
