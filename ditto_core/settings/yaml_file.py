"""YAML, strictly: JSON's data model in YAML's clothes, with the place of every value.

Refused: duplicate keys, anchors, aliases, merge keys, tags, several documents, deep nesting, oversize, and plain
scalars that YAML 1.1 and 1.2 read differently. Only the parser's events of PyYAML are used, none of its constructors,
so nothing in a file can name a Python object and no value is changed on the way.
"""

from __future__ import annotations

import re
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypeAlias

from ditto_core.errors import ConfigError
from ditto_core.settings.source_file import decode, line_of, read_source
from ditto_core.settings.yaml_document import YamlDocument

MAX_BYTES = 1024 * 1024

Ambiguous: TypeAlias = Literal["refuse", "text"]

_UNPRINTABLE = "[^\t\n\r -~\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
"""What YAML cannot hold. `str.isprintable` is false for all of it, and asking that first compiles no big pattern."""


def load_yaml_file(path: Path, *, optional: bool = False) -> YamlDocument | None:
    """Reads a YAML file. None when `optional` and there is none; every other trouble is a ConfigError."""
    text = read_source(path, MAX_BYTES)
    if text is not None:
        return load_yaml(text, str(path))
    if optional:
        return None
    raise ConfigError("there is no such file", where=str(path))


def load_yaml(source: str | bytes, where: str, *, first_line: int = 1, ambiguous: Ambiguous = "refuse") -> YamlDocument:
    """Reads YAML text; an empty or comment-only one is an empty mapping.

    `first_line` is the line of the file where `source` begins. `ambiguous="text"` keeps scalars like `no` or `010` as
    the text they are, for files that were written for other readers. Raises ConfigError, and nothing else, for
    everything that is wrong with the text; it never quotes a value.
    """
    text = decode(source, where, MAX_BYTES) if isinstance(source, bytes) else source.removeprefix("\ufeff")
    if len(text) > MAX_BYTES:
        raise ConfigError(f"is larger than {MAX_BYTES} bytes", where=where)
    if not text.replace("\n", "").isprintable():
        _refuse_unprintable(text, where, first_line)
    if not text.strip():
        return YamlDocument(where, {})
    from ditto_core.settings.yaml_compose import Composer

    composer = Composer(text, where, first_line=first_line, refuse_ambiguous=ambiguous == "refuse")
    data = composer.document()
    return YamlDocument(where, data, MappingProxyType(composer.marks))


def _refuse_unprintable(text: str, where: str, first_line: int) -> None:
    odd = re.search(_UNPRINTABLE, text)
    if odd:
        line = line_of(text, odd.start()) + first_line - 1
        raise ConfigError(f"holds the control character U+{ord(odd.group()):04X}", where=f"{where}:{line}")
