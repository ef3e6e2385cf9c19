"""The text files that a search looks through, read through the sandbox and counted."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ditto_core.errors import PermissionDeniedError, SandboxFileError
from ditto_core.sandbox.files import WorkspaceFiles

MAX_FILES = 10_000
MAX_FILE_BYTES = 2 * 1024 * 1024
MAX_BYTES = 32 * 1024 * 1024
"""Files, bytes of one file and bytes of all files that one search reads."""


@dataclass(slots=True)
class Reading:
    """What became of the files. `unreadable` counts the secret ones, too; `cut` says that a limit ended the reading."""

    searched: int = 0
    binary: int = 0
    unreadable: int = 0
    large: int = 0
    size: int = 0
    cut: bool = False

    @property
    def incomplete(self) -> str | None:
        """One line for a person when text that might have answered was not read; binary and secret files are none."""
        if not self.large and not self.cut:
            return None
        found = [
            f"{self.searched} files searched",
            *(f"{count} {what}" for count, what in self._skipped() if count),
        ]
        more = f"; more than {MAX_FILES} files or {MAX_BYTES >> 20} MiB, search in fewer folders" if self.cut else ""
        return f"the corpus was not read as a whole: {', '.join(found)}{more}"

    def _skipped(self) -> Sequence[tuple[int, str]]:
        return (
            (self.large, f"skipped as larger than {MAX_FILE_BYTES >> 20} MiB"),
            (self.binary, "skipped as binary"),
            (self.unreadable, "skipped as secret or unreadable"),
        )


def read_corpus(
    files: WorkspaceFiles, starts: Sequence[str], reading: Reading, stop: threading.Event
) -> Iterator[tuple[str, str]]:
    """Path and text of every file at or below `starts`, each once, in the order of the folders.

    A start that may not be read, or is not there, is an error: PermissionDeniedError or SandboxFileError. What is
    found below and cannot be used is skipped and counted.
    """
    for path in _paths(files, starts, reading):
        if stop.is_set():
            return
        text = _text(files, path, reading)
        if text is None:
            continue
        if reading.size > MAX_BYTES:
            reading.cut = True
            return
        reading.searched += 1
        yield path, text


def _paths(files: WorkspaceFiles, starts: Sequence[str], reading: Reading) -> Iterator[str]:
    seen: set[str] = set()
    for start in starts:
        tree = files.walk(start, MAX_FILES)
        reading.unreadable += tree.skipped
        reading.cut = reading.cut or tree.truncated
        for path in tree.files:
            if path in seen:
                continue
            if len(seen) >= MAX_FILES:
                reading.cut = True
                return
            seen.add(path)
            yield path


def _text(files: WorkspaceFiles, path: str, reading: Reading) -> str | None:
    try:
        path.encode()  # a name that is no Unicode text could not be shown
        read = files.read_text(path, MAX_FILE_BYTES)
    except SandboxFileError as error:
        reading.binary += error.code == "NOT_TEXT"
        reading.unreadable += error.code != "NOT_TEXT"
        return None
    except (PermissionDeniedError, UnicodeEncodeError):
        reading.unreadable += 1
        return None
    reading.large += read.truncated
    reading.size += 0 if read.truncated else read.size
    return None if read.truncated else read.text
