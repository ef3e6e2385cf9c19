"""The offline provider: one turn of the loop, by extraction."""

from __future__ import annotations

import posixpath
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager

from ditto_core.contracts.events import TextDelta
from ditto_core.contracts.infer import (
    ActionRequest,
    ModelFailure,
    ModelMessage,
    SampleInput,
    SampleOutput,
    Usage,
)
from ditto_core.contracts.ports import SampleResult, StreamItem
from ditto_core.workers.infer.providers.offline.answer import (
    answer_question,
    clip,
    excerpt,
    show_lines,
    show_listing,
    summarize,
)
from ditto_core.workers.infer.providers.offline.document import Document
from ditto_core.workers.infer.providers.offline.path import without_paths
from ditto_core.workers.infer.providers.offline.rank import terms
from ditto_core.workers.infer.providers.offline.request import Wish
from ditto_core.workers.infer.providers.offline.turn import (
    ActionKind,
    Seen,
    Talk,
    Wanted,
    as_document,
    find_action,
    first_requests,
    is_readme,
    read_talk,
    readme_of,
    second_requests,
)

_HELP = """The offline provider is not a language model. It can

- summarise files: "Summarize README.md"
- answer from files by their best passages: "What does docs/setup.md say about proxies?"
- list a folder: "List the files in src"
- search files for a text: 'Search for "TODO" in src'
- call a tool that the request names: 'Use add {"a": 1, "b": 2}'

For anything else configure a model: run `ditto init` and fill in .env, or choose one with --model PROVIDER/MODEL."""


class OfflineProvider:
    """Deterministic answers by extraction. Usage is zeros; generation settings mean nothing here and are ignored.

    A request that names nothing it can do ends with finishReason `error`, OFFLINE_UNSUPPORTED; one whose inputs could
    not be read at all with OFFLINE_NO_INPUT.
    """

    async def invoke(self, request: SampleInput) -> SampleOutput:
        """The action requests of this turn, or the answer."""
        talk = read_talk(request)
        wanted = list(second_requests(talk) if talk.seen else first_requests(talk))
        return _requesting(wanted, request.messages) if wanted else _answer(talk)

    @asynccontextmanager
    async def stream(self, request: SampleInput) -> AsyncIterator[AsyncIterator[StreamItem]]:
        """The same, line by line."""
        yield _lines(await self.invoke(request))


async def _lines(output: SampleOutput) -> AsyncIterator[StreamItem]:
    for line in str(output.message.content).splitlines(keepends=True):
        yield TextDelta(text=line)
    yield SampleResult(output)


def _no_usage() -> Usage:
    return Usage(input_tokens=0, output_tokens=0, total_tokens=0)


def _requesting(wanted: Sequence[Wanted], messages: Sequence[ModelMessage]) -> SampleOutput:
    before = sum(len((message.metadata or {}).get("actionRequests", ())) for message in messages)
    requests = tuple(
        ActionRequest(id=f"offline-{before + at}", name=name, arguments=given)
        for at, (name, given) in enumerate(wanted, 1)
    )
    return SampleOutput(
        message=ModelMessage(role="assistant", content=""),
        action_requests=requests,
        finish_reason="action_request",
        usage=_no_usage(),
    )


def _answer(talk: Talk) -> SampleOutput:
    read = [seen for seen in talk.seen if seen.ok and seen.kind == "read"]
    documents = [*talk.material, *(as_document(seen.value, seen.text, truncated=seen.truncated) for seen in read)]
    results = [seen for seen in talk.seen if seen.ok and seen.kind != "read"]
    if results and talk.wish.intent in ("list", "search", "web"):
        documents = []
    failures = _failures(talk)
    if talk.wish.intent == "beyond" and not results:
        return _refusal("OFFLINE_UNSUPPORTED", "that takes a language model, and the offline provider is none", _HELP)
    if talk.wish.tool and not talk.seen:
        reason = f"the tool {talk.wish.tool[:64]} is not offered, or the request lacks its arguments"
        return _refusal("OFFLINE_UNSUPPORTED", reason, _HELP)
    named = any(not target.guessed for target in talk.wish.targets)
    if not results and (not documents or (named and len(talk.unread()) == len(talk.wish.targets) and not read)):
        return _nothing(talk, failures)
    lines = [*_body(talk.wish, documents), *(line for seen in results for line in _result(seen, talk.wish))]
    notes = [f"- {note}" for note in (*_notes(talk, documents), *failures)]
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines).strip("\n"))
    text = "\n".join([text, "", "Notes:", "", *notes] if notes else [text]) + "\n"
    return SampleOutput(message=ModelMessage(role="assistant", content=text), finish_reason="stop", usage=_no_usage())


def _nothing(talk: Talk, failures: Sequence[str]) -> SampleOutput:
    """Why there is nothing to answer from: all that was asked for failed, or nothing could be asked for."""
    why = "; ".join(failures)
    if talk.seen:
        failed = "nothing could be read" if all(seen.kind for seen in talk.seen) else "the call failed"
        return _refusal("OFFLINE_NO_INPUT", f"{failed}: {why}")
    why = why or "the request names no file, folder, search or tool that the offline provider could use"
    return _refusal("OFFLINE_UNSUPPORTED", why, _HELP)


def _refusal(code: str, reason: str, more: str = "") -> SampleOutput:
    text = f"Not answered: {reason}." + (f"\n\n{more}" if more else "") + "\n"
    return SampleOutput(
        message=ModelMessage(role="assistant", content=text),
        finish_reason="error",
        usage=_no_usage(),
        error=ModelFailure(code=code, message=f"{reason}; `ditto init` sets up a model" if more else reason),
    )


def _failures(talk: Talk) -> list[str]:
    """Why each named input that could not be used was not, one line each."""
    found: list[str] = []
    for target in talk.unread():
        kind: ActionKind = "list" if target.is_folder else "read"
        if not talk.seen and find_action(kind, talk.actions) is None:
            found.append(f"{target.path} was not read: no action that could {kind} it is offered")
    for seen in talk.seen:
        replaced = is_readme(seen.value) and readme_of(talk, posixpath.dirname(seen.value) or ".")
        listed = any(other.ok and other.kind == "list" and other.value == seen.value for other in talk.seen)
        if not seen.ok and not replaced and not listed:
            reason = clip(" ".join(seen.text.removeprefix("[failed] ").split()), 200) or "no reason given"
            found.append(reason if seen.value and seen.value in reason else f"{seen.value or seen.name}: {reason}")
    return found


def _notes(talk: Talk, documents: Sequence[Document]) -> Iterator[str]:
    for target in talk.wish.targets:
        if target.guessed:
            yield f"no file was named, so {', '.join(document.source for document in documents)} was read"
    if talk.wish.pasted and not talk.wish.words:
        yield "the text came without a request, so it was summarised"
    for document in documents:
        if document.truncated:
            yield f"{document.source} was cut by a limit; what comes after line {document.line_count} was not read"


def _body(wish: Wish, documents: Sequence[Document]) -> Iterator[str]:
    if not documents:
        return
    asked = without_paths(wish.words)
    topical = bool(terms(asked))
    if wish.intent in ("summary", "list") or (not topical and wish.intent != "show"):
        for document in documents:
            yield from (*summarize(document, len(documents), wish.count), "")
    elif wish.intent == "show" and not topical:
        for document in documents:
            yield from excerpt(document, 36 // len(documents))
    else:
        yield from answer_question(documents, wish.needle or asked)


def _result(seen: Seen, wish: Wish) -> Iterator[str]:
    if seen.kind == "list":
        yield from show_listing(seen.value, seen.text)
    elif seen.kind == "search":
        nothing = not seen.text.strip() or seen.text.startswith(("no match", "(no output)"))
        title = f'Nothing contains "{wish.needle}".' if nothing else f'"{wish.needle}" was found here:'
        yield from show_lines(title, "" if nothing else seen.text)
    else:
        yield from show_lines(f"{seen.name} says:", seen.text)
