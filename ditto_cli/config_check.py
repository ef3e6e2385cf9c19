"""What `ditto config validate` does: every mistake of a ditto.yaml, with its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ditto_cli.configuration import user_file
from ditto_cli.exits import CONFIG
from ditto_cli.outcome import Outcome
from ditto_core.contracts.events import RunFailure
from ditto_core.errors import ConfigError
from ditto_core.sandbox.text import clean_line
from ditto_core.settings.key_path import KeyPath, dotted
from ditto_core.settings.schema_check import read_settings
from ditto_core.settings.yaml_document import YamlDocument
from ditto_core.settings.yaml_file import load_yaml_file

MOST = 100
"""Mistakes of one file that are named."""

_MORE = re.compile(r" \(and \d+ more\)$")


def check_body(file: str) -> Outcome:
    """The outcome for one file. Raises ConfigError when it cannot be read as a file at all."""
    try:
        found = list(mistakes(_document(file), user_file=_is_own(file)))
    except ConfigError as error:  # no YAML, so there is one place only
        found = [_mistake(error, (), Counter())]
    result = {"file": file, "valid": not found, "problems": found}
    if not found:
        return Outcome(text=f"{file}: valid", result=result)
    count = "1 mistake" if len(found) == 1 else f"{len(found)} mistakes"
    failure = RunFailure(code="CONFIG_INVALID", message=f"{clean_line(file, 200)}: {count}")
    text = "\n".join(_line(mistake) for mistake in found)
    return Outcome(status="failed", exit_code=CONFIG, text=text, result=result, error=failure)


def mistakes(document: YamlDocument, *, user_file: bool) -> Iterator[dict[str, Any]]:
    """Every mistake as where, key, message and, if there is one, hint; in the order of the file.

    The settings raise the first one only: it is taken out of the document, and the rest is checked again.
    """
    gone: Counter[KeyPath] = Counter()
    for _ in range(MOST):
        try:
            read_settings(document, user_file=user_file)
        except ConfigError as error:
            path = _path_of(document, error)
            yield _mistake(error, path, gone)
            if not path:
                return
            gone[path[:-1]] += isinstance(path[-1], int)
            document = _without(document, path)
        else:
            return


def _document(file: str) -> YamlDocument:
    document = load_yaml_file(Path(file))
    assert document is not None  # noqa: S101  # a missing file that is not optional is an error
    return document


def _is_own(file: str) -> bool:
    """Whether it is the person's own file, which may hold more."""
    own = user_file()
    return own is not None and Path(file).resolve() == own.resolve()


def _path_of(document: YamlDocument, error: ConfigError) -> KeyPath:
    """The longest path of the document that leads to a mistake; empty when it is none of a place in it."""
    key = error.key or ""
    leads = [path for path in document.marks if path and _is_at(key, dotted(path))]
    if error.where is not None:
        here = [path for path in leads if error.where in (document.at(path), document.at(path, key=True))]
        leads = here or leads
    return max(leads, key=len, default=())


def _is_at(key: str, path: str) -> bool:
    return key == path or key.startswith((f"{path}.", f"{path}["))


def _without(document: YamlDocument, path: KeyPath) -> YamlDocument:
    """The document without one value; what stands after it in the same list moves up."""
    marks = {_moved(known, path): mark for known, mark in document.marks.items() if known[: len(path)] != path}
    return document._replace(data=_pruned(document.data, path), marks=marks)


def _moved(known: KeyPath, gone: KeyPath) -> KeyPath:
    *before, last = gone
    part = known[len(before)] if len(known) > len(before) else None
    if known[: len(before)] != tuple(before) or not isinstance(last, int) or not isinstance(part, int) or part < last:
        return known
    return (*before, part - 1, *known[len(gone) :])


def _pruned(data: Any, path: KeyPath) -> Any:
    head, rest = path[0], path[1:]
    if isinstance(data, list):
        below = [_pruned(data[int(head)], rest)] if rest else []
        return [*data[: int(head)], *below, *data[int(head) + 1 :]]
    if not rest:
        return {key: value for key, value in data.items() if key != head}
    return {key: _pruned(value, rest) if key == head else value for key, value in data.items()}


def _mistake(error: ConfigError, path: KeyPath, gone: Counter[KeyPath]) -> dict[str, Any]:
    """An error as data. In its key, places in a list count what was taken out of the list before."""
    true = tuple(part + gone[path[:at]] if isinstance(part, int) else part for at, part in enumerate(path))
    key = dotted(true) + (error.key or "").removeprefix(dotted(path))
    message = _MORE.sub("", error.message.removeprefix(f"{error.where}: ").removeprefix(f"{error.key}: "))
    said = {"where": error.where or "", "key": key, "message": clean_line(message, 600)}
    return {**said, "hint": clean_line(error.hint, 600)} if error.hint else said


def _line(mistake: dict[str, Any]) -> str:
    place = ": ".join(mistake[part] for part in ("where", "key", "message") if mistake[part])
    return f"{place}\n    hint: {mistake['hint']}" if "hint" in mistake else place
