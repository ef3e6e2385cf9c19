"""What a plain (unquoted) YAML scalar says: JSON's numbers and words, or its own text; nothing is guessed.

YAML 1.1 (https://yaml.org/type/) and 1.2 read many plain scalars differently: `no`, `010`, `12:30`, `1_000`,
`2024-01-02`. Such a scalar is ambiguous.
"""

from __future__ import annotations

import math
import re

_INTEGER = r"-?(?:0|[1-9][0-9]*)"
_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "": None}
_MAX_DIGITS = 400

_BOOLEANS = frozenset(("yes", "no", "on", "off", "true", "false"))
_NULLS = frozenset(("~", "null"))
_OF_YAML = frozenset(("=", "<<"))

_BEGINS_NUMBER = frozenset("+-.0123456789")
_NUMBER_LIKE = (
    (r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?", "may be a date, or text: quote the value"),
    (
        r"[-+]?[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?",
        "may be a number to the base 60, or text: quote the value",
    ),
    (
        r"[-+]?0(?:x[0-9a-fA-F_]+|o[0-7_]+|b[01_]+|[0-9_]+)",
        "may be a number to another base, or text: write it in decimal, or quote the value",
    ),
    (
        r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?|(?i:[-+]?\.inf|\.nan)",
        "may be a number, or text: write it as JSON does, or quote the value",
    ),
)
"""Patterns as text: `re` compiles one with the first scalar that begins like a number, and keeps it."""


def resolve(text: str) -> str | int | float | bool | None:
    """The value of a plain scalar: an int, float, bool or None as JSON spells them, else the text unchanged.

    Raises ValueError for a number that JSON could not carry.
    """
    if text in _WORDS:
        return _WORDS[text]
    if not re.fullmatch(_NUMBER, text):
        return text
    if len(text) > _MAX_DIGITS:
        raise ValueError("the number is too long")
    if re.fullmatch(_INTEGER, text):
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("the number is too large")
    return number


def ambiguity(text: str) -> str | None:
    """Why a plain scalar that `resolve` leaves as text should be quoted; None when it plainly is text."""
    if text.lower() in _BOOLEANS:
        return "may mean true or false, or be text: write true or false, or quote the value"
    if text.lower() in _NULLS:
        return "may mean null, or be text: write null, or quote the value"
    if text in _OF_YAML:
        return "has a meaning of its own in YAML: quote the value"
    if text[:1] not in _BEGINS_NUMBER:
        return None
    return next((reason for pattern, reason in _NUMBER_LIKE if re.fullmatch(pattern, text)), None)
