"""Plain text and reStructuredText as blocks, paragraph by paragraph; linear in the size of the text. HTML without tags.

Of reStructuredText: titles with the levels of their order of appearance, literal blocks, directives, lists, tables and
inline markup as READMEs have them (docutils, "reStructuredText Markup Specification").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from ditto_core.workers.infer.providers.offline.block import Block, paragraphs
from ditto_core.workers.infer.providers.offline.words import is_real

_ROLE_OR_LINK = re.compile(
    r"`([^`<>]*?)\s*<[^<>]*>`__?|:[\w+-]+:(?:[\w+-]+:)?`~?([^`<]*)[^`]*`|(?<!`)`([^`]+)`__?(?!\w)"
)
_STRONG = re.compile(r"\*\*|(?<![\w*])\*(?=\w)|(?<=[\w.!?)])\*(?![\w*])|(?<=\w)_(?=[\s.,;:)]|$)|\|\w[\w -]{0,40}\|_?")
_ITEM = re.compile(r"(?:[-*+•·]|\d{1,3}[.)]|#\.)\s+(?:\[[ xX]\]\s+)?")
_HASH = re.compile(r"(#{1,6})\s+(.*?)[\s#]*$")
_UNDERLINE = re.compile(r"([=\-~^\"'*+#_`.:<>])\1{2,}$")
_TABLE_RULE = re.compile(r"(?=.*[-=]{3})[-=+| ]{4,}$")
_HIDDEN = re.compile(r"\.\.(?: |$)|__ |\[[^\]]+\]: |:[\w -]{1,40}:(?: |$)")
_DIRECTIVE = re.compile(r"\.\. ([\w-]+)::\s*(.*)")
_UNSEEN = (("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"), ("<svg", "</svg>"), ("<head>", "</head>"))
_PICTURE_HEADING = re.compile(
    r"(<h[1-6]\b[^<>]*>\s*(?:<a\b[^<>]*>\s*)?)<img\b[^<>]*\balt=\"([^\"<>]+)\"[^<>]*>", re.IGNORECASE
)
_H = re.compile(r"<h([1-6])\b[^<>]*>(\s*)", re.IGNORECASE)
_LI = re.compile(r"<li\b[^<>]*>\s*", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z!][^<>]*>", re.IGNORECASE)
_SEPARATOR = re.compile(r"\s[|•·–-]\s")

Inside: TypeAlias = Literal["text", "code", "nothing"]

_BODIES: dict[str, Inside] = {
    **dict.fromkeys(("code-block", "code", "sourcecode", "prompt", "parsed-literal", "console"), "code"),
    **dict.fromkeys(("note", "warning", "tip", "important", "hint", "attention", "admonition", "caution"), "text"),
}
"""What the indented lines below a directive are; below any other they are nothing."""


def read_prose(lines: Sequence[str], first_line: int) -> Iterator[Block]:
    """The blocks of a text, in order. `first_line` is the number of its first line in the file."""
    reader = _Reader()
    for start, end in paragraphs(lines):
        yield from reader.paragraph(lines[start:end], first_line + start)


class _Reader:
    """One pass over the paragraphs. `inside` is what indented lines are here, `styles` the underlines by level."""

    def __init__(self) -> None:
        self.inside: Inside = "text"
        self.styles: list[str] = []

    def paragraph(self, raw: Sequence[str], at: int) -> Iterator[Block]:
        lines = [line.strip() for line in raw]
        if raw[0][0] not in " \t":
            self.inside = "text"
        elif self.inside != "text" or _looks_like_code(raw, lines):
            yield from [Block("code", at, "\n".join(raw))] if self.inside != "nothing" else []
            return
        if directive := _DIRECTIVE.match(lines[0]):
            self.inside = _BODIES.get(directive[1], "nothing")
            body = [line for line in raw[1:] if not _HIDDEN.match(line.strip())]
            if self.inside == "code" and body:
                yield Block("code", at + len(raw) - len(body), "\n".join(body))
            elif self.inside == "text" and (said := plain(" ".join([directive[2], *body]))):
                yield Block("text", at, said)
        else:
            yield from self._pieces(lines, at)
            self.inside = "nothing" if _HIDDEN.match(lines[0]) else "code" if lines[-1].endswith("::") else "text"

    def _pieces(self, lines: Sequence[str], at: int) -> Iterator[Block]:
        """Titles, items, table rows and text; what is hidden, as link targets are, goes nowhere."""
        table = any(_TABLE_RULE.match(line) and not _UNDERLINE.match(line) for line in lines)
        start = 0
        for end, line in enumerate([*lines, ""]):
            rule = bool(_UNDERLINE.match(line) or _TABLE_RULE.match(line))
            if table or rule or not line or _ITEM.match(line) or _HASH.match(line) or _HASH.match(lines[end - 1]):
                if end - start == 1 and _UNDERLINE.match(line):
                    yield from self._title(lines[start], at + start, line[0] + "^" * (start > 0))
                elif end > start:
                    yield from _piece(" ".join(lines[start:end]), at + start, table, len(lines))
                start = end + rule

    def _title(self, text: str, at: int, style: str) -> Iterator[Block]:
        """A title; the marks that underline it, and whether a line is above it too, make its level."""
        if style not in self.styles:
            self.styles.append(style)
        if title := plain(text):
            yield Block("heading", at, title[:120], self.styles.index(style) + 1)


def _piece(text: str, at: int, table: bool, lines: int) -> Iterator[Block]:
    """A heading that needs no line below it, an item, a row, a paragraph or nothing."""
    said = plain(text.removesuffix("::") + ":" * text.endswith("::"))
    if _HIDDEN.match(text) or not said:
        return
    if heading := _HASH.match(text):
        yield Block("heading", at, plain(heading[2]), len(heading[1]))
    elif lines == 1 and said.isupper() and said[0].isalpha() and len(said.split()) <= 5 and len(said) > 3:
        yield Block("heading", at, said, 2)
    elif item := _ITEM.match(text):
        yield Block("item", at, plain(text[item.end() :]))
    else:
        yield Block("table" if table else "links" if is_navigation(said) else "text", at, said)


def _looks_like_code(raw: Sequence[str], lines: Sequence[str]) -> bool:
    """Whether an indented paragraph is a literal: four columns in, no list, and not a sentence."""
    text = " ".join(lines[:20])
    deep = all(line.startswith(("    ", "\t")) for line in raw)
    return deep and not _ITEM.match(text) and not (is_real(text) and text.endswith((".", ":", "!", "?", ")", "。")))


def is_navigation(text: str) -> bool:
    """Whether a line is a row of short labels, as links to other places are: `Docs | Chat | Site`."""
    labels = _SEPARATOR.split(text[:500])
    return len(labels) > 2 and all(len(label.split()) <= 3 for label in labels)


def plain(text: str) -> str:
    """Inline reStructuredText as a person would say it; single backticks stay around code."""
    text = " ".join(text.split())
    if "`" in text:
        text = _ROLE_OR_LINK.sub(lambda found: found[1] or found[2] or found[3] or "", text.replace("``", "`"))
    if "*" in text or "_" in text or "|" in text:
        text = _STRONG.sub("", text)
    return text if any(char.isalnum() for char in text) else ""


def without_tags(text: str) -> str:
    """The same number of lines without tags, comments, scripts and indentation; `<h2>` is `##` and `<li>` is `-`."""
    import html  # loads a table of 2,000 names

    for opening, closing in _UNSEEN:
        first, *others = text.split(opening)
        text = first + "".join(_lines_of(gone) + rest for gone, _, rest in (part.partition(closing) for part in others))
    text = _PICTURE_HEADING.sub(r"\1\2", text)
    text = _H.sub(lambda found: _lines_of(found[0]) + "#" * int(found[1]) + " ", text)
    text = _TAG.sub(lambda found: _lines_of(found[0]), _LI.sub("- ", text))
    return "\n".join(line.strip() for line in html.unescape(text).split("\n"))


def _lines_of(text: str) -> str:
    return "\n" * text.count("\n")
