"""Source code and data files as blocks: what they declare, what is written about it, and the lines themselves.

Read line by line, so that a file that is cut, broken or in an unknown language gives what can be seen of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ditto_core.workers.infer.providers.offline.block import Block, paragraphs
from ditto_core.workers.infer.providers.offline.prose import plain
from ditto_core.workers.infer.providers.offline.words import is_legal

_DECLARATION = re.compile(
    r"(?: {0,4}|\t)(?:(?:export|default|pub(?:\([a-z]+\))?|async|static|public|abstract|final|unsafe|declare) )*"
    r"(?:def|class|function|fn|func|struct|enum|trait|interface|impl|type|module|namespace|create table)\b\*? *[\w(<]"
    r"|(?:module\.)?exports\b[\w.]* =|export (?:const|let|var) \w|[A-Za-z_][\w-]*\(\) *\{",
    re.IGNORECASE,
)
_NO_NAME = r"(?!(?:if|for|while|switch|return|else|case|catch|throw|new|await|function|typedef|using)\b)"
_FUNCTION = re.compile(
    rf"{_NO_NAME}[A-Za-z_][\w*&:<>, ]*\([^;{{]*[;{{]?\s*$|(?: {{2}}| {{4}}|\t){_NO_NAME}[A-Za-z_#][\w<> ]*\([^;{{]*\{{$"
    rf"|{_DECLARATION.pattern}",
)
_KEY = re.compile(r'\[[^\]]+\]\]?\s*$|(?: {2}|\t(?="))?(?:"[^"]+"|[A-Za-z_][\w.-]*)\s*(?::|=(?!=))')
_TARGET = re.compile(r"[\w/-][\w./ -]*:(?!=)")
_BY_ENDING = (
    dict.fromkeys((".cfg", ".conf", ".env", ".ini", ".json", ".lock", ".toml", ".yaml", ".yml"), _KEY)
    | dict.fromkeys((".c", ".cc", ".cpp", ".cs", ".h", ".hpp", ".java", ".js", ".mjs", ".php", ".ts"), _FUNCTION)
    | {"": _TARGET}
)  # fmt: skip
_DESCRIPTION = re.compile(r'\s{0,4}"?description"?\s*[:=]\s*["\']?(.{10,}?)["\']?,?\s*$', re.IGNORECASE)
_COMMENT = re.compile(r"(?:#(?![!\[a-z])#*|//[/!]?|--|;+|\*+|%+)\s*")
_QUOTES = re.compile(r'[rRuU]?("""|\'\'\')|/\*+!?')
_FUNCTION_WORD = re.compile(r"\b(?:def|fn|func|function)\b")
_END_OF_SIGNATURE = re.compile(r":\s*(?:#.*)?$")
_MACHINE = re.compile(r"coding[:=]|eslint|vim:|-\*-|mypy:|ruff:|ts-check|generated", re.IGNORECASE)
_END_OF_TEXT = re.compile(r"@\w|:\w+[ \w]*:|\\\w|(?:Args|Arguments|Returns|Raises|Parameters|Examples?):?$|\W*$|>>> ")


def read_code(source: str, lines: Sequence[str], first_line: int) -> Iterator[Block]:
    """What the top of the file says, as text; then the pieces between blank lines as code.

    Before a piece come, as headings, the declarations or keys in it, each with what the docstring below or the comment
    above says about it, as text. What is declared inside a function is left out.
    """
    levels = dict(_declared(lines, _BY_ENDING.get(PurePosixPath(source).suffix.lower(), _DECLARATION)))
    yield from _opening(lines, first_line)
    for start, end in paragraphs(lines):
        for at in filter(levels.__contains__, range(start, end)):
            yield Block("heading", first_line + at, _signature(lines[at][:400]), levels[at])
            if said := _docstring_below(lines, at) or _comment(lines, at - 1):
                yield Block("text", first_line + at, said, levels[at])
        yield Block("code", first_line + start, "\n".join(lines[start:end]))


def _declared(lines: Sequence[str], declares: re.Pattern[str]) -> Iterator[tuple[int, int]]:
    """The lines that declare something, each with its level: 1, or 2 within a class or section."""
    quoted = _quoted_lines(lines)
    owner = ""
    for at, line in enumerate(lines):
        if at not in quoted and declares.match(line[:400]):
            nested = line[0] in " \t" or (owner.startswith("[") and line[0] != "[")
            if not (nested and _FUNCTION_WORD.search(owner)):
                yield at, 1 + nested
            owner = owner if nested else line[:400]


def _signature(line: str) -> str:
    text = " ".join(line.split()).rstrip(" :{=,[;")
    return f"{text}…)" if text.count("(") > text.count(")") else text


def _quoted_lines(lines: Sequence[str]) -> frozenset[int]:
    """The lines that begin inside a string of three quotes."""
    found, inside = set[int](), False
    for at, line in enumerate(lines):
        if inside:
            found.add(at)
        inside ^= (line.count('"""') + line.count("'''")) % 2 == 1
    return frozenset(found)


def _opening(lines: Sequence[str], first_line: int) -> Iterator[Block]:
    """The first docstring or comment that is no licence, before anything else; without one, a `description`."""
    for start, end in [*paragraphs(lines[:80])][:6]:
        if not (_QUOTES.match(lines[start]) or _COMMENT.match(lines[start]) or lines[start].startswith("#!")):
            break
        said = _docstring(lines, start) or _comment(lines, end - 1)
        if said and not (is_legal(said) or _MACHINE.search(said)):
            yield Block("text", first_line + start, said)
            return
    for at, line in enumerate(lines[:200]):
        if described := _DESCRIPTION.match(line[:1000]):
            yield Block("text", first_line + at, described[1])
            return


def _docstring_below(lines: Sequence[str], declared: int) -> str:
    """The docstring of a declaration, whose signature may have several lines."""
    for at in range(declared, min(declared + 12, len(lines) - 1)):
        if _END_OF_SIGNATURE.search(lines[at][:400]):
            return _docstring(lines, at + 1)
    return ""


def _docstring(lines: Sequence[str], at: int) -> str:
    """The first paragraph of the docstring or block comment that begins in this line, if one does."""
    opening = _QUOTES.match(lines[at].strip())
    if not opening:
        return ""
    kept: list[str] = []
    for line in [lines[at].strip()[opening.end() :], *lines[at + 1 : at + 30]]:
        inside, closing, _ = line.partition(opening[1] or "*/")
        kept.append(inside)
        if closing:
            break
    return _first_paragraph(kept)


def _comment(lines: Sequence[str], at: int) -> str:
    """The first paragraph of the comment that ends in this line, if one does; decorators may follow it."""
    end = at
    while at >= 0 and end - at < 40 and lines[at].lstrip().startswith(("@", "#[")):
        at -= 1
    if at >= 0 and lines[at].rstrip().endswith("*/"):
        begin = next((up for up in range(at, max(-1, at - 40), -1) if lines[up].lstrip().startswith("/*")), None)
        return "" if begin is None else _docstring(lines, begin)
    begin = at
    while begin >= 0 and at - begin < 40 and _COMMENT.match(lines[begin].lstrip()):
        begin -= 1
    return _first_paragraph(lines[begin + 1 : at + 1])


def _first_paragraph(lines: Sequence[str]) -> str:
    kept: list[str] = []
    for line in lines:
        text = line.strip()[:1000]
        mark = _COMMENT.match(text)
        text = text[mark.end() if mark else 0 :]
        if kept and _END_OF_TEXT.match(text):
            break
        if not _END_OF_TEXT.match(text):
            kept.append(text)
    return plain(" ".join(kept))
