"""INFER: what goes to a model and what comes back.

Error codes: INVALID_INPUT, UNKNOWN_NODE, UNKNOWN_STRATEGY, PROVIDER_NOT_FOUND, INVALID_MODEL_OUTPUT,
INCOMPLETE_MODEL_OUTPUT, UNDECLARED_ACTION, USAGE_UNAVAILABLE, ENDPOINT_MISMATCH, PROVIDER_HTTP_ERROR, MODEL_ERROR,
PROVIDER_AUTH_ERROR, PROVIDER_RATE_LIMITED, PROVIDER_OVERLOADED, CONTEXT_OVERFLOW, PROMPT_BLOCKED, PERMISSION_DENIED,
OFFLINE_NO_INPUT, OFFLINE_UNSUPPORTED, TIMEOUT, CANCELLED, EXECUTION_FAILED.
"""

from typing import Annotated, Generic, Literal, Self, TypeAlias, TypeVar

from pydantic import Field, StringConstraints, model_validator

from ditto_core.contracts.contract import Contract, Identifier, Seq
from ditto_core.contracts.json import JsonObject
from ditto_core.contracts.message import Role

FinishReason: TypeAlias = Literal["stop", "length", "action_request", "cancelled", "error"]
Count: TypeAlias = Annotated[int, Field(ge=0, le=2**63 - 1)]
OutputT = TypeVar("OutputT")


class ModelMessage(Contract):
    """One message for or from a model.

    `content` is text or a list of blocks: `{type: "text", text}`, `{type: "image", mediaType, data}` (base64) or a
    vendor's native block, an object with its own `type`. `metadata` is what a vendor needs replayed unchanged.
    """

    role: Role
    content: str | Seq[JsonObject]
    metadata: JsonObject | None = None

    @model_validator(mode="after")
    def _blocks_are_tagged(self) -> Self:
        if isinstance(self.content, str):
            return self
        for index, block in enumerate(self.content):
            needed = {"text": ("text",), "image": ("mediaType", "data")}.get(str(block.get("type")), ())
            if not isinstance(block.get("type"), str) or not all(isinstance(block.get(key), str) for key in needed):
                raise ValueError(f"content[{index}] is not a text, image or native block")
        return self


class ModelConfig(Contract):
    """Which model. `endpoint`, when given, must equal the base URL of the provider."""

    provider: Identifier | None = None
    model: Identifier
    endpoint: Identifier | None = None
    provider_options: JsonObject | None = None


class GenerationConfig(Contract):
    """How to sample. A missing field is the vendor's default."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
    top_k: Annotated[int, Field(ge=1)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    stop: Seq[Annotated[str, StringConstraints(min_length=1)]] | None = None
    seed: int | None = None


class ToolTarget(Contract):
    """The action is a tool; without a name, the tool of the action's own name."""

    kind: Literal["tool"]
    name: Identifier | None = None


class McpTarget(Contract):
    """The action is a tool of an MCP server."""

    kind: Literal["mcp"]
    server: Identifier
    tool_name: Identifier


class NodeTarget(Contract):
    """The action is a public Node; the model's arguments are its input."""

    kind: Literal["node"]
    node: Identifier


ActionTarget: TypeAlias = Annotated[ToolTarget | McpTarget | NodeTarget, Field(discriminator="kind")]


class ActionDescriptor(Contract):
    """An action offered to the model. Only `target` decides where a request goes."""

    name: Identifier
    description: str | None = None
    input_schema: JsonObject
    target: ActionTarget | None = None


class ActionRequest(Contract):
    """An action the model asks for."""

    id: Identifier
    name: Identifier
    arguments: JsonObject


class Usage(Contract):
    """Token counters as the vendor gave them. A missing counter stays missing."""

    input_tokens: Count | None = None
    output_tokens: Count | None = None
    total_tokens: Count | None = None
    reasoning_tokens: Count | None = None
    cached_input_tokens: Count | None = None


class ModelFailure(Contract):
    """Why a sample is no answer."""

    code: Identifier
    message: str


class SampleInput(Contract):
    """INFER.REASONING.SAMPLE: one call, one candidate."""

    messages: Annotated[Seq[ModelMessage], Field(min_length=1)]
    model: ModelConfig
    generation: GenerationConfig | None = None
    actions: Seq[ActionDescriptor] = ()
    metadata: JsonObject | None = None

    @model_validator(mode="after")
    def _action_names_are_unique(self) -> Self:
        names = [action.name for action in self.actions]
        if len(set(names)) != len(names):
            twice = next(name for index, name in enumerate(names) if name in names[:index])
            raise ValueError(f"the action {twice[:80]!r} is declared twice")
        return self


class SampleOutput(Contract):
    """A model's answer. `error` comes exactly with finishReason `error`."""

    message: ModelMessage
    action_requests: Seq[ActionRequest] = ()
    finish_reason: FinishReason
    usage: Usage | None = None
    error: ModelFailure | None = None


class NodeResult(Contract, Generic[OutputT]):
    """The envelope of INFER, MEMORY and RETRIEVAL: a failure is data here, not an exception."""

    execution_id: Identifier
    node: Identifier
    status: Literal["success", "failed", "cancelled", "timeout"]
    output: OutputT | None = None
    error: ModelFailure | None = None
