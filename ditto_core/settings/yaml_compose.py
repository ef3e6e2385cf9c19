"""From the events of PyYAML's parser to plain data with marks."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import yaml

from ditto_core.errors import ConfigError
from ditto_core.settings.key_path import KeyPath, dotted, shown
from ditto_core.settings.yaml_document import MAX_DEPTH, MAX_VALUES, Mark
from ditto_core.settings.yaml_scalar import ambiguity, resolve

_QUOTED_SOURCE = re.compile(r"'[^'<][^']+'")
"""Text of the file inside a parser's message. Its token names, as '<block end>', may stay."""


def new_parser(text: str) -> Any:
    """libyaml's parser where PyYAML was built with it, else PyYAML's own; both give the same events."""
    try:
        from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave out what it imports
    except ImportError:
        return PurePythonParser(text)
    return CParser(text)


class PurePythonParser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):
    """The part of a PyYAML loader that makes events, and nothing that makes objects."""

    def __init__(self, text: str) -> None:
        yaml.reader.Reader.__init__(self, text)
        yaml.scanner.Scanner.__init__(self)
        yaml.parser.Parser.__init__(self)


class Composer:
    """Reads one document. `marks` has the place of every value, by its path."""

    def __init__(
        self, text: str, where: str, *, first_line: int = 1, refuse_ambiguous: bool = True, parser: Any = None
    ) -> None:
        self.marks: dict[KeyPath, Mark] = {}
        self._where = where
        self._first_line = first_line
        self._refuse_ambiguous = refuse_ambiguous
        self._values = 0
        self._parser = self._guard(lambda: parser or new_parser(text), ())

    def document(self) -> dict[str, Any]:
        """The document's mapping; `{}` for a stream without one."""
        self._next(())
        event = self._next(())
        if isinstance(event, yaml.StreamEndEvent):
            return {}
        if event.tags:
            self._fail("tags are not supported", event, ())
        data = self._value(self._next(()), (), None)
        self._next(())
        if not isinstance(after := self._next(()), yaml.StreamEndEvent):
            self._fail("several documents in one file", after, ())
        if data is None:
            return {}
        if not isinstance(data, dict):
            raise ConfigError("a mapping (key: value) is needed at the top", where=self._where)
        return data

    def _value(self, event: Any, path: KeyPath, key: tuple[int, int] | None) -> Any:
        self._check(event, path)
        place = self._place(event)
        if isinstance(event, yaml.ScalarEvent):
            self.marks[path] = Mark(key or place, place, event.value)
            return self._scalar(event, path)
        self.marks[path] = Mark(key or place, place)
        if len(path) >= MAX_DEPTH:
            self._fail(f"nested deeper than {MAX_DEPTH} levels", event, path[:3])
        return self._mapping(path) if isinstance(event, yaml.MappingStartEvent) else self._sequence(path)

    def _mapping(self, path: KeyPath) -> dict[str, Any]:
        data: dict[str, Any] = {}
        while not isinstance(event := self._next(path), yaml.MappingEndEvent):
            key = self._key(event, path)
            place = self._place(event)
            if key in data:
                first = self.marks[*path, key].key[0]
                self._fail(f"the key {shown(key)} is there twice, first in line {first}", event, (*path, key))
            data[key] = self._value(self._next((*path, key)), (*path, key), place)
        return data

    def _sequence(self, path: KeyPath) -> list[Any]:
        data: list[Any] = []
        while not isinstance(event := self._next(path), yaml.SequenceEndEvent):
            data.append(self._value(event, (*path, len(data)), None))
        return data

    def _key(self, event: Any, path: KeyPath) -> str:
        self._check(event, path)
        if not isinstance(event, yaml.ScalarEvent):
            self._fail("a key must be text, not a list or mapping", event, path)
        if event.implicit[0] and event.value == "<<":
            self._fail("merge keys are not supported: write the keys out", event, path)
        key = self._scalar(event, path, "key")
        if not isinstance(key, str):
            self._fail("a key must be text: quote the key", event, path)
        return key

    def _scalar(self, event: Any, path: KeyPath, what: str = "value") -> Any:
        text: str = event.value
        if not event.implicit[0]:
            return self._text(text, event, path)
        try:
            value = resolve(text)
        except ValueError as error:
            self._fail(str(error), event, path)
        reason = ambiguity(text) if self._refuse_ambiguous and isinstance(value, str) else None
        if reason:
            self._fail(f"this {what} {reason.replace('the value', f'the {what}')}", event, path)
        return value

    def _text(self, text: str, event: Any, path: KeyPath) -> str:
        """A quoted or block scalar: escapes can spell what the file itself cannot hold."""
        if "\0" in text:
            self._fail("the text holds a NUL character", event, path)
        if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
            self._fail("the text holds half of a surrogate pair: write the character itself", event, path)
        return text

    def _check(self, event: Any, path: KeyPath) -> None:
        self._values += 1
        if self._values > MAX_VALUES:
            self._fail(f"more than {MAX_VALUES} keys and values", event, path[:3])
        if isinstance(event, yaml.AliasEvent):
            self._fail("aliases (*name) are not supported: write the value out", event, path)
        if event.anchor is not None:
            self._fail("anchors (&name) are not supported: write the value out", event, path)
        if event.tag is not None:
            self._fail("tags (!name) are not supported", event, path)

    def _next(self, path: KeyPath) -> Any:
        return self._guard(self._parser.get_event, path)

    def _guard(self, read: Any, path: KeyPath) -> Any:
        """Everything that a parser raises about its text, as a ConfigError without the text.

        PyYAML's own parser lets ValueError and OverflowError through for numbers in escapes and directives.
        """
        try:
            return read()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            problem = _QUOTED_SOURCE.sub("'…'", error.problem or error.context or "malformed")
            raise self._error(f"not valid YAML: {problem}", mark, path) from None
        except (yaml.YAMLError, ValueError, OverflowError):
            raise self._error("not valid YAML", None, path) from None

    def _place(self, event: Any) -> tuple[int, int]:
        return event.start_mark.line + self._first_line, event.start_mark.column + 1

    def _fail(self, message: str, event: Any, path: KeyPath) -> NoReturn:
        raise self._error(message, event.start_mark, path)

    def _error(self, message: str, mark: Any, path: KeyPath) -> ConfigError:
        where = self._where if mark is None else f"{self._where}:{mark.line + self._first_line}:{mark.column + 1}"
        name = dotted(path)
        return ConfigError(f"{name}: {message}" if name else message, where=where, key=name or None)
