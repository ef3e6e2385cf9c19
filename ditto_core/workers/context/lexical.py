"""Plain word search: which texts hold the words of a query, best first."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from ditto_core.workers.context.term import folded, query_terms, terms

T = TypeVar("T")
_WEAKEST = 0.1
"""Of the best score; what has less shares little more than common words with the query."""


class Candidate(NamedTuple, Generic[T]):
    """A thing, its text, and words that count for it without being in it."""

    thing: T
    text: str
    beside: str = ""


class Match(NamedTuple, Generic[T]):
    """A thing and how well it matches; only the order of scores means anything."""

    thing: T
    score: float


class _Hit(NamedTuple, Generic[T]):
    """A candidate that holds some of the words, how often each, and the length of its text."""

    thing: T
    counts: Counter[str]
    length: int


def best_matches(candidates: Iterable[Candidate[T]], query: str) -> list[Match[T]]:
    """The candidates that hold words of the query, the best first; equal scores keep the order given.

    BM25 (S. Robertson and H. Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; k1 1.2, b 0.75,
    length in characters) times the share of the asked words that occur. Memory is that of the candidates that match.
    """
    asked = query_terms(query)
    hits, total, length = _hits(candidates, asked)
    if not hits:
        return []
    spread = Counter(term for hit in hits for term in hit.counts)
    rarity = {term: math.log(1 + (total - times + 0.5) / (times + 0.5)) for term, times in spread.items()}
    mean = max(1.0, length / total)
    matches = [Match(hit.thing, _score(hit, rarity, mean) * len(hit.counts) / len(asked)) for hit in hits]
    matches.sort(key=lambda match: -match.score)
    floor = _WEAKEST * matches[0].score
    return [match for match in matches if match.score >= floor]


def may_hold(text: str, asked: Iterable[str]) -> bool:
    """Whether it is worth looking for the words: cheap, true for every text that has one of them, and for some more."""
    plain = folded(text)
    return any(term in plain for term in asked)


def _hits(candidates: Iterable[Candidate[T]], asked: Sequence[str]) -> tuple[list[_Hit[T]], int, int]:
    """The candidates that match, how many there were at all, and their length together."""
    wanted = frozenset(asked)
    hits: list[_Hit[T]] = []
    total = length = 0
    for candidate in candidates:
        total += 1
        length += len(candidate.text)
        text = f"{candidate.beside}\n{candidate.text}"
        if may_hold(text, asked):
            counts = Counter(term for term in terms(text) if term in wanted)
            if counts:
                hits.append(_Hit(candidate.thing, counts, len(candidate.text)))
    return hits, total, length


def _score(hit: _Hit[T], rarity: dict[str, float], mean: float) -> float:
    length = 1.2 * (0.25 + 0.75 * hit.length / mean)
    return sum(rarity[term] * 2.2 * times / (times + length) for term, times in hit.counts.items())
