"""A tool's schema as command line options, and the options as the tool's arguments."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from ditto_cli.failure import UsageError
from ditto_cli.material import as_utf8, checked_argument, read_named_file, read_stdin
from ditto_core.sandbox.text import clean_line

_FLAG = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_KEPT = frozenset(("--args", "--help", "-h"))
"""Options that a schema cannot take: `--args` reaches every property, whatever its name."""


@dataclass(frozen=True, slots=True)
class ToolOption:
    """One property as an option. `off` is the flag that makes a boolean false, where its name is free."""

    name: str
    flags: tuple[str, ...]
    schema: Mapping[str, Any]
    off: str | None = None
    required: bool = False

    @property
    def kind(self) -> str:
        """string, integer, number, boolean, array, object, or `any` for what may be several of them."""
        return _kind(self.schema)

    @property
    def taken(self) -> tuple[str, ...]:
        """Every flag of it."""
        return (*self.flags, self.off) if self.off else self.flags

    def parameter(self, name: str) -> inspect.Parameter:
        """The option as Typer reads it: text, to be read by `arguments_of`, or a flag."""
        text = clean_line(str(self.schema.get("description") or ""), 300)
        text = f"{text} [required]".lstrip() if self.required else text
        value: Any = {"boolean": bool | None, "array": list[str] | None}.get(self.kind, str | None)
        flags = [f"{'/'.join((self.flags[0], self.off))}", *self.flags[1:]] if self.off else self.flags
        option = typer.Option(*flags, help=text, show_default=False, metavar=_METAVARS.get(self.kind))
        return inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[value, option]
        )

    def read(self, value: Any) -> Any:
        """The value as JSON. Raises UsageError with the schema of the property."""
        if self.kind == "boolean":
            return value
        if self.kind == "array":
            items = _schema_of("array", self.schema).get("items")
            return [self._parsed(_kind(items) if isinstance(items, Mapping) else "any", item) for item in value]
        return self._parsed(self.kind, value)

    def _parsed(self, kind: str, text: str) -> Any:
        try:
            return _PARSERS[kind](text)
        except (ValueError, RecursionError):
            line = clean_line(json.dumps(dict(self.schema), ensure_ascii=False), 300)
            raise UsageError(
                f"{self.flags[0]}: {clean_line(text, 60)!r} does not fit", hint=f"Its schema is {line}"
            ) from None


def _integer(text: str) -> int:
    if _INTEGER.fullmatch(text) is None:
        raise ValueError
    return int(text)


def _anything(text: str) -> Any:
    """JSON where it is JSON, else text; the tool's schema has the last word."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return as_utf8(text)


_PARSERS: Mapping[str, Any] = {
    "string": as_utf8,
    "integer": _integer,
    "number": json.loads,
    "boolean": json.loads,
    "array": json.loads,
    "object": json.loads,
    "any": _anything,
}
_METAVARS: Mapping[str, str] = {
    "string": "TEXT",
    "integer": "INTEGER",
    "number": "NUMBER",
    "array": "ITEM",
    "object": "JSON",
    "any": "VALUE",
}


def _kind(schema: Mapping[str, Any]) -> str:
    """The one type that a schema allows beside null, else `any`."""
    kinds = _kinds(schema)
    return kinds.pop() if len(kinds) == 1 else "any"


def _kinds(schema: Mapping[str, Any]) -> set[str]:
    stated = schema.get("type")
    if isinstance(stated, str | list):
        named = {stated} if isinstance(stated, str) else {name for name in stated if isinstance(name, str)}
        return {name if name in _PARSERS else "any" for name in named - {"null"}}
    for key in ("anyOf", "oneOf"):
        if isinstance(choices := schema.get(key), list):
            return {kind for choice in choices if isinstance(choice, Mapping) for kind in _kinds(choice)}
    values = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if isinstance(values, list) and values and all(isinstance(value, str) for value in values):
        return {"string"}
    return {"any"}


def _schema_of(kind: str, schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema itself, or the choice of it that has this type."""
    choices = [choice for key in ("anyOf", "oneOf") for choice in schema.get(key) or () if isinstance(choice, Mapping)]
    return next((choice for choice in choices if choice.get("type") == kind), schema)


def options_of(schema: Mapping[str, Any]) -> tuple[ToolOption, ...]:
    """The properties that can be options: exact name, and the kebab-case name where it is free."""
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        return ()
    names = [name for name in properties if _FLAG.fullmatch(name) and f"--{name}" not in _KEPT]
    taken = {f"--{name}" for name in names} | _KEPT
    stated = schema.get("required")
    required = stated if isinstance(stated, list | tuple) else ()
    return tuple(_option(name, properties[name], taken, required=name in required) for name in names)


def _option(name: str, part: object, taken: set[str], *, required: bool) -> ToolOption:
    schema = part if isinstance(part, Mapping) else {}
    exact = f"--{name}"
    kebab = "--" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", name).replace("_", "-").lower()
    flags = (exact,) if kebab in taken else (exact, kebab)
    off = f"--no-{flags[-1][2:]}" if _kind(schema) == "boolean" else None
    off = None if off in taken else off
    taken.update(flags, [off] if off else [])
    return ToolOption(name, flags, dict(schema), off, required)


def arguments_of(options: Mapping[str, ToolOption], given: Mapping[str, Any], raw: str | None) -> dict[str, Any]:
    """The tool's arguments: `--args` first, single options over it. Raises UsageError."""
    arguments = _object(raw) if raw is not None else {}
    for name, option in options.items():
        value = given.get(name)
        if value is not None and value != []:
            arguments[option.name] = option.read(value)
    return arguments


def missing_hint(options: Iterable[ToolOption], arguments: Mapping[str, Any]) -> str | None:
    """The flags of the required properties that `arguments` lack, as a hint; None when none is missing."""
    missing = [option.flags[0] for option in options if option.required and option.name not in arguments]
    return f"Give {' and '.join(missing)}." if missing else None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(name for index, (name, _) in enumerate(pairs) if name in [other for other, _ in pairs[:index]])
        raise UsageError(f"--args names {clean_line(twice, 80)!r} twice")
    return found


def _object(raw: str) -> dict[str, Any]:
    text = read_stdin("--args") if raw == "-" else read_named_file(raw[1:], "--args") if raw[:1] == "@" else raw
    checked = checked_argument(text, "--args")
    try:
        value = json.loads(checked, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise UsageError(f"--args is no JSON: {error.msg} (line {error.lineno}, column {error.colno})") from None
    except (ValueError, RecursionError):
        raise UsageError(
            "--args is no JSON that can be read: it is nested too deeply, or a number is too long"
        ) from None
    if not isinstance(value, dict):
        raise UsageError("--args must be a JSON object", hint='As in --args \'{"path": "README.md"}\'.')
    return value
