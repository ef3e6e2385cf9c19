"""A folder: what a listing names, which of its files are worth a look, and how both are shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ditto_core.workers.infer.providers.offline.path import is_readme, is_text_file
from ditto_core.workers.infer.providers.offline.words import clip, many

_MOST_LOOKS = 10  # files of one folder that are read to say what they are
_LARGEST_LOOK = 64 * 1024  # bytes
_MOST_SHOWN = 36
_LINE = re.compile(r"(?:\[(?P<label>DIR|FILE)\] )?(?P<name>[^\[(].*?)(?:\t|  |$)(?:(?P<size>\d+) bytes)?")


@dataclass(frozen=True, slots=True)
class Entry:
    """A name in a folder; a folder's ends with a slash. `size` is in bytes, if the listing tells it."""

    name: str
    size: int | None = None

    @property
    def is_folder(self) -> bool:
        """Whether the listing says so."""
        return self.name.endswith("/")


def read_listing(text: str) -> list[Entry]:
    """The entries of a listing, one a line: `name/`, `name<tab>12 bytes`, `[DIR] name`; notes in brackets are none."""
    lines = [_LINE.match(line.strip()) for line in text.splitlines()]
    return [
        Entry(line["name"] + "/" * (line["label"] == "DIR"), int(line["size"]) if line["size"] else None)
        for line in lines
        if line
    ]


def worth_a_look(files: Mapping[str, Entry]) -> list[str]:
    """The paths of small text files in order, a README first."""
    small = [path for path, entry in files.items() if entry.size is None or 0 < entry.size <= _LARGEST_LOOK]
    return sorted(filter(is_text_file, small), key=lambda path: not is_readme(path))[:_MOST_LOOKS]


def show_listing(folder: str, entries: Sequence[Entry], gists: Mapping[str, str], pattern: str = "") -> Iterator[str]:
    """The entries of a folder, folders first; `gists` says by name what the files are that were read.

    `pattern` is what the entries were chosen by, if not all are there.
    """
    files = [entry for entry in entries if not entry.is_folder]
    where = "This folder" if folder in (".", "") else f"{folder}/"
    counted = f"{many(len(entries) - len(files), 'folder')} and {many(len(files), 'file')}"
    yield f"\n{pattern} matches {many(len(files), 'file')}.\n" if pattern else f"\n{where} has {counted}.\n"
    for entry in sorted(entries, key=lambda entry: not entry.is_folder)[:_MOST_SHOWN]:
        about = "empty" if entry.size == 0 else gists.get(entry.name, "")
        yield f"- {entry.name}" + (f" - {clip(about, 140)}" if about else "")
    if len(entries) > _MOST_SHOWN:
        yield f"- … and {len(entries) - _MOST_SHOWN} more"


def not_looked_at(entries: Sequence[Entry], gists: Mapping[str, str]) -> str:
    """What of a folder was not looked at, or nothing."""
    left = [entry for entry in entries if entry.size != 0 and entry.name not in gists]
    files = [entry.name for entry in left if not entry.is_folder]
    said = ", ".join(files) if len(files) <= 3 else many(len(files), "file")
    return " and ".join(part for part in (said, "what is in the folders" * (len(files) < len(left))) if part)
