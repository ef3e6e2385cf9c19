"""The last resort: an exception that nobody raised on purpose."""

from __future__ import annotations

import traceback

from ditto_cli.exits import BUG
from ditto_cli.outcome import Outcome
from ditto_cli.streams import Streams
from ditto_core.contracts.events import RunFailure
from ditto_core.sandbox.text import clean_line, clean_text


def bug_outcome(error: BaseException, streams: Streams) -> Outcome:
    """Writes where it came from to stderr and returns the outcome."""
    streams.write_err(frames(error))
    failure = RunFailure(
        code="EXECUTION_FAILED",
        message=f"unexpected {clean_line(type(error).__name__)}; this is a bug in Ditto",
        hint="Please report it with the lines above.",
    )
    return Outcome(status="failed", exit_code=BUG, error=failure)


def frames(error: BaseException) -> str:
    """A traceback, causes first.

    Only files, lines, functions and exception types are shown: a message or a local variable could hold a secret.
    """
    found: list[BaseException] = []
    _collect(error, found, set())
    return clean_text("\n".join(_block(one) for one in found))


def _collect(error: BaseException | None, found: list[BaseException], seen: set[int]) -> None:
    """The causes of an exception, the members of a group, then itself; each once."""
    if error is None or id(error) in seen or len(seen) >= 20:
        return
    seen.add(id(error))
    _collect(error.__cause__ or error.__context__, found, seen)
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            _collect(inner, found, seen)
    found.append(error)


def _block(error: BaseException) -> str:
    lines = [
        f"  {frame.filename}:{frame.lineno} in {frame.name}" for frame in traceback.extract_tb(error.__traceback__)
    ]
    return "\n".join([*lines, type(error).__name__, ""])
