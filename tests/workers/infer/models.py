"""Models for the tests of SAMPLE, and a call of the handler with what a test sees of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio

from ditto_core.contracts.events import Event, TextDelta, ThinkingDelta
from ditto_core.contracts.infer import (
    GenerationConfig,
    ModelMessage,
    NodeResult,
    SampleInput,
    SampleOutput,
)
from ditto_core.contracts.ports import SampleResult
from ditto_core.runtime.services import Services
from ditto_core.runtime.worker import Execution
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.schema import Settings
from ditto_core.workers.infer.providers.registry import ProviderRegistry
from ditto_core.workers.infer.sample import Sampler

REQUEST: Mapping[str, Any] = {"messages": [{"role": "user", "content": "hi"}], "model": {"model": "m"}}


def says(text: str, **more: Any) -> SampleOutput:
    more.setdefault("finish_reason", "stop")
    return SampleOutput(message=ModelMessage(role="assistant", content=text), **more)


def text(value: str) -> TextDelta:
    return TextDelta(text=value)


def thinking(value: str) -> ThinkingDelta:
    return ThinkingDelta(text=value)


def result(value: Any) -> SampleResult:
    return SampleResult(value)


class Whole:
    """A model without a stream: gives an answer, or raises or does what it is given."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer
        self.requests: list[SampleInput] = []

    async def invoke(self, request: SampleInput) -> Any:
        self.requests.append(request)
        if isinstance(self._answer, BaseException):
            raise self._answer
        return await self._answer() if callable(self._answer) else self._answer


class Pieces(Whole):
    """A model with a stream. An exception among the items is raised, a function awaited; `events` logs its life."""

    def __init__(self, *items: Any, whole: Any = None) -> None:
        super().__init__(whole)
        self._items = items
        self.log: list[str] = []
        self.released = anyio.Event()

    @asynccontextmanager
    async def stream(self, request: SampleInput) -> AsyncIterator[AsyncIterator[Any]]:
        self.requests.append(request)
        self.log.append("opened")
        try:
            yield self._all()
        finally:
            self.log.append("released")
            self.released.set()

    async def _all(self) -> AsyncIterator[Any]:
        for item in self._items:
            if isinstance(item, BaseException):
                raise item
            if callable(item):
                await item()
            else:
                yield item


@dataclass
class Call:
    """What the SAMPLE handler is called with, and the events it tells."""

    provider: Any
    observed: bool = True
    settings: Mapping[str, Any] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    @property
    def services(self) -> Services:
        return Services(RuntimeConfig(settings=Settings.parse(self.settings)), Sandbox("."))

    @property
    def resources(self) -> ProviderRegistry:
        return ProviderRegistry({"one": self.provider})

    @property
    def execution(self) -> Execution:
        return Execution("e1", "r1")

    def observe(self, event: Event) -> None:
        self.events.append(event)

    async def run(
        self,
        *,
        request: Mapping[str, Any] = REQUEST,
        generation: GenerationConfig | None = None,
    ) -> NodeResult[SampleOutput]:
        with anyio.fail_after(20):
            return await Sampler(None, generation)(SampleInput.parse(request), self)

    @property
    def tags(self) -> Sequence[str]:
        return [event.type for event in self.events]

    @property
    def deltas(self) -> Sequence[str]:
        return [event.text for event in self.events if isinstance(event, TextDelta | ThinkingDelta)]


async def failure_of(call: Call, **options: Any) -> tuple[str, str, str]:
    """Status, code and message of a call that did not succeed."""
    made = await call.run(**options)
    assert made.error is not None
    return made.status, made.error.code, made.error.message
