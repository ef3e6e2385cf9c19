"""Words, sentences and clips of a text in any script."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import groupby

_STOP_WORDS = """
    a about above according after again all also am an and any are as at be been before being below between both
    but by can could did do does doing down during each few for from further get give had has have having he her
    here hers him his how i if in into is it its itself just let like ll made make may me might more most must
    my need no nor not now of off on once only or other our out over own per please same say see she should show
    so some such tell than that the their them then there these they this those through to too under until up us
    use used using very via want was we were what when where which while who whom why will with would you your
    file files folder document read explain describe compare content contents section page text project repo
    repository summary summarize summarise about mean means work works 什么 怎么 如何 为什 请问 一下 的是 这个 那个
    哪个 哪些 有哪 是什 么是 了什 内容 文件 介绍 解释 说明 告诉 诉我
"""
_STOP = frozenset(_STOP_WORDS.split())
_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\sa-z])|(?<=[。！？])")
_ABBREVIATION = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "Mr.", "Dr.", "St.", "No.", "approx.", "incl.")
_LEGAL = re.compile(
    r"copyright|licen[sc]ed? (?:under|as|header|notice|file)|SPDX|rights reserved|redistribut|free software;|warrant",
    re.IGNORECASE,
)
_URL = re.compile(r"<?https?://[^\s<>]+>?")


def is_spaceless(char: str) -> bool:
    """Whether a character is of a script that puts no spaces between words: kana, Han, Hangul."""
    return "\u3040" <= char <= "\ud7af"


def terms(text: str) -> list[str]:
    """The words that carry meaning, as stems; pairs of characters in scripts that put no spaces between words."""
    found: list[str] = []
    for word in _WORD.findall(text.lower().replace("_", " ")):
        for run in [word] if word.isascii() else ("".join(group) for _, group in groupby(word, is_spaceless)):
            if is_spaceless(run[0]):
                found += [run[at : at + 2] for at in range(max(1, len(run) - 1)) if run[at : at + 2] not in _STOP]
            elif run not in _STOP and (len(run) > 1 or run.isdigit()):
                found.append(_stem(run))
    return found


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """Cut at six letters, which joins install, installed and installation; plurals and -ing, -ed, -e go first.

    A doubled consonant that -ing or -ed leaves becomes one (running, run), a last y an i (policy, policies).
    """
    for ending in ("s", "ing", "ed", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
            if ending in ("ing", "ed") and word[-1] == word[-2] and word[-1] not in "aeiolsz":
                word = word[:-1]
    return (word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word)[:6]


def sentences(text: str) -> list[str]:
    """Split after `.`, `!`, `?` before what is not lower case, and after `。！？`; an abbreviation does not end one."""
    found: list[str] = []
    for piece in _SENTENCE_END.split(text):
        if found and found[-1].endswith(_ABBREVIATION):
            found[-1] += " " + piece
        elif piece.strip():
            found.append(piece.strip())
    return found


def is_real(text: str) -> bool:
    """Whether a paragraph says something: six words, or ten characters of a script without spaces."""
    words = _URL.sub("", text[:2000])
    return sum(word[0].isalpha() for word in words.split()) >= 6 or sum(map(is_spaceless, words)) >= 10


def is_legal(text: str) -> bool:
    """Whether a paragraph is about who may copy something, not about the thing."""
    return _LEGAL.search(text[:500]) is not None


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, cut at the end of a sentence or word, with an ellipsis where something is missing."""
    if len(text) <= limit:
        return text
    kept = text[:limit]
    end = max(kept.rfind(mark) + 1 for mark in (". ", "。", "! ", "? "))
    if end > limit // 2:
        return kept[:end].rstrip() + " …"
    space = kept.rfind(" ")
    return kept[: space if space > limit // 2 else limit] + "…"


def many(count: int, noun: str) -> str:
    """A count with its noun: `1 file`, `2 files`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
