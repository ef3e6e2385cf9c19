"""The declared actions: which of them reads, lists or searches, and the arguments they take."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias

from ditto_core.contracts.infer import ActionDescriptor

ActionKind: TypeAlias = Literal["read", "list", "search", "web"]

_NAMES: Mapping[ActionKind, tuple[str, ...]] = {
    "read": ("read_text", "read_file", "read_text_file", "cat"),
    "list": ("list_dir", "list_directory", "ls"),
    "search": ("search_text", "grep"),
    "web": ("web_search",),
}
_KEYS: Mapping[ActionKind, tuple[str, ...]] = {
    "read": ("path", "file", "paths"),
    "list": ("path", "directory", "paths"),
    "search": ("text", "query", "pattern"),
    "web": ("query",),
}


def action_kind(name: str) -> ActionKind | None:
    """What an action of this name does, if the provider knows it; `server__tool` counts as `tool`."""
    return next((kind for kind, names in _NAMES.items() if _tool(name) in names), None)


def find_action(kind: ActionKind, actions: Sequence[ActionDescriptor]) -> ActionDescriptor | None:
    """The declared action that does this, the best known name first."""
    by_name = {_tool(action.name): action for action in reversed(actions)}
    return next((by_name[name] for name in _NAMES[kind] if name in by_name), None)


def not_offered(kind: ActionKind) -> str:
    """That nothing declared does this, by the name of the action that would."""
    return f"the action {_NAMES[kind][0]} is not offered to the offline provider"


def arguments(kind: ActionKind, action: ActionDescriptor, value: str, within: Sequence[str] = ()) -> dict[str, Any]:
    """Arguments as the inputSchema names them. `value` is the path or the text, `within` where to search for it."""
    known = _properties(action)
    key = next((name for name in _KEYS[kind] if name in known), _KEYS[kind][0])
    given: dict[str, Any] = {key: [value] if key == "paths" else value}
    place = next((name for name in ("paths", "path") if name in known), "") if kind == "search" else ""
    if place and (within or place in _required(action)):
        given[place] = list(within or ["."]) if place == "paths" else (within or ["."])[0]
    return given | {name: True for name in ("recursive", "fixedStrings") if kind == "search" and name in known}


def main_value(given: Mapping[str, Any]) -> str:
    """The path or text of a request that `arguments` made."""
    value = next((given[key] for keys in reversed([*_KEYS.values()]) for key in keys if key in given), "")
    return str(value[0] if isinstance(value, list) and value else value)


def named_actions(
    words: str, paths: Sequence[str], actions: Sequence[ActionDescriptor]
) -> Iterator[tuple[ActionDescriptor, dict[str, Any]]]:
    """The actions that a request calls by name: "use add", "with `wc`".

    Arguments are a JSON object in the request, `key=value` pairs, or the first path it names. A call that lacks a
    required argument is left out.
    """
    for action in actions:
        name = rf"(?:{re.escape(action.name)}|{re.escape(_tool(action.name))})"
        called = (
            rf"\b(?:use|call|run|invoke|with|using) (?:the )?(?:tool )?[`'\"]?{name}(?![\w.])|`{name}`|使用\s*{name}\b"
        )
        if re.search(called, words, re.IGNORECASE):
            known = _properties(action)
            pairs = re.findall(r"(\w+)=([^\s,;]+)", words)
            given = _json_object(words) | {key: _typed(text, known[key]) for key, text in pairs if key in known}
            given |= {key: paths[0] for key in ("path", "file") if key in known and key not in given and paths}
            if all(key in given for key in _required(action)):
                yield action, given


def _tool(name: str) -> str:
    return name.rpartition("__")[2]


def _properties(action: ActionDescriptor) -> Mapping[str, Any]:
    known = action.input_schema.get("properties")
    return known if isinstance(known, Mapping) else {}


def _required(action: ActionDescriptor) -> Sequence[str]:
    names = action.input_schema.get("required")
    return names if isinstance(names, list) else ()


def _json_object(words: str) -> dict[str, Any]:
    value = _json(words[words.find("{") : words.rfind("}") + 1])
    return value if isinstance(value, dict) else {}


def _typed(text: str, schema: object) -> Any:
    """The value of a `key=value` pair: text, unless the schema wants a number or a boolean."""
    typed = isinstance(schema, Mapping) and schema.get("type") in ("integer", "number", "boolean")
    value = _json(text) if typed else None
    return text if value is None else value


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
