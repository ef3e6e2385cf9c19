"""Errors that end a command, as the person or the program reads them."""

from __future__ import annotations

from ditto_cli.exits import TOOL_FAILED, exit_of_direct
from ditto_cli.outcome import Outcome
from ditto_core.contracts.events import RunFailure
from ditto_core.contracts.infer import ActionRequest
from ditto_core.errors import DittoError, ToolError
from ditto_core.sandbox.text import clean_line


class UsageError(DittoError):
    """The command line asks for something that cannot be asked for. `command` is the one that was meant, if known."""

    code = "USAGE"

    def __init__(self, message: str, *, hint: str | None = None, command: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.command = command


def failure_of(error: DittoError) -> RunFailure:
    """The error as data, safe to show."""
    message = clean_line(error.message, 600)
    if not error.hint:
        return RunFailure(code=error.code, message=message)
    return RunFailure(code=error.code, message=message, hint=clean_line(error.hint, 600))


def outcome_of(error: DittoError, *under_way: ActionRequest) -> Outcome:
    """The outcome of a command that this error ended. Nobody knows how the actions `under_way` ended."""
    return Outcome(
        status="failed",
        exit_code=TOOL_FAILED if isinstance(error, ToolError) else exit_of_direct(error.code),
        error=failure_of(error),
        action_requests=under_way,
    )
