"""Markdown, reStructuredText and plain text as blocks with line numbers, in one pass over the lines.

The block structure of CommonMark, roughly, and the parts of reStructuredText that READMEs use. Badges, images, HTML
tags and comments are left out. Linear in the size of the text: no pattern here can backtrack over a file.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["heading", "text", "item", "table", "code", "links"]

CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
"""Ranges of scripts that put no spaces between words, for a character class."""

_INLINE_CODE_OR_TAG = re.compile(
    r"(`[^`\n]*`)|<h([1-6])\b[^<>]*>|<!doctype\b[^<>]*>|</?(?:a|abbr|b|big|blockquote|body|br|center|code|dd|details|div|dl|dt|em|figure"
    r"|font|footer|h[1-6]|head|header|hr|html|i|iframe|img|kbd|li|link|meta|nav|ol|p|picture|pre|s|samp|section|small"
    r"|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|title|tr|tt|u|ul|video)\b[^<>]*>",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])")
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^()\n]*\)|\[[^\[\]\n]*\])")
_RST_LINK = re.compile(r"`([^`<>\n]*?)\s*<[^<>\n]*>`__?|:[\w:+-]+:`~?([^`\n]*)`|(?<!`)`([^`\n]+)`__?(?!\w)")
_STRONG = re.compile(r"\*\*|(?<!\w)__(?=\w)|(?<=\w)__(?!\w)|(?<![\w*])[*_](?=\w)|(?<=[\w.!?)])[*_](?![\w*])")
_SPACE_BEFORE_STOP = re.compile(r" ([.,;:!?])(?= |$)")
_ITEM = re.compile(r"(?:[-*+•·]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?")
_UNDERLINE = re.compile(r"([=\-~^\"'*+#_`.])\1{2,}$")
_DELIMITER = re.compile(r"[|+:=\- ]+$")
_LINK_TARGET = re.compile(r"\[[^\]]+\]:\s|\.\. _|__ ")


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of a file. `line` is where it begins, counted from 1; `level` is a heading's depth."""

    kind: Kind
    line: int
    text: str
    level: int = 0


def read_markdown(lines: list[str], first_line: int) -> list[Block]:
    """The blocks of a text, in order; `first_line` is the number of its first line in the file."""
    return _Reader(first_line).read(_without_html(lines))


def _without_html(lines: list[str]) -> list[str]:
    """The same number of lines, with comments and tags outside of code taken out and `<h1>` made a heading."""
    prose: list[str] = []
    fence = ending = ""
    for line in lines:
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and mark.startswith(fence) and not ending:
            fence = "" if fence else mark
            prose.append("")
        elif fence or (line.startswith(("    ", "\t")) and "<" not in line and not ending):
            prose.append("")
        else:
            ending = _unclosed(line, ending)
            prose.append(line)
    stripped = _strip_markup("\n".join(prose)).split("\n")
    return [_kept(*each) for each in zip(lines, prose, stripped, strict=True)]


def _unclosed(line: str, ending: str) -> str:
    """What a comment or tag that is open at the end of a line still needs."""
    if ending:
        if ending not in line:
            return ending
        line = line.rpartition(ending)[2]
    if line.rfind("<!--") > line.rfind("-->"):
        return "-->"
    return ">" if re.search(r"<[A-Za-z][^<>]*$", line) else ""


def _kept(line: str, masked: str, stripped: str) -> str:
    """Code as it was; a line that lost a tag also loses the indentation it had inside the element."""
    return line if not masked else stripped if stripped == masked else stripped.strip()


def _strip_markup(text: str) -> str:
    if "<" not in text:
        return text
    for opening, closing in (("<!--", "-->"), ("<script", "</script>"), ("<style", "</style>"), ("<svg", "</svg>")):
        first, *others = text.split(opening)
        text = first + "".join(
            "\n" * gone.count("\n") + rest for gone, _, rest in (o.partition(closing) for o in others)
        )
    return _INLINE_CODE_OR_TAG.sub(_tag, text)


def _tag(match: re.Match[str]) -> str:
    if match[1]:
        return match[1]
    return "\n" * match[0].count("\n") + ("#" * int(match[2]) + " " if match[2] else "")


def plain(text: str) -> str:
    """Inline Markdown and reStructuredText as a person would say it; backticks around code stay."""
    marked = text
    if "`" in text:
        marked = _RST_LINK.sub(lambda found: found[1] or found[2] or found[3] or "", marked.replace("``", "`"))
    if "[" in text:
        marked = _LINK.sub(r"\1", _IMAGE.sub("", marked))
    if "*" in text or "_" in text:
        marked = _STRONG.sub("", marked)
    marked = " ".join(html.unescape(marked).split())
    return _SPACE_BEFORE_STOP.sub(r"\1", marked) if len(marked) < len(text) else marked


class _Reader:
    """The state of one pass: the block that is open and what the lines before allow."""

    def __init__(self, first_line: int) -> None:
        self.blocks: list[Block] = []
        self.line = first_line - 1
        self.kind: Kind = "text"
        self.start = 0
        self.lines: list[str] = []
        self.fence = ""
        self.literal = False  # an indented block here is code: after a blank line, or after `::`
        self.skipping = False  # inside an indented directive that shows nothing
        self.pending = 0  # level of an HTML heading whose text is on a later line

    def read(self, lines: list[str]) -> list[Block]:
        """Every line once; the blocks in order."""
        for line in _after_front_matter(lines):
            self.line += 1
            if self.fence:
                self._fenced(line)
            else:
                self._open(line)
        self._close()
        return self.blocks

    def _fenced(self, line: str) -> None:
        if line.strip().startswith(self.fence) and not line.strip().strip(self.fence[0]):
            self.fence = ""
            self._close()
        else:
            self._add("code", line)

    def _open(self, line: str) -> None:
        text = line.strip()
        indented = line.startswith(("    ", "\t"))
        if not text:
            if self.kind == "code" and self.lines:
                self._add("code", "")
            else:
                self._close()
            self.literal = True
        elif self.skipping and line[0] in " \t":
            return
        elif line[0] in " \t" and self.kind == "code" and self.lines:
            self._add("code", line)
        elif text[:3] in ("```", "~~~"):
            self._close()
            self.fence = text[:3]
        elif indented and self.literal and not _ITEM.match(text):
            self._add("code", line)
        else:
            self.skipping = False
            self._block(text)

    def _block(self, text: str) -> None:
        if self.kind == "code":
            self._close()
        self.literal = False
        text = text.lstrip("> ").removeprefix("[!NOTE]").removeprefix("[!WARNING]").removeprefix("[!TIP]") or "-"
        if _UNDERLINE.match(text) or _DELIMITER.match(text):
            self._underlined(text)
        elif (text.startswith("#") and text.lstrip("#").startswith((" ", "\t"))) or not text.strip("#"):
            self._heading(text)
        elif text.startswith(".. ") or _LINK_TARGET.match(text):
            self._close()
            self._directive(text)
        elif text.startswith("|") or text.count(" | ") >= (1 if self.kind == "table" and self.lines else 2):
            self._close()
            self._add("table", text.strip("|").replace("|", " | "))
        elif item := _ITEM.match(text):
            self._close()
            self._add("item", text[item.end() :])
        else:
            self._add(self.kind if self.lines and self.kind == "item" else "text", text)

    def _heading(self, text: str) -> None:
        self._close()
        level = len(text) - len(text.lstrip("#"))
        title = plain(text.strip("# \t"))
        self.pending = 0 if title else level
        if title:
            self.blocks.append(Block("heading", self.line, title, min(level, 6)))

    def _underlined(self, text: str) -> None:
        """A line of one character makes a heading of the single line above it; elsewhere it is a rule."""
        title = plain(self.lines[0]) if len(self.lines) == 1 and self.kind == "text" else ""
        if title and _UNDERLINE.match(text) and len(title) <= 120:
            self.lines.clear()
            self.blocks.append(Block("heading", self.start, title, {"=": 1, "#": 1, "*": 1, "-": 2}.get(text[0], 3)))
        else:
            self._close()

    def _directive(self, text: str) -> None:
        """reStructuredText: code directives open a literal block, prose ones show their body, others nothing."""
        name = text[3:].partition("::")[0]
        self.literal = name in ("code-block", "code", "sourcecode", "prompt", "parsed-literal")
        self.skipping = not self.literal and name not in ("note", "warning", "tip", "important", "hint", "attention")

    def _add(self, kind: Kind, text: str) -> None:
        if not self.lines:
            self.kind, self.start = kind, self.line
        self.lines.append(text)

    def _close(self) -> None:
        lines, kind, self.kind = self.lines, self.kind, "text"
        self.lines = []
        if not lines:
            return
        if kind == "code":
            self.blocks.append(Block("code", self.start, "\n".join(lines).strip("\n")))
            return
        raw = " ".join(lines)
        text = plain(raw)
        self.literal = raw.endswith("::")
        if self.pending and text:
            self.pending, level = 0, self.pending
            self.blocks.append(Block("heading", self.start, text, level))
        elif any(char.isalnum() for char in text):
            linked = sum(len(found) for found in _LINK.findall(raw)) if kind == "text" else 0
            shown: Kind = "links" if linked > 0.6 * len(text) else kind
            self.blocks.append(Block(shown, self.start, text.removesuffix(":") if self.literal else text))


def _after_front_matter(lines: list[str]) -> list[str]:
    """YAML front matter as blank lines, so that the numbers stay right."""
    if lines[:1] != ["---"]:
        return lines
    end = next((index for index, line in enumerate(lines[1:200], 1) if line in ("---", "...")), 0)
    return [*[""] * (end + 1), *lines[end + 1 :]] if end else lines
