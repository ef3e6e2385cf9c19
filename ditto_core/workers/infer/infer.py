"""INFER without a Worker: the SAMPLE handler for the application itself."""

from __future__ import annotations

import math
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, NamedTuple, Protocol, TypeAlias

import anyio
from anyio.streams.memory import MemoryObjectSendStream

from ditto_core.contracts.events import Event, Observer, SampleStarted, TextDelta, ThinkingDelta
from ditto_core.contracts.infer import GenerationConfig, ModelFailure, NodeResult, SampleInput, SampleOutput
from ditto_core.runtime.services import Providers, Services
from ditto_core.runtime.worker import Execution
from ditto_core.workers.infer.providers.configured import providers_of
from ditto_core.workers.infer.sample import Sampler, envelope

SampleItem: TypeAlias = SampleStarted | TextDelta | ThinkingDelta | NodeResult[SampleOutput]
"""What a stream yields: the start, deltas, and the result at the end. All have the same `execution_id`."""


class InferRuntime(Protocol):
    """A Ditto, a WorkerContext, or anything else that has services and an observer."""

    @property
    def services(self) -> Services:
        """Configuration, sandbox, providers."""
        ...

    def observe(self, event: Event) -> None:
        """Tells whoever watches the run."""
        ...


class _Call(NamedTuple):
    """One SAMPLE: what its handler sees."""

    services: Services
    resources: Providers
    execution: Execution
    observed: bool
    observe: Observer


class Infer:
    """SAMPLE for the application itself; made by `create_infer`.

    A call takes no slot of any Worker, and closing the runtime does not end it: it belongs to its caller. The
    runtime's observer sees its events.
    """

    def __init__(self, runtime: InferRuntime, sampler: Sampler) -> None:
        self._runtime = runtime
        self._sampler = sampler
        self._providers = providers_of(runtime.services)

    async def sample(self, request: SampleInput | Mapping[str, Any]) -> NodeResult[SampleOutput]:
        """The envelope of one SAMPLE; whatever goes wrong with the model is in it.

        `request` is a SampleInput or its JSON. Raises InvalidInputError for what is neither.
        """
        wanted = SampleInput.parse(request)
        return await self._sampler(wanted, self._call(self._runtime.observe, observed=False))

    @asynccontextmanager
    async def stream(
        self, request: SampleInput | Mapping[str, Any], *, thinking: bool = False
    ) -> AsyncIterator[AsyncIterator[SampleItem]]:
        """The same in pieces: `async with infer.stream(request) as items: async for item in items: …`

        First comes the SampleStarted, then TextDelta (and ThinkingDelta, if `thinking`), then exactly one NodeResult,
        also when something goes wrong. Leaving the block ends the model's call. The model does not wait for a slow
        reader; what was not read yet is kept.
        """
        wanted = SampleInput.parse(request)
        send, receive = anyio.create_memory_object_stream[SampleItem](math.inf)

        def observe(event: Event) -> None:
            self._runtime.observe(event)
            if isinstance(event, SampleStarted | TextDelta) or (thinking and isinstance(event, ThinkingDelta)):
                send.send_nowait(event)

        raised: Exception | None = None
        with send, receive:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._answer, wanted, self._call(observe, observed=True), send)
                try:
                    yield receive
                except Exception as error:  # noqa: BLE001  # the reader's own, which the group would wrap
                    raised = error
                tasks.cancel_scope.cancel()
        if raised is not None:
            raise raised

    async def _answer(self, wanted: SampleInput, call: _Call, send: MemoryObjectSendStream[SampleItem]) -> None:
        """Runs the call and sends its result, as the last thing.

        It ends quietly when it is cancelled: a provider can raise that by itself, and passing it on to the group would
        cancel the reader, who waits for the result.
        """
        with send:
            try:
                send.send_nowait(await self._sampler(wanted, call))
            except anyio.get_cancelled_exc_class():
                failure = ModelFailure(code="CANCELLED", message="the model call was cancelled")
                send.send_nowait(envelope(call, "cancelled", error=failure))

    def _call(self, observe: Observer, *, observed: bool) -> _Call:
        name = os.urandom(8).hex()
        return _Call(self._runtime.services, self._providers, Execution(name, name), observed, observe)


def create_infer(
    *, runtime: InferRuntime, default_provider: str | None = None, generation: GenerationConfig | None = None
) -> Infer:
    """The INFER handlers as a local SDK over the configuration and the providers of `runtime`.

    Where the runtime has no providers they are made from its configuration. The choice of a provider and of generation
    settings is that of `create_infer_worker`. Raises ConfigError for a provider that cannot be made.
    """
    return Infer(runtime, Sampler(default_provider, generation))
