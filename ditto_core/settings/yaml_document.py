"""What reading YAML gives: plain data, and the place of every value."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ditto_core.errors import ConfigError
from ditto_core.settings.key_path import KeyPath, dotted

MAX_DEPTH = 32
MAX_VALUES = 50_000
"""Keys and values of one document; a configuration has hundreds."""


class Mark(NamedTuple):
    """Where a value is, lines and columns from 1. `key` is the place of its key, or of itself in a list.

    `text` is a scalar as the file has it, `1.10` for the number 1.1; None for a list or mapping. No repr shows it.
    """

    key: tuple[int, int]
    value: tuple[int, int]
    text: str | None = None

    def __repr__(self) -> str:
        return f"Mark(key={self.key}, value={self.value})"


class YamlDocument(NamedTuple):
    """A mapping and where its parts are. `where` is the file's name in messages. No repr shows its data."""

    where: str
    data: Mapping[str, Any]
    marks: Mapping[KeyPath, Mark] = MappingProxyType({})

    def __repr__(self) -> str:
        return f"YamlDocument({self.where!r})"

    def at(self, path: KeyPath, *, key: bool = False) -> str:
        """`file:line:column` of a value (or of its key), of the nearest part above it where it has no own place."""
        while path and path not in self.marks:
            path = path[:-1]
        mark = self.marks.get(path)
        if mark is None:
            return self.where
        line, column = mark.key if key else mark.value
        return f"{self.where}:{line}:{column}"

    def error(self, message: str, path: KeyPath, *, key: bool = False, hint: str | None = None) -> ConfigError:
        """An error about one place of this document."""
        name = dotted(path)
        return ConfigError(f"{name}: {message}" if name else message, where=self.at(path, key=key), key=name, hint=hint)
