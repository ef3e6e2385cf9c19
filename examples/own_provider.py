"""A model provider of the application's own, asked for one answer and for one in pieces.

Run it with `python examples/own_provider.py` from the root of the repository.

Prints:
    success: 3 words: DITTO RUNS AGENTS
    3 words:| DITTO| RUNS| AGENTS| success
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio

from ditto_core import (
    Ditto,
    ModelMessage,
    NodeResult,
    ProviderRegistry,
    SampleInput,
    SampleOutput,
    SampleResult,
    StreamItem,
    TextDelta,
    create_infer,
)


class Parrot:
    """Says the last message again, louder. A provider needs `invoke`; `stream` is for those that have pieces."""

    async def invoke(self, request: SampleInput) -> SampleOutput:
        """The whole answer."""
        return SampleOutput(
            message=ModelMessage(role="assistant", content="".join(self._pieces(request))), finish_reason="stop"
        )

    @asynccontextmanager
    async def stream(self, request: SampleInput) -> AsyncIterator[AsyncIterator[StreamItem]]:
        """The same in pieces. What a real provider opens here it closes when the block is left."""
        yield self._items(request)

    async def _items(self, request: SampleInput) -> AsyncIterator[StreamItem]:
        for piece in self._pieces(request):
            yield TextDelta(text=piece)
        yield SampleResult(await self.invoke(request))

    def _pieces(self, request: SampleInput) -> list[str]:
        words = str(request.messages[-1].content).upper().split()
        return [f"{len(words)} words:", *(f" {word}" for word in words)]


async def main() -> None:
    """Asks twice. A Worker for the same model is `create_infer_worker()`."""
    request = {"messages": [{"role": "user", "content": "Ditto runs agents"}], "model": {"model": "parrot"}}
    async with Ditto(providers=ProviderRegistry({"own": Parrot()})) as runtime:
        infer = create_infer(runtime=runtime)
        answer = await infer.sample(request)
        print(f"{answer.status}: {answer.output.message.content if answer.output else answer.error}")
        async with infer.stream(request) as items:
            async for item in items:
                if isinstance(item, TextDelta):
                    print(item.text, end="|")
                elif isinstance(item, NodeResult):
                    print("", item.status)


anyio.run(main)
