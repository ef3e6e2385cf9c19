"""The work that a runtime has accepted and has to end."""

from __future__ import annotations

from contextvars import ContextVar
from types import TracebackType

import anyio

from ditto_core.errors import DeadlineError, InvalidInputError, RuntimeClosedError

_within: ContextVar[tuple[Ticket, ...]] = ContextVar("ditto_within", default=())
"""The accepted work that the code around is a part of. A task that outlives it sees its ticket, no longer open."""


class Intake:
    """Lets work in, counts it, and ends it when the runtime closes."""

    def __init__(self) -> None:
        self.closing = False
        self.closed = False
        self.open: set[Ticket] = set()
        self._idle: anyio.Event | None = None

    def within(self) -> bool:
        """Whether the code that asks runs on behalf of work that was accepted here."""
        return any(ticket in self.open for ticket in _within.get())

    def check(self) -> None:
        """Raises RuntimeClosedError, but lets work pass that accepted work needs, as long as that may still finish."""
        if self.closed or (self.closing and not self.within()):
            raise RuntimeClosedError("the runtime is closing and takes no new work")

    def accept(self, what: str, timeout: float | None) -> Ticket:
        """A ticket for new work, `timeout` in seconds. Raises RuntimeClosedError and InvalidInputError."""
        self.check()
        if timeout is not None and not timeout >= 0:
            raise InvalidInputError("must be a number of seconds, 0 or more", path="timeout")
        return Ticket(self, what, timeout)

    def leave(self, ticket: Ticket) -> None:
        """Counts a piece of work as ended."""
        self.open.discard(ticket)
        if not self.open and self._idle is not None:
            self._idle.set()
            self._idle = None

    async def drain(self) -> None:
        """Waits until no accepted work is left."""
        while self.open:
            self._idle = self._idle or anyio.Event()
            await self._idle.wait()

    def cut(self) -> None:
        """Cancels what is left, whose callers get RuntimeClosedError, and whatever comes late."""
        self.closed = True
        for ticket in tuple(self.open):
            ticket.cut()


class Ticket:
    """A piece of accepted work, as a context manager around it.

    Raises DeadlineError when its time is over and RuntimeClosedError when the runtime closes.
    """

    __slots__ = ("_cut", "_intake", "_scope", "_timeout", "_token", "_what")

    def __init__(self, intake: Intake, what: str, timeout: float | None) -> None:
        self._intake = intake
        self._what = what
        self._timeout = timeout
        self._cut = False
        self._scope = anyio.CancelScope() if timeout is None else anyio.move_on_after(timeout)

    def __enter__(self) -> None:
        self._scope.__enter__()
        self._intake.open.add(self)
        if self._intake.closed:
            self.cut()
        self._token = _within.set((self, *_within.get()))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool | None:
        _within.reset(self._token)
        self._intake.leave(self)
        swallowed = self._scope.__exit__(kind, error, trace)
        returned_late = kind is None and self._scope.cancel_called  # the work swallowed its cancellation
        if not self._scope.cancelled_caught and not returned_late:
            return swallowed
        if self._cut:
            raise RuntimeClosedError(f"the runtime was closed while {self._what} was under way") from None
        raise DeadlineError(f"{self._what} took longer than {self._timeout} s") from None

    def cut(self) -> None:
        """Cancels the work."""
        self._cut = True
        self._scope.cancel()
