"""SIGINT, SIGTERM and SIGHUP: the first asks a command to stop, the second ends the process at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from types import FrameType

GRACE = 5
"""Seconds that a command has to end after the first signal, or after its own time limit."""

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_TIMEOUT = 124


class InterruptedBySignal(BaseException):
    """A signal came while nothing was running that could be asked to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def watch(handler: Callable[[int, FrameType | None], None]) -> None:
    """Routes the ending signals to `handler`. One that the parent set to be ignored (nohup, `&`) stays ignored."""
    for number in _ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


class Early:
    """The handler until a command has its own. The first signal is kept for the command that begins soon.

    Raising from it would be lost, or would break an import, since it may come in the middle of one.
    """

    def __init__(self) -> None:
        self.received: int | None = None
        self._count = 0

    def handle(self, number: int, frame: FrameType | None) -> None:
        """Keeps the first signal; the third ends the process, should nothing begin."""
        self.received = self.received or number
        self._count += 1
        if self._count > 2:
            os._exit(128 + self.received)


EARLY = Early()


def ignore() -> None:
    """The process has said its last word and leaves: no signal changes its exit code."""
    for number in _ENDING:
        signal.signal(number, signal.SIG_IGN)


class Signals:
    """What came, and whom to tell. `stuck` says that the process waits for a reader, so that nothing can be asked."""

    def __init__(self, last_words: Callable[[int], None], stuck: Callable[[], bool]) -> None:
        self.received: int | None = None
        self._last_words = last_words
        self._stuck = stuck
        self._ask: Callable[[], object] | None = None

    def watch(self) -> None:
        """Takes the signals, for the rest of the process. Raises InterruptedBySignal when one came before."""
        signal.signal(signal.SIGALRM, self._too_late)
        watch(self._handle)
        self.received = EARLY.received
        self.check()

    def check(self) -> None:
        """Raises InterruptedBySignal when a signal came: what it raised then may have been lost in an import."""
        if self.received is not None:
            raise InterruptedBySignal(self.received)

    def ask_with(self, ask: Callable[[], object]) -> None:
        """How to ask what runs now to stop. Before the first call a signal raises InterruptedBySignal instead."""
        self._ask = ask

    def let_finish(self) -> None:
        """From now on there is nothing left to stop: a first signal changes nothing, a second one ends the process."""
        self._ask = _nothing

    def limit(self, seconds: float) -> None:
        """Ends the process with 124 when it is not done within `seconds` and the grace period."""
        signal.setitimer(signal.ITIMER_REAL, seconds + GRACE)

    def disarm(self) -> None:
        """The command ended in time."""
        signal.setitimer(signal.ITIMER_REAL, 0)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if self.received is not None or self._stuck():
            self._end(128 + (self.received or number))
        self.received = number
        signal.setitimer(signal.ITIMER_REAL, GRACE)
        if self._ask is None:
            raise InterruptedBySignal(number)
        self._ask()

    def _too_late(self, number: int, frame: FrameType | None) -> None:
        self._end(128 + self.received if self.received is not None else _TIMEOUT)

    def _end(self, code: int) -> None:
        """Says the last words and leaves without cleaning up."""
        self._last_words(code)
        os._exit(code)


def _nothing() -> None:
    return
