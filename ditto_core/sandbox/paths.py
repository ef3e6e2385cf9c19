"""Paths as callers write them, made relative to the workspace without touching the file system."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable


class PathRefusedError(ValueError):
    """The text cannot name anything in the workspace; the message is the reason, without the path."""


def relative_path(text: str, roots: Iterable[str] = ()) -> str:
    """Returns the path relative to the workspace, normalised by its text alone; `.` is the workspace itself.

    An absolute path that lies under one of `roots` (absolute, normalised) is taken relative to it. Refused with
    PathRefusedError: NUL, a leading `~`, any other absolute path, and `..` that climbs out. Because only the text
    counts, the answer is the same whether or not the target exists.
    """
    if "\0" in text:
        raise PathRefusedError("a path cannot hold a NUL character")
    try:
        text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise PathRefusedError("a path cannot hold a lone surrogate") from None
    if text.startswith("~"):
        raise PathRefusedError("a path cannot begin with ~")
    if text.startswith("/"):
        text = _below(_absolute(text), roots)
    path = posixpath.normpath(text)
    if path == ".." or path.startswith("../"):
        raise PathRefusedError("the path leaves the workspace")
    return path


def _absolute(text: str) -> str:
    return posixpath.normpath("/" + text.lstrip("/"))


def _below(path: str, roots: Iterable[str]) -> str:
    for root in roots:
        prefix = root.rstrip("/") + "/"
        if path == root or path.startswith(prefix):
            return path[len(prefix) :]
    raise PathRefusedError("the path leaves the workspace")
