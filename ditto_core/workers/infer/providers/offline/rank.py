"""Ranking by published methods: key sentences (Luhn 1958) and matching passages (BM25), for text in any script."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from ditto_core.workers.infer.providers.offline.document import TABLE_OF_CONTENTS, Document
from ditto_core.workers.infer.providers.offline.markdown import CJK, Block

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
_WORD = re.compile(rf"[{CJK}]+|[^\W{CJK}]+")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\sa-z])|(?<=[。！？])")
_ABBREVIATION = ("e.g.", "i.e.", "etc.", "vs.", "cf.", "Mr.", "Dr.", "St.", "No.")
_ASIDE = re.compile(
    r"\b(?:licen[sc]e|sponsor|contribut|credit|acknowledg|author|change|release|history|thanks|badge|donat|contents"
    r"|code of conduct|communit|discussion|support)|(?:^| )v?\d+\.\d+|许可|贡献|赞助|更新日志",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"(?:please|see|note|for (?:more|full|details)|you can find|if you (?:run|have|find)|check)\b", re.IGNORECASE
)


def terms(text: str) -> list[str]:
    """The words that carry meaning, as stems; pairs of characters in scripts that put no spaces between words."""
    found: list[str] = []
    for word in _WORD.findall(text.lower()):
        if word[0] >= "\u3040" and not word[0].isascii() and "\u3040" <= word[0] <= "\ud7af":
            found += [word[at : at + 2] for at in range(max(1, len(word) - 1)) if word[at : at + 2] not in _STOP]
        elif word not in _STOP and (len(word) > 1 or word.isdigit()):
            found.append(_stem(word))
    return found


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """Cut at six letters, which joins install, installed and installation; plurals and -ing, -ed, -e go first."""
    for ending in ("s", "ing", "ed", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            word = word[: -len(ending)]
    return word[:6]


def sentences(text: str) -> list[str]:
    """Split after `.`, `!`, `?` before what is not lower case, and after `。！？`; an abbreviation does not end one."""
    found: list[str] = []
    for piece in _SENTENCE_END.split(text):
        if found and found[-1].endswith(_ABBREVIATION):
            found[-1] += " " + piece
        elif piece.strip():
            found.append(piece.strip())
    return found


def key_sentences(document: Document, count: int, beside: str = "") -> list[tuple[int, str]]:
    """The highest-ranked sentences with their lines, in order of the text.

    H. P. Luhn, "The Automatic Creation of Literature Abstracts", IBM Journal 2(2), 1958: words that occur often and
    are no function words are significant; a sentence scores (significant words)² / span for its best run of them with
    gaps of at most four. Earlier sentences weigh up to 2.5 times as much (location: H. P. Edmundson, "New Methods in
    Automatic Extracting", Journal of the ACM 16(2), 1969), and what begins in lower case, often a remainder, weighs
    less. A sentence that mostly repeats a chosen one, or `beside`, is passed over.
    """
    pool = [
        (block.line, sentence, terms(sentence))
        for heading, block in document.sections()
        if block.kind in ("text", "item") and not _is_aside(heading)
        for sentence in sentences(block.text)
        if _says_something(sentence)
    ]
    often = Counter(term for _, _, words in pool for term in set(words))
    floor = max(2, len(pool) // 40)
    significant = {term for term, times in often.items() if times >= floor}
    weight = [
        _luhn(words, significant) * (1 - 0.6 * at / len(pool)) * (0.6 if sentence[0].islower() else 1)
        for at, (_, sentence, words) in enumerate(pool)
    ]
    ranked = sorted(range(len(pool)), key=lambda at: -weight[at])
    seen, chosen = set(terms(beside)), list[int]()
    for at in ranked:
        words = set(pool[at][2])
        if len(chosen) < count and words and len(words & seen) <= 0.6 * len(words):
            chosen.append(at)
            seen |= words
    return [pool[at][:2] for at in sorted(chosen)]


@lru_cache(maxsize=512)
def _is_aside(heading: str) -> bool:
    return _ASIDE.search(heading) is not None


def _says_something(sentence: str) -> bool:
    """Whether it stands alone: neither a fragment nor a monster, no table row, no announcement of what follows."""
    size = len(sentence) if sentence.isascii() else sum(2 if char > "\u2e80" else 1 for char in sentence)
    return (
        40 <= size <= 300
        and not sentence.endswith((":", "："))
        and not any(mark in sentence for mark in (" | ", " / "))
        and sentence.count("(") == sentence.count(")")
        and not _POINTER.match(sentence)
        and sentence[0] not in "-$#>="
    )


def _luhn(words: list[str], significant: set[str]) -> float:
    best, start, last, hits = 0.0, 0, -9, 0
    for at, word in enumerate(words):
        if word in significant:
            start, hits = (start, hits + 1) if at - last <= 5 else (at, 1)
            last = at
            best = max(best, hits * hits / (at - start + 1))
    return best


def best_passages(documents: Sequence[Document], question: str, count: int) -> list[tuple[Document, str, Block]]:
    """The blocks that answer best, best first.

    BM25 (Robertson and Zaragoza 2009; k1 1.2, b 0.75) times the share of the asked words that occur. The words of the
    heading above a block count as its own; code in a text counts less than the words around it.
    """
    asked = set(terms(question))
    pool = [
        (document, heading, block, terms(f"{heading} {block.text}"))
        for document in documents
        for heading, block in document.sections()
        if heading.lower() not in TABLE_OF_CONTENTS
    ]
    spread = Counter(term for *_, words in pool for term in asked.intersection(words))
    rarity = {term: math.log(1 + (len(pool) - times + 0.5) / (times + 0.5)) for term, times in spread.items()}
    mean = sum(len(words) for *_, words in pool) / max(1, len(pool))
    scored = []
    for at, (document, _, block, words) in enumerate(pool):
        found = asked.intersection(words)
        length = 1.2 * (0.25 + 0.75 * len(words) / mean) if found else 0
        score = sum(rarity[term] * 2.2 * words.count(term) / (words.count(term) + length) for term in found)
        prose = 0.6 if block.kind == "code" and not document.is_code else 1.0
        scored.append((prose * score * len(found) / max(1, len(asked)), -at))
    best = sorted(scored, reverse=True)[:count]
    return [pool[-at][:3] for score, at in best if score > 0 and score >= 0.3 * best[0][0]]
