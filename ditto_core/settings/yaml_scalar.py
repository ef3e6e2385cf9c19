"""What a plain (unquoted) YAML scalar says: JSON's numbers and words, or its own text; nothing is guessed.

YAML 1.1 (https://yaml.org/type/) and 1.2 read many plain scalars differently: `no`, `010`, `12:30`, `1_000`,
`2024-01-02`. Such a scalar is ambiguous.
"""

from __future__ import annotations

import math
import re

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None, "": None}
_MAX_DIGITS = 400

_AMBIGUOUS = (
    (
        re.compile(r"(?:yes|no|on|off|true|false)", re.IGNORECASE),
        "may mean true or false, or be text: write true or false, or quote the value",
    ),
    (re.compile(r"~|null", re.IGNORECASE), "may mean null, or be text: write null, or quote the value"),
    (re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?"), "may be a date, or text: quote the value"),
    (
        re.compile(r"[-+]?[0-9][0-9_]*(?::[0-9]{1,2})+(?:\.[0-9_]*)?"),
        "may be a number to the base 60, or text: quote the value",
    ),
    (
        re.compile(r"[-+]?0(?:x[0-9a-fA-F_]+|o[0-7_]+|b[01_]+|[0-9_]+)"),
        "may be a number to another base, or text: write it in decimal, or quote the value",
    ),
    (
        re.compile(r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?"),
        "may be a number, or text: write it as JSON does, or quote the value",
    ),
    (
        re.compile(r"[-+]?\.inf|\.nan", re.IGNORECASE),
        "may be a number, or text: write it as JSON does, or quote the value",
    ),
    (re.compile(r"=|<<"), "has a meaning of its own in YAML: quote the value"),
)


def resolve(text: str) -> str | int | float | bool | None:
    """The value of a plain scalar: an int, float, bool or None as JSON spells them, else the text unchanged.

    Raises ValueError for a number that JSON could not carry.
    """
    if text in _WORDS:
        return _WORDS[text]
    if not _NUMBER.fullmatch(text):
        return text
    if len(text) > _MAX_DIGITS:
        raise ValueError("the number is too long")
    if _INTEGER.fullmatch(text):
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("the number is too large")
    return number


def ambiguity(text: str) -> str | None:
    """Why a plain scalar that `resolve` leaves as text should be quoted; None when it plainly is text."""
    return next((reason for pattern, reason in _AMBIGUOUS if pattern.fullmatch(text)), None)
