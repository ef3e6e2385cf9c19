"""Folders: their entries, and the files below them."""

from __future__ import annotations

import heapq
import os
import stat
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

EntryKind: TypeAlias = Literal["file", "folder", "link", "other"]


class FolderEntry(NamedTuple):
    """One name in a folder. `size` in bytes for files, else None. A name that is not UTF-8 holds lone surrogates."""

    name: str
    kind: EntryKind
    size: int | None = None


class FolderListing(NamedTuple):
    """The entries of a folder, sorted by name; the first ones only when `truncated`, out of `total`."""

    path: str
    entries: tuple[FolderEntry, ...]
    total: int
    truncated: bool


class FileTree(NamedTuple):
    """Relative paths of regular files that may be read, sorted within each folder; `truncated` when a cap was reached.

    `skipped` counts files and folders that were left out because they may not or cannot be read.
    """

    files: tuple[str, ...]
    truncated: bool
    skipped: int


def list_folder(descriptor: int, path: str, max_entries: int) -> FolderListing:
    """Lists an open folder. Memory is bounded by `max_entries`, also for a folder of millions."""
    total = 0

    def names() -> Iterator[str]:
        nonlocal total
        with os.scandir(descriptor) as found:
            for entry in found:
                total += 1
                yield entry.name

    chosen = heapq.nsmallest(max_entries, names())
    entries = tuple(entry for name in chosen if (entry := _entry(descriptor, name)) is not None)
    return FolderListing(path, entries, total, total > max_entries)


def _entry(descriptor: int, name: str) -> FolderEntry | None:
    try:
        found = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
    except OSError:
        return None  # it went away in the meantime
    if stat.S_ISREG(found.st_mode):
        return FolderEntry(name, "file", found.st_size)
    if stat.S_ISDIR(found.st_mode):
        return FolderEntry(name, "folder")
    return FolderEntry(name, "link" if stat.S_ISLNK(found.st_mode) else "other")
