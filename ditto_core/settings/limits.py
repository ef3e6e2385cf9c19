"""The kinds of value that settings have, each with its range."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias, TypeVar

from pydantic import Field

from ditto_core.contracts.check import After, Before
from ditto_core.contracts.json import ReadOnlyDict

T = TypeVar("T")
Name = TypeVar("Name")

MAX_MS = 2_147_483_647
MAX_COUNT = 1_000_000
MIB = 1024 * 1024

Milliseconds: TypeAlias = Annotated[int, Field(ge=1, le=MAX_MS)]
Count: TypeAlias = Annotated[int, Field(ge=1, le=MAX_COUNT)]
CountOrNone: TypeAlias = Annotated[int, Field(ge=0, le=MAX_COUNT)]
"""A count where 0 says "none at all" or "off"."""
Bytes: TypeAlias = Annotated[int, Field(ge=1, le=16 * MIB)]

GROUP: Any = Field(default_factory=dict, validate_default=True)
"""The default of a group: its own defaults, made by the schema of the whole, which is built only once."""


def _line(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty or only white space")
    if not text.isprintable():
        raise ValueError("must be one line without control characters")
    return text


def _variable(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text):
        raise ValueError("must be the name of an environment variable (letters, digits, _), not its value")
    return text


def _empty_section(value: object) -> object:
    return {} if value is None else value


def _read_only(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return ReadOnlyDict(value)


Line: TypeAlias = Annotated[str, After(_line)]
"""One line of text, not blank."""

VariableName: TypeAlias = Annotated[str, After(_variable)]
"""The name of an environment variable, never a value."""

Section = Annotated[T, Before(_empty_section)]
"""A group of settings. A heading with nothing below it (all commented out) is an empty group."""

Table = Annotated[Mapping[Name, T], After(_read_only), Before(_empty_section)]
"""A mapping with free names, read-only."""
