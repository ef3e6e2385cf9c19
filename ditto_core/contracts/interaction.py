"""INTERACTION: what agents do to the outside world, and what comes back."""

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, StringConstraints, model_validator

from ditto_core.contracts.contract import Contract, Identifier, Seq
from ditto_core.contracts.json import JsonObject, JsonValue
from ditto_core.contracts.message import Message, MessageContent, Reference

Status: TypeAlias = Literal["success", "failed", "cancelled", "timeout", "unknown"]
Effect: TypeAlias = Literal["read", "write", "execute", "network"]

ToolName: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{1,64}$")]


class ToolCall(Contract):
    """One call of one tool; the id pairs it with its result."""

    id: Identifier
    name: Identifier
    arguments: JsonObject


class ToolDefinition(Contract):
    """What a model is told of a tool. `input_schema` is JSON Schema draft 2020-12 of an object."""

    name: ToolName
    description: str | None = None
    input_schema: JsonObject
    effects: Seq[Effect] = ()
    requires_approval: bool | None = None


class InteractionError(Contract):
    """A failure that is safe to show: one line, no control character, no secret, no absolute path, no stack frame."""

    code: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.-]{1,64}$")]
    message: Annotated[str, Field(max_length=512)]
    retryable: bool | None = None


class ToolOutcome(Contract):
    """What a tool returns: an ExternalResult before it has a call id and a source."""

    status: Status
    content: MessageContent = None
    structured_content: JsonValue = None
    references: Seq[Reference] | None = None
    error: InteractionError | None = None
    metadata: JsonObject | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.status != "success":
            if self.error is None:
                raise ValueError(f"status {self.status} needs an error")
        elif not self.model_fields_set & {"content", "structured_content", "references"}:
            raise ValueError("status success needs content, structuredContent or references")
        return self


class ExternalResult(ToolOutcome):
    """The result of an action. `source` is the tool, `server:tool` or Node type it came from.

    Success carries at least one of content, structuredContent and references; every other status carries an error.
    """

    call_id: Identifier
    source: Identifier


class Observation(Contract):
    """A result as the model will read it: the content has become a message with role `tool`."""

    call_id: Identifier
    source: Identifier
    status: Status
    message: Message
    structured_content: JsonValue = None
    references: Seq[Reference] | None = None
    error: InteractionError | None = None
    metadata: JsonObject | None = None


class Artifact(Contract):
    """A named thing delivered with an output."""

    name: Identifier
    reference: Reference


class OutputReceipt(Contract):
    """A sink's word about one delivery. `accepted` is no proof of reading."""

    delivery_id: Identifier
    status: Literal["accepted", "rejected", "unknown"]
    artifacts: Seq[Artifact] | None = None
    error: InteractionError | None = None
    metadata: JsonObject | None = None

    @model_validator(mode="after")
    def _refusal_says_why(self) -> Self:
        if self.status != "accepted" and self.error is None:
            raise ValueError(f"status {self.status} needs an error")
        return self


class McpCapability(Contract):
    """A tool that an MCP server offers. A description, not a result: it cannot be observed."""

    server: Identifier
    name: Identifier
    description: str | None = None
    input_schema: JsonObject | None = None
    output_schema: JsonObject | None = None


class McpToolResult(Contract):
    """What an MCP client's call returns, before it becomes an ExternalResult."""

    content: MessageContent = None
    structured_content: JsonValue = None
    references: Seq[Reference] | None = None
    is_error: bool | None = None
    error: InteractionError | None = None


class ToolInput(Contract):
    """INTERACTION.ACT.TOOL."""

    call: ToolCall


class McpDiscoverInput(Contract):
    """INTERACTION.ACT.MCP: the tools of one server, or of every registered one."""

    operation: Literal["discover"]
    server: Identifier | None = None


class McpInvokeInput(Contract):
    """INTERACTION.ACT.MCP: one call of one tool of one server."""

    operation: Literal["invoke"]
    server: Identifier
    call: ToolCall


McpInput: TypeAlias = Annotated[McpDiscoverInput | McpInvokeInput, Field(discriminator="operation")]


class McpDiscoverOutput(Contract):
    """What a discovery found, server by server in registration order."""

    operation: Literal["discover"]
    capabilities: Seq[McpCapability]


class McpInvokeOutput(Contract):
    """The result of an MCP call."""

    operation: Literal["invoke"]
    result: ExternalResult


McpOutput: TypeAlias = Annotated[McpDiscoverOutput | McpInvokeOutput, Field(discriminator="operation")]


class ObserveInput(Contract):
    """INTERACTION.OBSERVE."""

    result: ExternalResult


class OutputInput(Contract):
    """INTERACTION.OUTPUT: one message for a sink."""

    delivery_id: Identifier
    message: Message
    artifacts: Seq[Artifact] | None = None
