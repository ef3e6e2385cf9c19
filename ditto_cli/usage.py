"""What goes wrong before a command began, in the format that was asked for."""

from __future__ import annotations

import typer

from ditto_cli.bug import bug_outcome
from ditto_cli.failure import UsageError, outcome_of
from ditto_cli.options import Globals
from ditto_cli.outcome import Outcome
from ditto_cli.session import Session, conclude, interrupted
from ditto_cli.signals import InterruptedBySignal
from ditto_core.errors import DittoError


def report(error: BaseException, options: Globals) -> int:
    """Shows the error as a command's own errors are shown; the exit code."""
    return conclude(_command_of(error), options, lambda session: _outcome(error, session))


def _command_of(error: BaseException) -> str:
    if isinstance(error, UsageError):
        return error.command or "ditto"
    context = getattr(error, "ctx", None)
    if context is None:
        return "ditto"
    typed = context.command_path.removeprefix("ditto").strip()
    return getattr(context.command, "called", None) or typed or "ditto"


def _outcome(error: BaseException, session: Session) -> Outcome:
    match error:
        case typer.TyperException():
            context = getattr(error, "ctx", None)
            path = context.command_path if context is not None else "ditto"
            message = " ".join(error.format_message().split())
            raise UsageError(message, hint=f"{path} --help shows what it takes.") from error
        case DittoError():
            raise error
        case InterruptedBySignal(number=number):
            session.signals.received = number
            return interrupted(number)
        case typer.Abort():
            return outcome_of(UsageError("aborted"))
        case _:
            return bug_outcome(error, session.streams)
