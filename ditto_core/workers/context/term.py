"""Words as they are compared: folded, identifiers taken apart, plurals cut, pairs in scripts without spaces."""

from __future__ import annotations

import re
import unicodedata

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+")
_SPACELESS = re.compile(f"[{_CJK}]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_MARKS = re.compile("[\u0300-\u036f]")
_STOP_WORDS = """
    a an and any are as at be been but by can could did do does for from has have how i if in into is it its me my no
    not of on or our so than that the their them then there these they this those to us was we were what when where
    which who why will with would you your
"""


def folded(text: str) -> str:
    """Without case, accents and compatibility forms: `Ｅ́` is `e`. Kana and Hangul keep their marks."""
    if text.isascii():
        return text.lower()
    plain = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFKC", plain).casefold()


def terms(text: str) -> list[str]:
    """The words of a text, each as often as it occurs.

    `read_text` and `readText` are also `readtext`, `read` and `text`. A run of Chinese, Japanese or Korean is its
    characters and its overlapping pairs.
    """
    found: list[str] = []
    for word in _words(text):
        if _SPACELESS.match(word):
            found += [*word, *_pairs(word)]
        else:
            found += _parts(word)
    return found


def query_terms(text: str) -> list[str]:
    """The words to look for, each once, in order. Function words go, unless there are no others."""
    found: dict[str, None] = {}
    for word in _words(text):
        spaceless = _SPACELESS.match(word)
        found |= dict.fromkeys((_pairs(word) or [word]) if spaceless else _parts(word))
    return [term for term in found if term not in _STOP] or list(found)


def _words(text: str) -> list[str]:
    """Words with their humps marked by `_`, then folded."""
    return _WORD.findall(folded(_HUMP.sub("_", text)))


def _parts(word: str) -> list[str]:
    parts = [_stem(part) for part in word.split("_") if part]
    return [*parts, _stem(word.replace("_", ""))] if len(parts) > 1 else parts


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


_STOP = frozenset(map(_stem, _STOP_WORDS.split()))
