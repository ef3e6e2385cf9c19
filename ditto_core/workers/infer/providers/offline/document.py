"""A file as the offline provider reads it: its blocks, and what they say about the whole."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from ditto_core.workers.infer.providers.offline.block import Block
from ditto_core.workers.infer.providers.offline.markdown import LONGEST, read_markdown
from ditto_core.workers.infer.providers.offline.path import is_code
from ditto_core.workers.infer.providers.offline.prose import read_prose, without_tags
from ditto_core.workers.infer.providers.offline.words import is_legal, is_real

_PARSER_ERRORS = (AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
_CONTENTS = frozenset({"contents", "table of contents", "toc", "index", "目录", "目次"})
_ABOUT = re.compile(r"\b(?:about|what is|overview|introduction|description|summary)\b|简介|介绍|概述", re.IGNORECASE)
_MARKDOWN_FILES = frozenset({".md", ".markdown", ".mdx", ".mkd"})
_PROSE_FILES = frozenset({".rst", ".txt", ".text", ".log", ".htm", ".html", ".adoc", ".org"})


@dataclass(frozen=True)
class Document:
    """A file that was read. `source` is its path as the person may open it."""

    source: str
    blocks: tuple[Block, ...]
    text: str
    line_count: int
    truncated: bool = False

    @property
    def is_code(self) -> bool:
        """Whether lines, not sentences, are what is worth showing."""
        return is_code(self.source)

    @cached_property
    def title(self) -> str:
        """The heading that opens the file, or nothing: prose may not come before it. Code has none."""
        for block in () if self.is_code else self.blocks[:8]:
            if block.kind == "heading":
                return "" if block.text.lower() in _CONTENTS or _ABOUT.fullmatch(block.text) else block.text
            if is_real(block.text) and block.kind not in ("links", "item"):
                break
        first = self.blocks[0].text if len(self.blocks) > 1 and self.blocks[0].kind == "text" else ""
        short = len(first) <= 60 and not first.endswith((".", ":", "。")) and not is_legal(first)
        return first if short and not self.is_code else ""

    @cached_property
    def lead(self) -> Block | None:
        """The paragraph that says what this is: a real one at the top or under "About", else the first of any kind.

        Of code it is the text at the top; what is said about a declaration is not about the file.
        """
        if self.is_code:
            return next((block for block in self.blocks[:1] if block.kind == "text"), None)
        prose = [(at, block) for at, block in self.sections() if block.kind == "text" and block.text != self.title]
        real = [(at, block) for at, block in prose if is_real(block.text) and not is_legal(block.text)]
        best = [found for found in real if not found[0] or _ABOUT.search(found[0])] or real or prose
        return best[0][1] if best else None

    @property
    def headings(self) -> tuple[Block, ...]:
        """The outline, without the title and a table of contents."""
        found = [block for block in self.blocks if block.kind == "heading" and block.text.lower() not in _CONTENTS]
        return tuple(found[1:] if found and found[0].text == self.title else found)

    def after(self, block: Block) -> Block | None:
        """The block that follows."""
        at = self.blocks.index(block) + 1
        return self.blocks[at] if at < len(self.blocks) else None

    def sections(self) -> Iterator[tuple[str, Block]]:
        """Every block that is not a heading, with the headings it stands under: `Install > From source`."""
        path: list[Block] = []
        for block in self.blocks:
            if block.kind != "heading":
                if not (path and path[-1].text.lower() in _CONTENTS):
                    yield " > ".join(heading.text for heading in path), block
            elif block.text != self.title:
                path = [*(heading for heading in path if heading.level < block.level), block]


def read_document(source: str, text: str, *, first_line: int = 1, truncated: bool = False) -> Document:
    """`text` as a Document. `first_line` is the number of its first line in the file, for a passage."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")
    lines = text.split("\n")
    blocks = tuple(_read(source, lines, first_line, len(text)))
    return Document(source, blocks, text, len(lines) - (not lines[-1]), truncated)


def _read(source: str, lines: Sequence[str], first_line: int, size: int) -> Iterable[Block]:
    """Code, Markdown or plain text; what markdown-it-py cannot take is plain text too."""
    ending = PurePosixPath(source).suffix.lower()
    if is_code(source):
        from ditto_core.workers.infer.providers.offline.code import read_code  # its patterns take long to compile

        return read_code(source, lines, first_line)
    if ending in (".htm", ".html"):
        lines = without_tags("\n".join(lines)).split("\n")
    if _is_markdown(ending, lines) and size <= LONGEST:
        with contextlib.suppress(*_PARSER_ERRORS):
            return tuple(read_markdown(lines, first_line))
    return read_prose(lines, first_line)


def _is_markdown(ending: str, lines: Sequence[str]) -> bool:
    """Whether the ending says so, or, where it says nothing, some line looks like it."""
    if ending in _MARKDOWN_FILES or ending in _PROSE_FILES:
        return ending in _MARKDOWN_FILES
    return any(line.startswith(("# ", "## ", "```")) or "](" in line for line in lines)
