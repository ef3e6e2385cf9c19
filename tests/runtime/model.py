"""A simple model of a runtime, and a real one that is driven and compared with it step by step."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import anyio
import anyio.abc

from ditto_core.contracts.events import Event, Warned
from ditto_core.errors import NoWorkerAvailableError, RuntimeClosedError
from ditto_core.runtime.registration import Registration
from ditto_core.runtime.runtime import Ditto
from tests.runtime.gated import NODE, TYPES, Gated, settle


@dataclass
class Place:
    """A Worker of the model."""

    id: str
    limit: int | None
    registered: bool = True
    available: bool = True
    running: list[int] = field(default_factory=list)

    @property
    def open(self) -> bool:
        return self.registered and self.available

    @property
    def full(self) -> bool:
        return self.limit is not None and len(self.running) >= self.limit


class Model:
    """What should be. `waiting` holds calls and their pins, in order of arrival."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.waiting: list[tuple[int, str | None]] = []
        self.refused: set[int] = set()

    def candidates(self, pin: str | None) -> list[Place]:
        return [place for place in self.places if place.open and pin in (None, place.id)]

    def invoke(self, call: int, pin: str | None) -> list[Place]:
        """The places that may take the call at once."""
        candidates = self.candidates(pin)
        free = [place for place in candidates if not place.full]
        if not candidates:
            self.refused.add(call)
        elif not free:
            self.waiting.append((call, pin))
        return free

    def end(self, call: int) -> None:
        self.waiting = [entry for entry in self.waiting if entry[0] != call]
        for place in self.places:
            if call in place.running:
                place.running.remove(call)
        self.look_again()

    def look_again(self) -> None:
        """First come first served; only one place has new room, so where a call goes is certain."""
        still = []
        for call, pin in self.waiting:
            candidates = self.candidates(pin)
            free = [place for place in candidates if not place.full]
            if free:
                free[0].running.append(call)
            elif candidates:
                still.append((call, pin))
            else:
                self.refused.add(call)
        self.waiting = still


class World:
    """A real runtime, driven, and compared with the model after every step."""

    def __init__(self, tasks: anyio.abc.TaskGroup) -> None:
        self.gated = Gated()
        self.watched: list[Event] = []
        self.runtime = Ditto(node_types=TYPES, events=self.watched.append)
        self.model = Model()
        self.registrations: list[Registration] = []
        self.outcomes: dict[int, list[str]] = {}
        self.scopes: list[anyio.CancelScope] = []
        self.pins: dict[int, str | None] = {}
        self.disposed: list[str] = []
        self.emitted: list[int] = []
        self.heard: list[int] = []
        self.runtime.subscribe("news", lambda event: self.heard.append(event.data))
        self._tasks = tasks

    async def call(self, number: int, pin: str | None, scope: anyio.CancelScope) -> None:
        ended = self.outcomes.setdefault(number, [])
        with scope:
            try:
                assert await self.runtime.invoke(NODE, number, pin) == number
                ended.append("done")
            except NoWorkerAvailableError:
                ended.append("refused")
            except RuntimeClosedError:
                ended.append("closed")
        if scope.cancelled_caught:
            ended.append("cancelled")

    def register(self, limit: int | None) -> None:
        worker = self.gated.worker(
            concurrency=limit, resources=lambda _: object(), dispose=lambda _: self.disposed.append("")
        )
        registration = self.runtime.register(worker, id=f"w{len(self.registrations)}")
        self.registrations.append(registration)
        self.model.places.append(Place(registration.address.id, limit))
        self.model.look_again()

    def invoke(self, pin: str | None) -> None:
        number = len(self.scopes)
        scope = anyio.CancelScope()
        self.scopes.append(scope)
        self.pins[number] = pin
        self._tasks.start_soon(self.call, number, pin, scope)

    def change(self, index: int, kind: str) -> None:
        registration, place = self.registrations[index], self.model.places[index]
        match kind:
            case "unregister":
                registration.unregister()
                place.registered = False
            case "dispose":
                self._tasks.start_soon(registration.close)
                place.registered = False
            case _:
                registration.set_available(kind == "on")
                place.available = kind == "on"
        self.model.look_again()

    async def step(self, kind: str, choice: int) -> None:
        """One operation. `choice` picks what it is done to."""
        match kind:
            case "register":
                self.register([None, 1, 2][choice % 3])
            case "invoke" | "pinned":
                pin = f"w{choice % (len(self.registrations) + 1)}" if kind == "pinned" else None
                free = self.model.invoke(len(self.scopes), pin)
                self.invoke(pin)
                await settle()
                if free:
                    self._learn_place(len(self.scopes) - 1, free)
            case "finish" | "cancel" if self.scopes:
                number = choice % len(self.scopes)
                if kind == "cancel":
                    self.scopes[number].cancel()
                else:
                    self.gated.open(number)
                if kind == "cancel" or any(number in place.running for place in self.model.places):
                    self.model.end(number)
            case "emit":
                self.emitted.append(choice)
                await self.runtime.emit({"type": "news", "data": choice})
            case "unregister" | "dispose" | "on" | "off" if self.registrations:
                self.change(choice % len(self.registrations), kind)
            case _:
                return

    def _learn_place(self, number: int, free: list[Place]) -> None:
        place = next(place for place in free if place.id == self.gated.place[number])
        place.running.append(number)
        if number in self.gated.ended:  # its gate was open from the start
            self.model.end(number)

    def release_what_the_model_knows_is_open(self) -> None:
        """Calls whose gate opened before they got a slot end as soon as they have one."""
        for place in self.model.places:
            for number in [number for number in place.running if number in self.gated.ended]:
                self.model.end(number)

    def compare(self) -> None:
        snapshot = {worker.address.id: worker for worker in self.runtime.workers()}
        assert set(snapshot) == {place.id for place in self.model.places if place.registered}
        for place in self.model.places:
            running = {n for n in self.gated.started if n not in self.gated.ended and self.gated.place[n] == place.id}
            assert running == set(place.running), f"{place.id} runs {running}"
            if place.registered:
                assert (snapshot[place.id].active, snapshot[place.id].available) == (len(running), place.available)
        waiting = {number for number in range(len(self.scopes)) if not self.outcomes.get(number)}
        waiting -= {number for place in self.model.places for number in place.running}
        assert waiting == {number for number, _ in self.model.waiting}
        refused = {number for number, ended in self.outcomes.items() if ended == ["refused"]}
        assert refused == self.model.refused

    def check_the_end(self) -> None:
        """Whatever happened: each call ended once, pins held, and nothing is left."""
        assert all(len(ended) == 1 for ended in self.outcomes.values()), self.outcomes
        assert len(self.outcomes) == len(self.scopes)
        assert max(Counter(self.gated.started).values(), default=1) == 1
        assert sorted(self.gated.started) == sorted(self.gated.ended)
        assert all(self.gated.place[n] == pin for n, pin in self.pins.items() if pin and n in self.gated.place)
        assert self.runtime.workers() == ()
        assert len(self.disposed) == len(set(self.gated.place.values()))
        dropped = sum(int(e.message.split(": ")[1]) for e in self.watched if isinstance(e, Warned))
        assert self.heard == self.emitted[: len(self.heard)]
        assert len(self.heard) + dropped == len(self.emitted)
