"""The tool `search_text`: lines of the workspace's files that hold a text."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ditto_core.contracts.interaction import ToolOutcome
from ditto_core.errors import PermissionDeniedError, SandboxFileError
from ditto_core.runtime.worker import WorkerContext
from ditto_core.sandbox.daemon_thread import run_in_daemon_thread
from ditto_core.sandbox.files import WorkspaceFiles
from ditto_core.sandbox.text import clean_line
from ditto_core.workers.interaction.tools.tool import RegisteredTool

MAX_FILES = 10_000
MAX_FILE_BYTES = 2 * 1024 * 1024
MAX_MATCHES = 500
_LINE = 300
_BEFORE = 80
_NOTE_ROOM = 300
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {
            "type": "string",
            "minLength": 1,
            "maxLength": 1000,
            "pattern": "^[^\\n\\r]+$",
            "description": "What to look for within one line. Literal text, not a regular expression.",
        },
        "ignoreCase": {"type": "boolean", "description": "Take upper and lower case as the same. Default: false."},
        "paths": {
            "type": "array",
            "items": {"type": "string", "minLength": 1},
            "minItems": 1,
            "maxItems": 100,
            "description": "Files and folders to search, relative to the workspace. Default: all of it.",
        },
    },
    "required": ["text"],
    "additionalProperties": False,
}


def create_search_text_tool() -> RegisteredTool:
    """`search_text`: literal text in the files that may be read.

    At most MAX_FILES files of MAX_FILE_BYTES each are looked at, and MAX_MATCHES lines or `maxOutputBytes` come back.
    """
    return RegisteredTool(
        name="search_text",
        description=(
            "Searches the text files of the workspace for a literal text and gives each line that holds it as "
            "`path:line: text`. Skips binary, secret and very large files and says how many; skips .git, node_modules "
            "and the like."
        ),
        input_schema=_SCHEMA,
        effects=("read",),
        execute=_search_text,
    )


@dataclass(slots=True)
class _Found:
    """What a search has come to so far. `room` is the bytes that are left for lines."""

    room: int
    lines: list[str] = field(default_factory=list)
    files: set[str] = field(default_factory=set)
    searched: int = 0
    binary: int = 0
    unreadable: int = 0
    large: int = 0
    full: bool = False
    files_cut: bool = False


async def _search_text(arguments: Mapping[str, Any], ctx: WorkerContext) -> ToolOutcome:
    sandbox = ctx.services.sandbox
    found = _Found(ctx.services.config.settings.runtime.sandbox.max_output_bytes - _NOTE_ROOM)
    stop = threading.Event()
    try:
        await run_in_daemon_thread(_search, sandbox.files, arguments, found, stop)
    finally:
        stop.set()  # a cancelled search ends with the file it is at
    return ToolOutcome(
        status="success",
        content="\n".join((*found.lines, _summary(found))),
        structured_content={
            "matches": len(found.lines),
            "filesWithMatches": len(found.files),
            "filesSearched": found.searched,
            "skipped": {"binary": found.binary, "unreadable": found.unreadable, "tooLarge": found.large},
            "truncated": found.full or found.files_cut,
        },
    )


def _search(files: WorkspaceFiles, arguments: Mapping[str, Any], found: _Found, stop: threading.Event) -> None:
    fold = bool(arguments.get("ignoreCase", False))
    wanted = arguments["text"].casefold() if fold else arguments["text"]
    for path in _paths(files, arguments.get("paths", (".",)), found):
        if stop.is_set() or found.full:
            return
        text = _text(files, path, found)
        if text is None or wanted not in (text.casefold() if fold else text):
            continue
        for number, line in enumerate(text.split("\n"), 1):
            at = (line.casefold() if fold else line).find(wanted)
            if at >= 0 and not _keep(found, path, number, _window(line, at)):
                return


def _paths(files: WorkspaceFiles, starts: Any, found: _Found) -> Iterator[str]:
    """Every file once. A path that is named and may not be read, or is not there, is an error."""
    seen: set[str] = set()
    for start in starts:
        tree = files.walk(start, MAX_FILES)
        found.unreadable += tree.skipped
        found.files_cut = found.files_cut or tree.truncated
        for path in tree.files:
            if path not in seen:
                seen.add(path)
                yield path


def _text(files: WorkspaceFiles, path: str, found: _Found) -> str | None:
    """The text of a file, or None for one that is skipped and counted."""
    try:
        read = files.read_text(path, MAX_FILE_BYTES)
    except SandboxFileError as error:
        found.binary += error.code == "NOT_TEXT"
        found.unreadable += error.code != "NOT_TEXT"
        return None
    except PermissionDeniedError:
        found.unreadable += 1
        return None
    if read.truncated:
        found.large += 1
        return None
    found.searched += 1
    return read.text


def _keep(found: _Found, path: str, number: int, text: str) -> bool:
    """Takes a line if there is room for it."""
    line = f"{clean_line(path, 1000)}:{number}: {text}"
    size = len(line.encode()) + 1
    if size > found.room or len(found.lines) >= MAX_MATCHES:
        found.full = True
        return False
    found.room -= size
    found.lines.append(line)
    found.files.add(path)
    return True


def _window(line: str, at: int) -> str:
    """The line, or the part of a long one around the place. Folding may move the place by some characters."""
    line = line.removesuffix("\r")
    start = max(0, at - _BEFORE) if len(line) > _LINE else 0
    return ("…" if start else "") + clean_line(line[start:].replace("\t", " "), _LINE)


def _summary(found: _Found) -> str:
    searched = f"{found.searched} file{'' if found.searched == 1 else 's'} searched"
    skipped = [
        f"{count} {what}"
        for count, what in (
            (found.binary, "binary"),
            (found.unreadable, "secret or unreadable"),
            (found.large, f"larger than {MAX_FILE_BYTES} bytes"),
        )
        if count
    ]
    told = f"{searched}; skipped: {', '.join(skipped)}" if skipped else searched
    if found.files_cut:
        told += f"; there are more files than the {MAX_FILES} that are looked at, search in fewer folders"
    if found.full:
        return f"[cut: first {len(found.lines)} matches; narrow the text or the paths] ({told})"
    if not found.lines:
        return f"no match ({told})"
    matches = f"{len(found.lines)} match{'' if len(found.lines) == 1 else 'es'}"
    return f"[{matches} in {len(found.files)} file{'' if len(found.files) == 1 else 's'}] ({told})"
