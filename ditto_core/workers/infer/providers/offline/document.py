"""A file as the offline provider reads it: its blocks, and what they say about the whole.

Source code and data files become pieces between blank lines, with definitions or keys as headings; everything else is
read as Markdown, which also covers plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from ditto_core.workers.infer.providers.offline.markdown import Block, read_markdown

TABLE_OF_CONTENTS = frozenset({"contents", "table of contents", "toc", "目录"})
_CODE = """
    bash c cc cfg conf cpp cs css csv env go h hpp ini java js json jsonl jsx kt log lua mjs php pl ps1 py pyi r rb rs
    scala sh sql swift toml ts tsv tsx vue xml yaml yml zig zsh
"""
_CODE_FILES = frozenset(_CODE.split())
_CODE_NAMES = frozenset({"Makefile", "Dockerfile", "Jenkinsfile", "Procfile", "Vagrantfile", "Gemfile", "Rakefile"})
_DEFINITION = re.compile(
    r" {0,4}(?:(?:export|default|pub|async|static|public|abstract|final) )*"
    r"(?:def|class|function|fn|func|struct|enum|trait|interface|impl|type|module) [^\s]"
)
_DATA_FILES = frozenset({"", ".cfg", ".conf", ".env", ".ini", ".json", ".toml", ".yaml", ".yml"})
_DATA_KEY = re.compile(r'\[[^\]]+\]\]?\s*$|(?: {2}")?[A-Za-z_"][\w."-]*\s*(?::|=(?!=))')
_URL = re.compile(r"<?https?://[^\s<>]+>?")
_COMMENT = re.compile(r"(?:#+|//+|--+|;+|/\*+|\*+)(?:\s|$)")


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
        return _is_code(self.source)

    @cached_property
    def title(self) -> str:
        """The heading that opens the file, or nothing: prose may not come before it."""
        if self.is_code:
            return ""
        for block in self.blocks[:4]:
            if block.kind == "heading":
                return block.text
            if block.kind in ("text", "code") and is_real(block.text):
                return ""
        first = self.blocks[0] if len(self.blocks) > 1 else None
        return first.text if first and first.kind == "text" and len(first.text) <= 60 else ""

    @cached_property
    def lead(self) -> Block | None:
        """The paragraph that says what this is: the first real one, else the first of any kind."""
        prose = [block for block in self.blocks if block.kind == "text"]
        return next((block for block in prose if is_real(block.text)), prose[0] if prose else None)

    @property
    def headings(self) -> tuple[Block, ...]:
        """The outline, without the title."""
        found = tuple(
            block for block in self.blocks if block.kind == "heading" and block.text.lower() not in TABLE_OF_CONTENTS
        )
        return found[1:] if found and self.title and found[0].text == self.title else found

    def sections(self) -> Iterator[tuple[str, Block]]:
        """Every block that is not a heading, with the headings it stands under: `Install > From source`."""
        path: list[Block] = []
        for block in self.blocks:
            if block.kind != "heading":
                yield " > ".join(heading.text for heading in path), block
            elif block.text != self.title:
                path = [*(heading for heading in path if heading.level < block.level), block]


def read_document(source: str, text: str, *, first_line: int = 1, truncated: bool = False) -> Document:
    """`text` as a Document. `first_line` is the number of its first line in the file, for a passage."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    count = len(lines) - (not lines[-1])
    blocks = _read_code(source, lines, first_line) if _is_code(source) else read_markdown(lines, first_line)
    return Document(source, tuple(blocks), text, count, truncated)


def _is_code(source: str) -> bool:
    path = PurePosixPath(source)
    return path.suffix[1:].lower() in _CODE_FILES or path.name in _CODE_NAMES


def is_real(text: str) -> bool:
    """Whether a paragraph says something: six words, or ten characters of a script without spaces."""
    words = _URL.sub("", text)
    return len(words.split()) >= 6 or sum("\u3040" <= char <= "\ud7af" for char in words[:200]) >= 10


def _read_code(source: str, lines: list[str], first_line: int) -> Iterator[Block]:
    """The comment that opens a file as prose, definitions or keys as headings, and the pieces between blank lines."""
    opening = _opening_comment(lines)
    if opening:
        yield Block("text", first_line, opening)
    defines = _DATA_KEY if PurePosixPath(source).suffix in _DATA_FILES else _DEFINITION
    start: int | None = None
    section = 0
    for index, line in enumerate([*lines, ""]):
        if line.strip() and start is None:
            start = index
        elif not line.strip() and start is not None:
            yield Block("code", first_line + start, "\n".join(lines[start:index]))
            start = None
        if defines.match(line):
            section = section or line.startswith("[")
            level = 1 + (line[0] in " \t" or (section and not line.startswith("[")))
            yield Block("heading", first_line + index, line.strip()[:100], level)


def _opening_comment(lines: list[str]) -> str:
    """The docstring or comment at the top, up to its first blank line."""
    kept: list[str] = []
    inside = ""
    for line in lines[:40]:
        text = line.strip()
        if not kept and (not text or text.startswith("#!")):
            continue
        if not kept and text[:3] in ('"""', "'''"):
            inside, text = text[:3], text[3:]
        if not text or not (inside or _COMMENT.match(text)):
            break
        kept.append(text.split(inside)[0] if inside else _COMMENT.sub("", text, count=1).removesuffix("*/"))
        if inside and inside in text:
            break
    return " ".join(" ".join(kept).split())
