"""The nearest known word, for the hints of errors about a misspelt one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like `word` (Ratcliff/Obershelp similarity of at least 0.6), or None."""
    from difflib import get_close_matches  # only an error needs it

    by_fold = {name.casefold(): name for name in known}
    found = get_close_matches(word.casefold()[:200], by_fold, n=1, cutoff=0.6)
    return by_fold[found[0]] if found else None


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """A hint that names the nearest known word, or None."""
    found = nearest(word, known)
    return f"Did you mean {found}?" if found else None
