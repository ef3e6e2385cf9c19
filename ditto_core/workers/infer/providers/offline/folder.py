"""The folders that a person's words name without a slash: "the docs folder", "folder docs", "files in docs"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ditto_core.workers.infer.providers.offline.words import terms

_NO_NAMES = """
    the this that current working here it a an my our your which each every folder directory dir files contents content
    project repo root workspace and
"""
_NO_FOLDERS = frozenset(_NO_NAMES.split())
_NO_NAMES_BEFORE = "analyse analyze cat find grep list ls open print read review search show display what's"
_NO_NAMES_AFTER = "structure tree layout listing contains holds has contain hold"
_VERBS = frozenset(_NO_NAMES_BEFORE.split())
_NO_FOLDERS_AFTER = frozenset(_NO_NAMES_AFTER.split())
_NAME = r"([\w./@+-]+)"
_FOLDER = re.compile(
    rf"(?:(?:\b(the|my|our|your)\s+)?{_NAME}[\"'`]?\s+)?\b(?:folder|directory|dir)\b"
    rf"(?:\s+(?:called\s+|named\s+)?[\"'`]?{_NAME})?",
    re.IGNORECASE,
)
_FILES_IN = re.compile(rf"\bfiles (?:in|under|of) (?:the )?{_NAME}|([\w./-]+)\s*(?:目录|文件夹)", re.IGNORECASE)
_AFTER = re.compile(rf"\b(?:in|inside|under|of|from|list|ls)\s+(?:the\s+)?{_NAME}", re.IGNORECASE)

_MORE = re.compile(rf"(?:\s*,|\s+and)\s+(?:the\s+)?{_NAME}(?=\s*(?:[,.?!]|and\b|folders\b|$))", re.IGNORECASE)


def named_folders(words: str, *, loose: bool) -> Iterator[tuple[int, str]]:
    """Names with their positions. `loose` takes "in docs" and "list docs" too, which name folders in some requests."""
    found = [(match.start(), _beside(match)) for match in _FOLDER.finditer(words)]
    for rule in (_FILES_IN, _AFTER) if loose else (_FILES_IN,):
        for match in rule.finditer(words):
            found.append((match.start(), next(part for part in match.groups() if part)))
            end = match.end()
            while more := _MORE.match(words, end):  # "in docs, src and tests"
                found.append((more.start(), more[1]))
                end = more.end()
    for at, name in found:
        if (name := name.rstrip(".")) and is_name(name):
            yield at, name


def is_name(word: str) -> bool:
    """Whether a word may name a folder: "this" and "project" do not."""
    return word.lower() not in _NO_FOLDERS


def _beside(match: re.Match[str]) -> str:
    """The name before the word "folder", or the one behind it where the word before is a verb or a preposition."""
    article, before, after = match.groups(default="")
    named = is_name(before) and (article or (terms(before) and before.lower() not in _VERBS))
    if before and named:
        return str(before)
    is_here = before.lower() in ("this", "that", "current", "working", "my", "our", "your")
    return str(after) if terms(after) and after.lower() not in _NO_FOLDERS_AFTER and not is_here else ""
