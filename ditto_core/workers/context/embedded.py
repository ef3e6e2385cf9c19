"""The rag strategy that needs nothing: it finds words in the items and in text files of the workspace."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ditto_core.contracts.context import ContextItem
from ditto_core.contracts.events import Warned
from ditto_core.contracts.message import Reference
from ditto_core.errors import InvalidInputError
from ditto_core.nearest import did_you_mean
from ditto_core.runtime.worker import WorkerContext
from ditto_core.sandbox.daemon_thread import run_in_daemon_thread
from ditto_core.sandbox.files import WorkspaceFiles
from ditto_core.workers.context.ports import RagRequest, RagStrategy

if TYPE_CHECKING:
    from ditto_core.workers.context.corpus import Reading
    from ditto_core.workers.context.lexical import Candidate
    from ditto_core.workers.context.passage import Passage

MAX_PATHS = 100
"""Files and folders that one query may name."""


def create_embedded_rag_strategy() -> RagStrategy:
    """A strategy for ContextServices(rag_strategy=…) over the given items and over files.

    `options.paths` names files and folders of the workspace; without it a `corpus` names one, by path or `file:` URI;
    with neither, only the items are searched. Files are read through the sandbox of the runtime, so what may not be
    read is not searched. A passage of a file becomes an item `path:line` with the lines in source and metadata. The
    order is the same for the same files. Text that was too much to read is told as a `warning` event.
    """
    return _Embedded()


class _Embedded:
    """Reads and ranks in a thread of its own."""

    async def select(self, request: RagRequest, ctx: WorkerContext) -> Sequence[Any]:
        """What matches best. Raises InvalidInputError, PermissionDeniedError and SandboxFileError."""
        from ditto_core.workers.context.corpus import Reading
        from ditto_core.workers.context.size import text_of

        if request.query is None:
            raise InvalidInputError("the embedded rag strategy needs words to look for", path="query")
        starts = _starts(request.options, request.corpus)
        reading, stop = Reading(), threading.Event()
        search = _Search(request, starts, ctx.services.sandbox.files, stop)
        try:
            found = await run_in_daemon_thread(search.run, text_of(request.query), reading)
        finally:
            stop.set()  # a cancelled search ends with the file it is at
        if missed := reading.incomplete:
            ctx.observe(Warned(message=missed))
        return found


class _Search:
    """One query over items and files."""

    def __init__(
        self, request: RagRequest, starts: Sequence[str], files: WorkspaceFiles, stop: threading.Event
    ) -> None:
        self._request = request
        self._starts = starts
        self._files = files
        self._stop = stop

    def run(self, query: str, reading: Reading) -> list[dict[str, Any]]:
        from ditto_core.workers.context.lexical import best_matches

        found: list[dict[str, Any]] = []
        seen: set[str] = set()
        for thing, score in best_matches(self._candidates(query, reading), query):
            if len(found) >= self._request.limit:
                break
            if isinstance(thing, ContextItem):
                found.append({"item": thing, "score": score})
            elif thing[1].text not in seen:  # a copy of a file says nothing new
                seen.add(thing[1].text)
                found.append({"item": _item(*thing), "score": score})
        return found

    def _candidates(self, query: str, reading: Reading) -> Iterator[Candidate[ContextItem | tuple[str, Passage]]]:
        from ditto_core.sandbox.text import clean_text
        from ditto_core.workers.context.corpus import read_corpus
        from ditto_core.workers.context.lexical import Candidate, may_hold
        from ditto_core.workers.context.passage import passages
        from ditto_core.workers.context.size import text_of
        from ditto_core.workers.context.term import query_terms

        asked = query_terms(query)
        for item in self._request.items:
            yield Candidate(item, text_of(item.content))
        for path, text in read_corpus(self._files, self._starts, reading, self._stop):
            if not may_hold(f"{path} {text}", asked):
                continue  # nothing to find: not worth cutting
            for passage in passages(path, clean_text(text)):
                yield Candidate((path, passage), passage.text, f"{path} {passage.heading}")


def _item(path: str, passage: Passage) -> ContextItem:
    from urllib.parse import quote

    from ditto_core.sandbox.text import clean_line

    shown = clean_line(path, 1000)
    piece = f":{passage.column}" if passage.column > 1 else ""
    lines = f"L{passage.line}" if passage.last == passage.line else f"L{passage.line}-L{passage.last}"
    metadata: dict[str, Any] = {"path": shown, "line": passage.line, "endLine": passage.last}
    if passage.heading:
        metadata["heading"] = clean_line(passage.heading)
    return ContextItem(
        id=f"{shown}:{passage.line}{piece}",
        content=passage.text,
        source=Reference(uri=f"{quote(path)}#{lines}"),
        metadata=metadata,
    )


def _starts(options: Mapping[str, Any], corpus: Reference | None) -> Sequence[str]:
    """The files and folders to search. Raises InvalidInputError for options or a corpus that say something else."""
    for name in options:
        if name != "paths":
            raise InvalidInputError(
                "unknown option", path=f"strategy.options.{name[:80]}", hint=did_you_mean(name, ["paths"])
            )
    if "paths" in options:
        return _checked_paths(options["paths"])
    return () if corpus is None else (_path_of(corpus.uri),)


def _checked_paths(paths: Any) -> Sequence[str]:
    if not isinstance(paths, list) or not all(isinstance(path, str) and path for path in paths):
        raise InvalidInputError("a list of paths is needed", path="strategy.options.paths")
    if len(paths) > MAX_PATHS:
        raise InvalidInputError(f"more than {MAX_PATHS} paths", path="strategy.options.paths")
    return tuple(dict.fromkeys(paths))


def _path_of(uri: str) -> str:
    """The path that a corpus names."""
    from urllib.parse import unquote, urlsplit

    parts = urlsplit(uri)
    if parts.scheme == "file" and parts.netloc in ("", "localhost"):
        return unquote(parts.path)
    if parts.scheme:
        hint = "Name a folder of the workspace by its path or file: URI, or inject a strategy of your own."
        raise InvalidInputError("the embedded rag strategy searches files only", path="strategy.corpus.uri", hint=hint)
    return uri
