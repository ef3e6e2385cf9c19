"""How many of something at most: a positive whole number, or no limit."""

from __future__ import annotations

from ditto_core.errors import InvalidInputError


def check_count(value: object, path: str) -> None:
    """Raises InvalidInputError for anything but None and the whole numbers from 1."""
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
        raise InvalidInputError("must be a positive whole number", path=path)
