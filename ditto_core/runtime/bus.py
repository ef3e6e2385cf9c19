"""Events between Workers and the application: accepted at once, handled in the background."""

from __future__ import annotations

import inspect
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, TypeAlias

import anyio
import anyio.lowlevel

from ditto_core.errors import InvalidInputError, RuntimeClosedError, SelfWaitError
from ditto_core.runtime.background import start_background
from ditto_core.runtime.failure import failure_text
from ditto_core.runtime.foreign import called
from ditto_core.runtime.intake import Intake, Ticket

if TYPE_CHECKING:
    from ditto_core.contracts.worker_event import WorkerEvent

Subscriber: TypeAlias = Callable[["WorkerEvent"], Awaitable[None] | None]
"""Takes the events of one type, one after another, in the order in which they were accepted."""

MAX_WAITING = 1024
"""Events that may wait for one subscriber before `emit` of that type waits for room."""

_handling: ContextVar[tuple[Bus, ...]] = ContextVar("ditto_handling", default=())
"""The buses for whose subscribers the code around is running."""


class _Subscription:
    """A function, the events that wait for it, and the task that hands them over while there are any."""

    __slots__ = ("fn", "task", "waiting")

    def __init__(self, fn: Subscriber) -> None:
        self.fn = fn
        self.waiting: deque[WorkerEvent] = deque()
        self.task: object = None

    def drop(self) -> int:
        """Forgets what waits, and says how much that was."""
        count = len(self.waiting)
        self.waiting.clear()
        return count


class Bus:
    """The subscribers of one runtime and the events that wait for them.

    Each subscriber has a queue of its own, and a task for as long as something is in it. So a slow one holds up no
    other subscriber, and an emitter only when its queue is full. Deliveries are accepted work: closing lets them
    finish, and cancels them with the rest. A subscriber sees none of the emitter's context variables, and the emitter
    none of its errors: those become warnings.
    """

    def __init__(self, intake: Intake, warn: Callable[[str], None]) -> None:
        self._intake = intake
        self._warn = warn
        self._subscriptions: dict[str, list[_Subscription]] = {}
        self._room: anyio.Event | None = None
        self._idle: anyio.Event | None = None
        self.pending = 0

    def subscribe(self, type: str, fn: Subscriber) -> Callable[[], None]:  # noqa: A002  # the field's word
        """Adds a subscriber; the result takes it away again, with what still waits for it."""
        if not type.strip():
            raise InvalidInputError("must not be blank", path="type")
        if not callable(fn):
            raise InvalidInputError("must be a function of one event", path="fn")
        self._intake.check()
        subscription = _Subscription(fn)
        self._subscriptions.setdefault(type, []).append(subscription)

        def unsubscribe() -> None:
            found = self._subscriptions.get(type, [])
            if subscription in found:
                found.remove(subscription)
                self._settled(subscription.drop())
            if not found:
                self._subscriptions.pop(type, None)

        return unsubscribe

    async def emit(self, event: WorkerEvent | Mapping[str, Any], source: str | None = None) -> None:
        """Returns when the event is in the queue of every subscriber of its type."""
        from ditto_core.contracts.worker_event import WorkerEvent

        accepted = WorkerEvent.parse(event)
        if accepted.source is None and source is not None:
            accepted = accepted.model_copy(update={"source": source})
        if self._is_full(accepted.type):
            await self._wait_for_room(accepted.type)
        else:
            await anyio.lowlevel.checkpoint()
            self._intake.check()
        for subscription in self._subscriptions.get(accepted.type, ()):
            self.pending += 1
            subscription.waiting.append(accepted)
            if subscription.task is None:
                subscription.task = self._start(subscription, accepted.type)

    async def drain(self) -> None:
        """Waits until no accepted event is left, those included that subscribers emit meanwhile."""
        if self in _handling.get():
            raise SelfWaitError("a subscriber cannot wait until every event was handled: its own never would be")
        while self.pending:
            self._idle = self._idle or anyio.Event()
            await self._idle.wait()

    def _is_full(self, type: str) -> bool:  # noqa: A002  # the field's word
        return any(len(each.waiting) >= MAX_WAITING for each in self._subscriptions.get(type, ()))

    async def _wait_for_room(self, type: str) -> None:  # noqa: A002  # the field's word
        if self in _handling.get():
            raise SelfWaitError(
                f"{MAX_WAITING} events wait for a subscriber, and no subscriber may wait for room",
                hint="Emit less per event, or emit outside of the subscriber.",
            )
        with self._intake.accept("an event that waited for room", None):
            while self._is_full(type):
                self._room = self._room or anyio.Event()
                await self._room.wait()

    def _start(self, subscription: _Subscription, name: str) -> object:
        return start_background(self._deliver, subscription, f"ditto events {name}")

    async def _deliver(self, subscription: _Subscription) -> None:
        """The task of a subscriber: hands over what waits for it, then ends."""
        _handling.set((self,))
        cut = 0
        try:
            with Ticket(self._intake, "the handling of an event", None):
                while subscription.waiting:
                    await self._hand_over(subscription.waiting.popleft(), subscription)
        except RuntimeClosedError:
            cut = 1
        finally:
            subscription.task = None
            dropped = subscription.drop()
            self._settled(dropped)
            if dropped + cut:
                self._warn(f"events that were not handled when the runtime closed: {dropped + cut}")

    async def _hand_over(self, event: WorkerEvent, subscription: _Subscription) -> None:
        try:
            await anyio.lowlevel.checkpoint()
            await called("it", _handled(subscription.fn, event))
        except Exception as error:  # noqa: BLE001  # somebody else's function; it must not hurt the other subscribers
            self._warn(f"a subscriber of {event.type[:80]!r} failed: {failure_text(error)}")
        finally:
            self._settled(1)

    def _settled(self, deliveries: int) -> None:
        """Counts deliveries as done; whoever waits for room looks again."""
        self.pending -= deliveries
        if self._room is not None:
            self._room.set()
            self._room = None
        if self._idle is not None and self.pending == 0:
            self._idle.set()
            self._idle = None


async def _handled(fn: Subscriber, event: WorkerEvent) -> None:
    outcome = fn(event)
    if inspect.isawaitable(outcome):
        await outcome
