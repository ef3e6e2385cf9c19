"""Ranking by published methods: key sentences (Luhn 1958) and matching passages (BM25), for text in any script."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from ditto_core.workers.infer.providers.offline.block import Block
from ditto_core.workers.infer.providers.offline.document import Document
from ditto_core.workers.infer.providers.offline.words import is_legal, is_real, sentences, terms

_ASIDE = re.compile(
    r"\b(?:licen[sc]e|sponsor|contribut|credit|acknowledg|author|change|release|history|thanks|badge|donat|contents"
    r"|code of conduct|communit|discussion|support|copying|team|members|maintainers|talks|faq|bugs|vulnerabilit"
    r"|security (?:contact|disclosure|policy)|enterprise)"
    r"|(?:^| )v?\d+\.\d+|许可|贡献|赞助|更新日志",
    re.IGNORECASE,
)
_POINTER = re.compile(
    r"(?:please|see|note|for (?:more|full|details|additional)|you can find|if you (?:run|have|find)|check)\b"
    r"|.*\w@\w+\.\w",
    re.IGNORECASE,
)
_DANGLING = re.compile(
    r"[a-z]|(?:This|These|That|Those|They|It|Its|He|As such|However|Also|For example|In addition|Otherwise|Then|Such"
    r"|So|But|And|Or|Now|Here|In summary|Therefore|Thus|Instead|Similarly)\b"
)


def key_sentences(document: Document, count: int, beside: str = "") -> list[tuple[int, str]]:
    """The highest-ranked sentences with their lines, in order of the text.

    H. P. Luhn, "The Automatic Creation of Literature Abstracts", IBM Journal 2(2), 1958: words that occur often and
    are no function words are significant; a sentence scores (significant words)² / span for its best run of them with
    gaps of at most four. Earlier sentences weigh up to 2.5 times as much (location: H. P. Edmundson, "New Methods in
    Automatic Extracting", Journal of the ACM 16(2), 1969); what leans on a sentence before it and what is longer than
    160 characters weighs less. A sentence that mostly repeats a chosen one, or `beside`, is passed over.
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
        _luhn(words, significant) * (1 - 0.6 * at / len(pool)) * _readable(sentence)
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
        and not sentence.endswith((":", "：", ",", "..."))
        and not any(mark in sentence for mark in (" | ", " / "))
        and sentence.count("(") == sentence.count(")")
        and is_real(sentence)
        and not (_POINTER.match(sentence) or is_legal(sentence))
        and sentence[0] not in "-$#>="
    )


def _readable(sentence: str) -> float:
    return (0.6 if _DANGLING.match(sentence) else 1) * min(1, 160 / len(sentence))


def _luhn(words: list[str], significant: set[str]) -> float:
    best, start, last, hits = 0.0, 0, -9, 0
    for at, word in enumerate(words):
        if word in significant:
            start, hits = (start, hits + 1) if at - last <= 5 else (at, 1)
            last = at
            best = max(best, hits * hits / (at - start + 1))
    return best


def best_passages(documents: Sequence[Document], question: str, count: int) -> list[tuple[Document, str, Block]]:
    """The blocks that answer best, best first; of code its lines.

    BM25 (S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; k1 1.2, b 0.75)
    times the share of the asked words that occur. The words of the heading above a block count as its own; code in a
    text counts less than the words around it. A title is no answer: where only titles match, what stands below them is.
    """
    asked = set(terms(question))
    pool = [
        (document, heading, block, terms(f"{heading} {block.text}"))
        for document in documents
        for heading, block in document.sections()
        if (block.kind == "code" or not document.is_code) and block.text != document.title
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
    passages = [pool[-at][:3] for score, at in best if score > 0 and score >= 0.3 * best[0][0]]
    return passages or _below_title(pool, asked)


def _below_title(
    pool: Sequence[tuple[Document, str, Block, list[str]]], asked: set[str]
) -> list[tuple[Document, str, Block]]:
    """The first paragraphs of the documents whose title has an asked word."""
    titled = [(document, heading, block) for document, heading, block, _ in pool if asked & set(terms(document.title))]
    return [(document, heading, block) for document, heading, block in titled if is_real(block.text)][:3]
