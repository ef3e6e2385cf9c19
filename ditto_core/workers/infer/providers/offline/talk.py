"""The conversation as the offline provider needs it: what was asked, what the messages hold, what actions brought."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from ditto_core.contracts.infer import ActionDescriptor, ModelMessage, SampleInput
from ditto_core.workers.infer.providers.offline.action import ActionKind, action_kind, main_value
from ditto_core.workers.infer.providers.offline.document import Document, read_document
from ditto_core.workers.infer.providers.offline.listing import Entry, read_listing
from ditto_core.workers.infer.providers.offline.path import join, tidy
from ditto_core.workers.infer.providers.offline.request import Request, Target, read_request

_HEADER = re.compile(
    r"(?:#+ )?(?:file|source|passage|document|skill)\b ?[:：]?\s*(?P<named>\S.*)|\[(?P<bracketed>[^\]]+)\]:?"
    r"|[-=]{3,} (?P<ruled>.+?) [-=]{3,}|<\w+ (?:path|source|name)=\"(?P<tagged>[^\"]+)\">"
    r"|(?:#+ )?(?P<bare>\S*[./]\S*?):?",
    re.IGNORECASE,
)
_LINE = re.compile(r":(\d+)(?:-\d+)?$")
NO_OUTPUT = "(no output)"
"""How an observation says that an action succeeded and brought nothing."""
_CUT = re.compile(r"\[(?:cut|truncated|omitted)\b[^\]]*\].*", re.IGNORECASE)


@dataclass(frozen=True)
class Seen:
    """An action asked for since the last user message, and what came of it. `value` is its path or text."""

    kind: ActionKind | None
    name: str
    value: str
    ok: bool
    text: str
    truncated: bool

    @cached_property
    def document(self) -> Document:
        """What was read; the observation of an empty file has words of its own."""
        return as_document(self.value, "" if self.text == NO_OUTPUT else self.text, truncated=self.truncated)

    @cached_property
    def entries(self) -> list[Entry]:
        """What was listed."""
        return read_listing(self.text)

    @cached_property
    def files(self) -> dict[str, Entry]:
        """The files of the listed folder by their paths, in order."""
        return {join(self.value, entry.name): entry for entry in self.entries if not entry.is_folder}


@dataclass(frozen=True, slots=True)
class Talk:
    """The last request, the material in the messages, the results since, and the declared actions."""

    request: Request
    material: tuple[Document, ...]
    seen: tuple[Seen, ...]
    actions: tuple[ActionDescriptor, ...]

    def done(self, kind: ActionKind) -> dict[str, Seen]:
        """The actions of a kind that succeeded, by path or text."""
        return {seen.value: seen for seen in self.seen if seen.ok and seen.kind == kind}

    def unheld(self, targets: Sequence[Target]) -> list[Target]:
        """The targets that the messages do not hold already."""
        held = {tidy(document.source) for document in self.material}
        return [
            target
            for target in targets
            if target.path not in held and not (target.guessed and held and not target.is_folder)
        ]


def read_talk(request: SampleInput) -> Talk:
    """What was asked last, what the messages hold, and what the actions since then brought."""
    messages = request.messages
    last = max((at for at, message in enumerate(messages) if message.role == "user"), default=-1)
    asked = read_request(_text(messages[last]) if last >= 0 else "")
    pairs = pairwise(messages)
    given = [_material(_text(one), at) for at, (one, two) in enumerate(pairs, 1) if one.role == two.role == "user"]
    pasted = read_document("the text in the request", asked.pasted) if asked.pasted else None
    material = tuple(document for document in (*given, pasted) if document)
    return Talk(asked, material, tuple(_results(messages[last + 1 :])), request.actions)


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
    line = _LINE.search(source)
    first_line = int(line[1][:9]) if line else 1
    return as_document(_LINE.sub("", source), body.removeprefix("\n"), first_line=first_line)


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
