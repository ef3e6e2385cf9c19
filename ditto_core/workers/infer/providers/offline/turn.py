"""One turn of the offline provider: what the messages hold, and which declared actions that calls for."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from ditto_core.contracts.infer import ActionDescriptor, ModelMessage, SampleInput
from ditto_core.workers.infer.providers.offline.answer import entry_names
from ditto_core.workers.infer.providers.offline.document import Document, read_document
from ditto_core.workers.infer.providers.offline.request import Target, Wish, read_wish

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
Wanted: TypeAlias = tuple[str, Mapping[str, Any]]
"""The name and the arguments of an action to ask for."""

_HEADER = re.compile(
    r"(?:#+ )?(?:file|source|passage|document|skill)\b ?[:：]?\s*(?P<named>\S.*)|\[(?P<bracketed>[^\]]+)\]:?"
    r"|[-=]{3,} (?P<ruled>.+?) [-=]{3,}|<\w+ (?:path|source|name)=\"(?P<tagged>[^\"]+)\">"
    r"|(?:#+ )?(?P<bare>\S*[./]\S*?):?",
    re.IGNORECASE,
)
_LINE = re.compile(r":\d+(?:-\d+)?$")
_CUT = re.compile(r"\[(?:cut|truncated|omitted)\b[^\]]*\].*", re.IGNORECASE)
_MISSING = re.compile(r"not.?found|no such|not exist|missing", re.IGNORECASE)
_NOT_A_FILE = re.compile(r"folder|directory|not.?a.?file", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Seen:
    """An action asked for since the last user message, and what came of it. `value` is its path or text."""

    kind: ActionKind | None
    name: str
    value: str
    ok: bool
    text: str
    truncated: bool


@dataclass(frozen=True, slots=True)
class Talk:
    """The conversation as this provider needs it."""

    wish: Wish
    material: tuple[Document, ...]
    seen: tuple[Seen, ...]
    actions: tuple[ActionDescriptor, ...]

    def unread(self) -> list[Target]:
        """The named files and folders that the messages do not hold already."""
        held = {posixpath.normpath(document.source) for document in self.material}
        return [target for target in self.wish.targets if target.path not in held and not (target.guessed and held)]

    def want(self, kind: ActionKind, value: str, within: Sequence[str] = ()) -> Iterator[Wanted]:
        """The request, unless it was made before or nothing declared can do it."""
        action = find_action(kind, self.actions)
        if action and not any(seen.kind == kind and seen.value == value for seen in self.seen):
            yield action.name, arguments(kind, action, value, within)


def read_talk(request: SampleInput) -> Talk:
    """What was asked last, what the messages hold, and what the actions since then brought."""
    messages = request.messages
    last = max((at for at, message in enumerate(messages) if message.role == "user"), default=-1)
    wish = read_wish(_text(messages[last]) if last >= 0 else "")
    pairs = pairwise(messages)
    given = [_material(_text(one), at) for at, (one, two) in enumerate(pairs, 1) if one.role == two.role == "user"]
    pasted = read_document("the text in the request", wish.pasted) if wish.pasted else None
    material = tuple(document for document in (*given, pasted) if document)
    return Talk(wish, material, tuple(_results(messages[last + 1 :])), request.actions)


def _text(message: ModelMessage) -> str:
    if isinstance(message.content, str):
        return message.content
    return "\n".join(str(block["text"]) for block in message.content if block["type"] == "text")


def _material(text: str, number: int) -> Document | None:
    """A message as a document: under the source its first line names, else under its number if it is long enough."""
    head, _, body = text.partition("\n")
    named = _HEADER.fullmatch(head.strip()) if len(head) < 1024 else None
    if named is None:
        return read_document(f"message {number}", text) if len(text) >= 80 or body.strip() else None
    source = next(part for part in named.groups() if part).strip("`\"' ")
    path, _, line = source.rpartition(":") if _LINE.search(source) else (source, "", "1")
    return as_document(path, body.removeprefix("\n"), first_line=int(line.partition("-")[0]))


def as_document(source: str, text: str, *, truncated: bool = False, first_line: int = 1) -> Document:
    """A text as a document; a last line that says it was cut is taken off and remembered."""
    body, _, tail = text.rstrip().rpartition("\n")
    cut = _CUT.fullmatch(tail.strip()) is not None
    return read_document(source, body if cut else text, truncated=cut or truncated, first_line=first_line)


def _results(messages: Sequence[ModelMessage]) -> Iterator[Seen]:
    """The tool messages with the requests they answer; ids pair within a turn."""
    asked: dict[str, Mapping[str, Any]] = {}
    for message in messages:
        metadata = message.metadata or {}
        if message.role == "assistant":
            asked = {str(item.get("id")): item for item in metadata.get("actionRequests", ())}
        elif message.role == "tool":
            request = asked.get(str(metadata.get("actionRequestId")), {})
            name = str(request.get("name") or metadata.get("name") or "tool")
            ok = metadata.get("status", "success") == "success"
            value = main_value(request.get("arguments") or {})
            yield Seen(action_kind(name), name, value, ok, _text(message), metadata.get("truncated") is True)


def first_requests(talk: Talk) -> Iterator[Wanted]:
    """What the person's own words call for."""
    wish = talk.wish
    paths = [target.path for target in wish.targets]
    named = [(action.name, given) for action, given in named_actions(wish.words, paths, talk.actions)]
    if named or wish.tool or wish.intent == "beyond":
        yield from named
    elif wish.intent == "web":
        yield from talk.want("web", wish.needle)
    elif wish.intent == "search" and wish.needle and find_action("search", talk.actions):
        yield from talk.want("search", wish.needle, paths)
    else:
        for target in talk.unread():
            yield from talk.want("list" if target.is_folder else "read", target.path)


def second_requests(talk: Talk) -> Iterator[Wanted]:
    """What the results call for: a folder taken for a file, a README of another name, the README of a folder."""
    for seen in talk.seen:
        missing = bool(_MISSING.search(seen.text))
        if seen.kind == "read" and not seen.ok and not missing and _NOT_A_FILE.search(seen.text):
            yield from talk.want("list", seen.value)
        elif seen.kind == "read" and not seen.ok and missing and is_readme(seen.value):
            yield from talk.want("list", posixpath.dirname(seen.value) or ".")
        elif seen.kind == "list" and seen.ok and talk.wish.intent != "list" and not readme_of(talk, seen.value):
            names = [name for name in entry_names(seen.text) if is_readme(name)]
            yield from (
                item for name in names[:1] for item in talk.want("read", posixpath.normpath(f"{seen.value}/{name}"))
            )


def is_readme(path: str) -> bool:
    """Whether a path is a README of any ending and case."""
    return posixpath.basename(path).lower().partition(".")[0] == "readme"


def readme_of(talk: Talk, folder: str) -> bool:
    """Whether a README of this folder was read."""
    return any(
        seen.ok and seen.kind == "read" and is_readme(seen.value) and (posixpath.dirname(seen.value) or ".") == folder
        for seen in talk.seen
    )


def action_kind(name: str) -> ActionKind | None:
    """What an action of this name does, if the provider knows it; `server__tool` counts as `tool`."""
    return next((kind for kind, names in _NAMES.items() if _tool(name) in names), None)


def find_action(kind: ActionKind, actions: Sequence[ActionDescriptor]) -> ActionDescriptor | None:
    """The declared action that does this, the best known name first."""
    by_name = {_tool(action.name): action for action in reversed(actions)}
    return next((by_name[name] for name in _NAMES[kind] if name in by_name), None)


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
    keys = ("text", "query", "pattern", "path", "file", "directory", "paths")
    value = next((given[key] for key in keys if key in given), "")
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
    try:
        value = json.loads(words[words.find("{") : words.rfind("}") + 1])
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _typed(text: str, schema: object) -> Any:
    """The value of a `key=value` pair: text, unless the schema wants a number or a boolean."""
    if not isinstance(schema, Mapping) or schema.get("type") not in ("integer", "number", "boolean"):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
