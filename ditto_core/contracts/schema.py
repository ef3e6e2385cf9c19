"""Arguments against their JSON Schema: draft 2020-12, or the draft that the schema's own `$schema` names.

The engine is jsonschema-rs. It is imported with the first schema, since that costs some 20 ms.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ditto_core.errors import InvalidArgumentsError, InvalidInputError
from ditto_core.nearest import did_you_mean

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

_BACKTRACK_LIMIT = 100_000
"""Steps of one pattern on one text, 4 ms at worst. Only patterns with look-around or back references take steps."""

_PATTERN_BYTES = 1_000_000
"""A compiled pattern may be so big; `((.{0,1000}){0,1000}){0,1000}` would be gigabytes."""

_LIST_ALL_BELOW = 2_000
"""JSON characters of arguments whose problems are all listed. The engine lists a million problems in 15 s."""

_SHOWN = 3
_QUOTED = 120


class ArgumentsSchema:
    """A compiled schema of an object. `schema` is the mapping it was made of.

    References to other documents are refused: nothing is fetched or read. `format` is an annotation and checks
    nothing. Patterns with look-around or back references are accepted, because generated schemas have them; they are
    bounded in steps. Raises InvalidInputError for a schema that is invalid or that does not describe an object.
    """

    __slots__ = ("_validator", "_what", "schema")

    def __init__(self, schema: Mapping[str, Any], *, what: str = "inputSchema") -> None:
        if not isinstance(schema, Mapping):
            raise InvalidInputError("a JSON Schema of an object is needed", path=what)
        if schema.get("type") != "object":
            raise InvalidInputError('must say "type": "object", arguments have names', path=what)
        self.schema = schema
        self._what = what
        self._validator = _compiled(_plain(schema), what)

    def check(self, arguments: Mapping[str, Any], *, what: str = "arguments") -> None:
        """Raises InvalidArgumentsError for arguments that do not fit.

        It says where (`arguments.lines[0]`), which rule is broken and the line of the schema; it quotes names of the
        arguments and what the schema says, never their values. Small arguments get their first three problems listed.
        """
        value = _plain(arguments)
        try:
            if self._validator.is_valid(value):
                return
            problems = self._problems(value)
        except (TypeError, ValueError, RecursionError) as error:  # no JSON, no Unicode, too deep
            raise InvalidArgumentsError(f"cannot be checked ({type(error).__name__})", path=what) from None
        first, *others = problems
        message = _sentence(first)
        for other in others[: _SHOWN - 1]:
            message += f"; {what}{_place(other.instance_path)}: {_sentence(other)}"
        if len(others) >= _SHOWN:
            message += f"; and {len(others) - _SHOWN + 1} more"
        raise InvalidArgumentsError(message, path=what + _place(first.instance_path), hint=_hint(problems, self.schema))

    def _problems(self, value: Any) -> list[ValidationError]:
        if len(json.dumps(value, ensure_ascii=False)) <= _LIST_ALL_BELOW:
            return list(self._validator.iter_errors(value))
        return [_first_problem(self._validator, value)]


def _first_problem(validator: Validator, value: Any) -> ValidationError:
    from jsonschema_rs import ValidationError

    try:
        validator.validate(value)
    except ValidationError as problem:
        return problem
    raise AssertionError("the engine said invalid and valid of the same value")


def _compiled(schema: Any, what: str) -> Validator:
    import jsonschema_rs

    try:
        return jsonschema_rs.validator_cls_for(schema)(
            schema, mask="the value", offline=True, pattern_options=_pattern_options()
        )
    except jsonschema_rs.ValidationError as problem:
        raise InvalidInputError(_schema_problem(problem), path=what + _place(problem.instance_path)) from None
    except (ValueError, RecursionError) as error:
        raise InvalidInputError(_short(str(error)) or "cannot be compiled", path=what) from None


@lru_cache(maxsize=1)
def _pattern_options() -> Any:
    from jsonschema_rs import FancyRegexOptions

    return FancyRegexOptions(backtrack_limit=_BACKTRACK_LIMIT, size_limit=_PATTERN_BYTES, dfa_size_limit=_PATTERN_BYTES)


def _schema_problem(problem: ValidationError) -> str:
    if problem.kind.name == "$ref":
        return "a reference leads nowhere, or out of the schema; nothing is fetched or read"
    return f"no valid JSON Schema: {_short(problem.message)}"


def _plain(value: Any) -> Any:
    """Built-in dicts and lists; the engine takes no subclass of list."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _sentence(problem: ValidationError) -> str:
    return f"{_rule(problem)}{_schema_line(problem)}"


def _rule(problem: ValidationError) -> str:
    say = _RULES.get(problem.kind.name)
    return say(problem) if say else _short(problem.message)


def _unknown(problem: ValidationError) -> str:
    names = [_name(name) for name in problem.kind.value]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f"unknown {'argument' if len(names) == 1 else 'arguments'} {', '.join(names[:_SHOWN])}{more}"


def _pattern(problem: ValidationError) -> str:
    return "the pattern takes too many steps on this value" if _gave_up(problem) else _short(problem.message)


def _gave_up(problem: ValidationError) -> bool:
    return type(problem.kind).__name__ in ("BacktrackLimitExceeded", "RegexEngineFailure")


def _alternatives(problem: ValidationError) -> str:
    branches: Iterable[list[ValidationError]] = problem.kind.value
    reasons = [_rule(branch[0]) for branch in branches if branch]
    if not reasons:
        return "fits more than one alternative, exactly one is needed"
    return "fits no alternative: " + _short(", or ".join(dict.fromkeys(reasons)))


_RULES: Mapping[str, Callable[[ValidationError], str]] = {
    "additionalProperties": _unknown,
    "unevaluatedProperties": _unknown,
    "anyOf": _alternatives,
    "oneOf": _alternatives,
    "pattern": _pattern,
    "required": lambda problem: f"{_name(problem.kind.value)} is required, but missing",
    "type": lambda problem: f"must be {' or '.join(problem.kind.value)}, not {_json_type(problem.instance)}",
    "propertyNames": lambda _: "the name of a property is not allowed",
    "falseSchema": lambda _: "is never allowed",
    "not": lambda _: "fits what is excluded",
}


def _schema_line(problem: ValidationError) -> str:
    """` (schema: properties.n.minimum: 1)`."""
    path = "".join(_place(problem.schema_path)).removeprefix(".")
    if problem.kind.name in ("anyOf", "oneOf", "not", "propertyNames", "falseSchema") or _gave_up(problem):
        return f" (schema: {_short(path)})"
    return f" (schema: {_short(path)}: {_short(_json(_said(problem)))})"


def _said(problem: ValidationError) -> Any:
    if problem.kind.name in ("additionalProperties", "unevaluatedProperties", "unevaluatedItems"):
        return False
    if problem.kind.name == "required":
        return [problem.kind.value]
    if problem.kind.name == "type" and len(problem.kind.value) == 1:
        return problem.kind.value[0]
    return problem.kind.value


def _hint(problems: list[ValidationError], schema: Mapping[str, Any]) -> str | None:
    known = schema.get("properties")
    for problem in problems:
        if problem.kind.name == "additionalProperties" and not problem.instance_path and isinstance(known, Mapping):
            return did_you_mean(str(problem.kind.value[0])[:80], list(known))
    return None


def _place(path: Iterable[str | int]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{_name(part)}" for part in path)


def _name(name: str) -> str:
    """A name that is plain text of ordinary length; anything else may be a secret or an escape sequence."""
    return (
        name if len(name) <= 64 and name.isprintable() and not name.isspace() else f"(a name of {len(name)} characters)"
    )


def _json_type(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    names: dict[type, str] = {str: "string", list: "array", dict: "object", int: "integer"}
    return names.get(type(value), "number")


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        return str(type(value).__name__)


def _short(text: str) -> str:
    line = "".join(character if character.isprintable() else " " for character in text[: _QUOTED + 1])
    return line if len(line) <= _QUOTED else line[: _QUOTED - 1] + "…"
