"""What every command does: take the streams, watch for signals, show events, end with exactly one run.completed."""

from __future__ import annotations

import gc
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NoReturn

import typer

from ditto_cli.exits import READER_GONE, TIMEOUT
from ditto_cli.failure import outcome_of
from ditto_cli.options import Globals
from ditto_cli.outcome import Outcome, speakable
from ditto_cli.signals import InterruptedBySignal, Signals, ignore
from ditto_cli.streams import ReaderGoneError, Streams, settle, take_streams
from ditto_cli.trust_hint import with_trust
from ditto_cli.views.choice import choose_view
from ditto_core.contracts.events import (
    ActionDenied,
    ActionRequested,
    Denial,
    Event,
    ObservationMade,
    RunCompleted,
    RunFailure,
    Warned,
)
from ditto_core.contracts.infer import ActionRequest
from ditto_core.errors import DittoError, PermissionDeniedError
from ditto_core.sandbox.writing import remove_unfinished

if TYPE_CHECKING:
    import anyio

    from ditto_core.settings.trust import Ignored

SCHEMA_VERSION = 1
"""The `v` of every event."""


class Session:
    """One command, from its first event to its last."""

    def __init__(self, command: str, options: Globals, streams: Streams) -> None:
        self.command = command
        self.options = options
        self.streams = streams
        self.signals = Signals(self._last_words, lambda: streams.out.stuck)
        self._view = choose_view(
            options.format, options.detail, streams, color=not options.no_color, sole=command == "tool"
        )
        self._run_id = os.urandom(8).hex()
        self._seq = 0
        self._denied: list[Denial] = []
        self._warnings: list[str] = []
        self._open: dict[str, ActionRequest] = {}
        self._completed = False
        self._lost: ReaderGoneError | None = None
        self.ignored: Sequence[Ignored] = ()
        """What an untrusted project asked for, as far as a command has read it."""

    def observe(self, event: Event) -> None:
        """Shows an event. A reader that went away is remembered, and the run asked to stop."""
        match event:
            case ActionRequested(id=call_id, name=name, arguments=arguments):
                self._open[call_id] = ActionRequest(id=call_id, name=name, arguments=arguments)
            case ObservationMade(call_id=call_id):
                self._open.pop(call_id, None)
            case ActionDenied(kind=kind, name=name, rule=rule):
                self._denied.append(Denial(kind=kind, name=name, rule=rule))
            case Warned(message=message):
                self._warnings.append(message)
            case _:
                pass
        try:
            self._view.event(event, self._record(event))
        except ReaderGoneError as error:
            self._lost = error

    def deny(self, error: PermissionDeniedError) -> None:
        """Keeps what was refused for the last event."""
        denial = Denial(kind=error.kind, name=error.name, rule=error.rule)
        if denial not in self._denied:
            self._denied.append(denial)

    def warn(self, message: str) -> None:
        """Tells the person something that does not stop the run."""
        self.observe(Warned(message=message))

    def wait(self, main: Callable[[anyio.Event], Awaitable[Outcome]], limit_ms: int) -> Outcome:
        """Runs `main` in an event loop. The event it gets is set by a signal, or when the reader went away.

        `main` keeps its own time limit. `limit_ms` is that limit: what then does not stop is ended with the process.
        """
        import anyio

        self.signals.check()
        self.signals.limit(limit_ms / 1000)
        gc.freeze()
        gc.enable()
        try:
            return anyio.run(self._supervised, main)
        finally:
            remove_unfinished()

    async def _supervised(self, main: Callable[[anyio.Event], Awaitable[Outcome]]) -> Outcome:
        import asyncio

        import anyio

        stop = anyio.Event()
        loop = asyncio.get_running_loop()
        self.signals.ask_with(lambda: loop.call_soon_threadsafe(stop.set))
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._watch_reader, stop)
                outcome = await _caught(main, stop)
                tasks.cancel_scope.cancel()
        finally:
            self.signals.let_finish()
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    async def _watch_reader(self, stop: anyio.Event) -> None:
        """Notices a closed stdout, also while nothing is written to it."""
        import anyio

        while self._lost is None and not self.streams.out.gone():  # noqa: ASYNC110  # a closed pipe can only be polled for
            await anyio.sleep(0.3)
        self._lost = self._lost or ReaderGoneError()
        stop.set()

    def finish(self, outcome: Outcome) -> int:
        """Shows the last event; the exit code of the process."""
        self.signals.let_finish()
        code = self._exit_code(outcome)
        event = self._completion(outcome, code)
        record = self._record(event)
        self._completed = True
        try:
            if not (code == READER_GONE and _is_interruption(outcome)):
                self._view.completed(event, record, outcome.text)
        except ReaderGoneError as error:
            self._lost, code = error, READER_GONE
        if self._lost is not None and self._lost.reason:
            self.streams.write_err(f"error: the output cannot be written: {self._lost.reason}\n")
        self.signals.disarm()
        return code

    def _exit_code(self, outcome: Outcome) -> int:
        if self.signals.received is not None and outcome.status != "completed":
            return 128 + self.signals.received
        return outcome.exit_code if self._lost is None else READER_GONE

    def _completion(self, outcome: Outcome, code: int) -> RunCompleted:
        optional: dict[str, Any] = {
            "stop_reason": outcome.stop_reason if self.command == "react" else None,
            "result": speakable(outcome.result),
            "usage": outcome.usage,
            "error": outcome.error,
        }
        return RunCompleted(
            command=self.command,
            status=outcome.status,
            exit_code=code,
            action_requests=outcome.action_requests,
            denied=tuple(self._denied),
            warnings=tuple(self._warnings),
            **{name: value for name, value in optional.items() if value is not None},
        )

    def _last_words(self, code: int) -> None:
        """The last event of a process that must go now. When it was begun already, it is only ended."""
        remove_unfinished()
        if self._completed:
            self.streams.out.write_now("")
            return
        outcome = _too_late() if code == TIMEOUT else interrupted(code - 128)
        event = self._completion(replace(outcome, action_requests=tuple(self._open.values())), code)
        self._view.last_words(event, self._record(event))

    def _record(self, event: Event) -> dict[str, Any]:
        self._seq += 1
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return {"v": SCHEMA_VERSION, "seq": self._seq, "ts": now, "runId": self._run_id, **event.to_wire()}


def run(command: str, options: Globals, body: Callable[[Session], Outcome]) -> NoReturn:
    """Runs a command's body and exits with the code that its outcome has."""
    raise typer.Exit(conclude(command, options, body))


def conclude(command: str, options: Globals, body: Callable[[Session], Outcome]) -> int:
    """Runs a command's body to its last event; the exit code.

    A DittoError becomes the outcome; any other exception is a bug: exit code 1.
    """
    session = Session(command, options, take_streams())
    code = session.finish(_outcome(session, body))
    settle()
    ignore()
    return code


def _outcome(session: Session, body: Callable[[Session], Outcome]) -> Outcome:
    try:
        session.signals.watch()
        return body(session)
    except InterruptedBySignal as stop:
        return interrupted(stop.number)
    except DittoError as error:
        if isinstance(error, PermissionDeniedError):
            session.deny(error)
            error.hint = with_trust(error, session.ignored)
        if session.options.debug:
            from ditto_cli.bug import frames

            session.streams.write_err(frames(error))
        return outcome_of(error)
    except BaseException as error:  # noqa: BLE001  # the last resort: every run ends with its last event
        from ditto_cli.bug import bug_outcome

        return bug_outcome(error, session.streams)


def interrupted(number: int) -> Outcome:
    """The outcome of a command that a signal ended."""
    failure = RunFailure(code="CANCELLED", message=f"interrupted by signal {number}")
    return Outcome(status="failed", exit_code=128 + number, stop_reason="cancelled", error=failure)


def _is_interruption(outcome: Outcome) -> bool:
    """Whether it ended because it was asked to: what a reader that left does, and need not be told."""
    return outcome.stop_reason == "cancelled" or (outcome.error is not None and outcome.error.code == "CANCELLED")


def _too_late() -> Outcome:
    failure = RunFailure(code="TIMEOUT", message="the time limit passed, and what was under way did not stop")
    return Outcome(status="failed", exit_code=TIMEOUT, stop_reason="timeout", error=failure)


async def _caught(main: Callable[[anyio.Event], Awaitable[Outcome]], stop: anyio.Event) -> Outcome | Exception:
    """The outcome or the error as itself: a task group would wrap it."""
    try:
        return await main(stop)
    except Exception as error:  # noqa: BLE001  # raised again outside the group
        return error
