"""Markdown as blocks: CommonMark and GitHub's tables by markdown-it-py, which also gives the line numbers.

Badges, images, HTML tags, comments and link definitions are left out. markdown-it-py is imported when the first
Markdown text is read, because the import costs more than reading a README does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ditto_core.workers.infer.providers.offline.block import Block
from ditto_core.workers.infer.providers.offline.prose import is_navigation, read_prose, without_tags

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

LONGEST = 128 * 1024
"""Characters of a text that are parsed as Markdown; what is longer is read as plain text, which is ten times faster."""

_LONGEST_INLINE = 8000  # characters of one paragraph; some inline markup is quadratic in this
_NOT_SHOWN = ("mermaid", "math", "toc")  # fenced blocks that are pictures or nothing without a renderer
_MARKUP = re.compile(r"[\\`*_\[<&:]")
_NOTE = re.compile(r"\[!\w+\]\s*")
_EMOJI = re.compile(r"(?<!\S):[a-z0-9_+-]+:(?!\S)")
_TITLE = re.compile(r"title:\s*[\"']?(.+?)[\"']?\s*$")
_SPACE_BEFORE_STOP = re.compile(r" ([.,;:!?])(?= |$)")


def read_markdown(lines: Sequence[str], first_line: int) -> Iterator[Block]:
    """The blocks of a text, in order. `first_line` is the number of its first line in the file."""
    from markdown_it import MarkdownIt  # late on purpose, see above

    end = _front_matter_end(lines)
    yield from _front_matter_title(lines[:end], first_line)
    env: dict[str, Any] = {}
    parser = MarkdownIt("commonmark").enable("table").disable("inline")
    parser.normalizeLink = _as_it_is  # type: ignore[method-assign]  # no link is shown; a third faster
    tokens = parser.parse("\n".join([*[""] * end, *lines[end:]]), env)
    yield from _Reader(parser, env, first_line).read(tokens)


def _as_it_is(url: str) -> str:
    return url


def _front_matter_end(lines: Sequence[str]) -> int:
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((at + 1 for at, line in enumerate(lines[:200]) if at and line.rstrip() in ("---", "...")), 0)


def _front_matter_title(lines: Sequence[str], first_line: int) -> Iterator[Block]:
    for at, line in enumerate(lines):
        if named := _TITLE.match(line):
            yield Block("heading", first_line + at, named[1], 1)


class _Reader:
    """One pass over the block tokens. `lists` counts the open lists, `row` holds the cells of an open table row."""

    def __init__(self, parser: MarkdownIt, env: dict[str, Any], first_line: int) -> None:
        self.parser = parser
        self.env = env
        self.first_line = first_line
        self.lists = 0
        self.row: list[str] | None = None

    def read(self, tokens: Sequence[Token]) -> Iterator[Block]:
        line = self.first_line
        opened = ""
        for token in tokens:
            line = self.first_line + token.map[0] if token.map else line
            if token.type in ("fence", "code_block", "html_block"):
                yield from _literal(token, line)
            elif token.type == "inline":
                yield from self._inline(token.content, opened, line)
            elif token.type.endswith("list_open") or token.type.endswith("list_close"):
                self.lists += token.nesting
            elif token.tag == "tr":
                yield from self._table_row(token.nesting, line)
            opened = token.tag

    def _table_row(self, nesting: int, line: int) -> Iterator[Block]:
        if nesting < 0 and self.row is not None and any(self.row):
            yield Block("table", line, " | ".join(self.row))
        self.row = [] if nesting > 0 else None

    def _inline(self, source: str, tag: str, line: int) -> Iterator[Block]:
        """A heading, an item, a paragraph or nothing; a cell goes into its row."""
        text, linked, pictures = self._said(source)
        if self.row is not None:
            self.row.append(text)
        elif tag in ("h1", "h2", "h3", "h4", "h5", "h6"):
            if text := text or pictures:
                yield Block("heading", line, text, int(tag[1]))
        elif any(char.isalnum() for char in text) and not text.startswith("[^"):
            mostly_links = not self.lists and (linked > 0.6 * len(text) or is_navigation(text))
            yield Block("links" if mostly_links else "item" if self.lists else "text", line, text)

    def _said(self, source: str) -> tuple[str, int, str]:
        """The text of inline markup, how many characters of it are links, and what its images are called."""
        if not _MARKUP.search(source):
            return " ".join(source.split()), 0, ""
        children: list[Token] = []
        self.parser.inline.parse(_NOTE.sub("", source[:_LONGEST_INLINE], count=1), self.parser, self.env, children)
        said, pictures = "", ""
        linked = depth = 0
        for child in children:
            depth += child.nesting if child.type.startswith("link") else 0
            pictures += child.content if child.type == "image" else ""
            piece = _words_of(child)
            linked += len(piece) if depth else 0
            said += piece
        text = " ".join(_EMOJI.sub("", said).split())
        return _SPACE_BEFORE_STOP.sub(r"\1", text) if len(text) < len(source) else text, linked, pictures.strip()


def _words_of(token: Token) -> str:
    match token.type:
        case "text" | "text_special":
            return token.content
        case "code_inline":
            return f"`{token.content}`"
        case "softbreak" | "hardbreak":
            return " "
        case "html_inline":
            return " " if token.content.startswith("<br") else ""
        case _:
            return ""


def _literal(token: Token, line: int) -> Iterator[Block]:
    if token.type == "html_block":
        yield from read_prose(without_tags(token.content).split("\n"), line)
    elif token.content.strip() and not token.info.strip().startswith(_NOT_SHOWN):
        yield Block("code", line + (token.type == "fence"), token.content.rstrip("\n"))
