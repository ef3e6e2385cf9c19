"""Text that came from outside and may not be Unicode."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def without_surrogates(value: Any) -> Any:
    """The value with every lone surrogate in its texts and keys replaced by U+FFFD; two halves of a pair are joined.

    Lists and mappings are copied only as far as JSON goes; anything else is returned as it is. Raises RecursionError
    for a cycle.
    """
    if isinstance(value, str):
        return _repaired(value)
    if isinstance(value, Mapping):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_surrogates(item) for item in value]
    return value


def _repaired(text: str) -> str:
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
