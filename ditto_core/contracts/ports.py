"""What the runtime asks of code it does not own: structural, so that no import of Ditto is needed to fit."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from ditto_core.contracts.events import TextDelta, ThinkingDelta
from ditto_core.contracts.infer import SampleInput, SampleOutput
from ditto_core.contracts.interaction import McpToolResult, OutputInput, OutputReceipt


class SampleResult(NamedTuple):
    """The complete output that ends a stream."""

    output: SampleOutput


StreamItem: TypeAlias = TextDelta | ThinkingDelta | SampleResult


class ModelProvider(Protocol):
    """A model. Raises ProviderError (or InferError) when the far side fails; a request is never retried by itself."""

    async def invoke(self, request: SampleInput) -> SampleOutput:
        """One complete answer."""
        ...


@runtime_checkable
class StreamingProvider(Protocol):
    """A model that can also stream: public text and thinking deltas, then exactly one SampleResult."""

    async def invoke(self, request: SampleInput) -> SampleOutput:
        """One complete answer."""
        ...

    def stream(self, request: SampleInput) -> AbstractAsyncContextManager[AsyncIterator[StreamItem]]:
        """The same answer in pieces; leaving the context releases the connection."""
        ...


class McpClient(Protocol):
    """A connected MCP server. Whoever opened it closes it."""

    async def list_tools(self, cursor: str | None = None) -> Any:
        """One page of tools and the cursor of the next."""
        ...

    async def call_tool(self, name: str, arguments: dict[str, Any]) -> McpToolResult:
        """The result of one call."""
        ...


class OutputSink(Protocol):
    """Where INTERACTION.OUTPUT delivers to."""

    async def deliver(self, output: OutputInput) -> OutputReceipt:
        """The receipt, with the delivery id of `output`."""
        ...
