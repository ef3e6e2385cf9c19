"""One action of a ReAct flow: from the request to the observation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ditto_core.contracts.contract import Contract
from ditto_core.contracts.infer import (
    ActionDescriptor,
    ActionRequest,
    McpTarget,
    ModelFailure,
    NodeResult,
    NodeTarget,
    ToolTarget,
)
from ditto_core.contracts.interaction import (
    ExternalResult,
    InteractionError,
    McpInvokeOutput,
    Observation,
    OutputReceipt,
    ToolCall,
)
from ditto_core.contracts.json import freeze_json
from ditto_core.contracts.nodes import ACT_MCP, ACT_TOOL, NODE_TYPES, OBSERVE, checked
from ditto_core.contracts.schema import ArgumentsSchema
from ditto_core.errors import (
    DependencyError,
    InvalidArgumentsError,
    InvalidInputError,
    PermissionDeniedError,
    ToolError,
)
from ditto_core.runtime.graph import Graph, graph
from ditto_core.sandbox.safe_error import MAX_MESSAGE, safe_error
from ditto_core.sandbox.text import clean_line


class Action(NamedTuple):
    """A request together with what its descriptor says: where it goes and which arguments it takes."""

    request: ActionRequest
    target: ToolTarget | McpTarget | NodeTarget
    schema: ArgumentsSchema

    @property
    def source(self) -> str:
        """The tool, `server:tool` or Node type that answers."""
        match self.target:
            case ToolTarget(name=name):
                return name or self.request.name
            case McpTarget(server=server, tool_name=tool):
                return f"{server}:{tool}"
            case NodeTarget(node=node):
                return node

    def plan(self, graph_id: str) -> Graph:
        """The graph that runs it and observes the result. Only the descriptor decides the route.

        Raises InvalidArgumentsError for arguments that are no input of the Node they would go to.
        """
        node, payload = self._route()
        return (
            graph(graph_id)
            .node("act", node, [], lambda _, __: payload)
            .node("observe", OBSERVE, ["act"], lambda _, out: {"result": self._external(out["act"])})
        )

    def _route(self) -> tuple[str, object]:
        call_id, arguments = self.request.id, self.request.arguments
        match self.target:
            case ToolTarget():
                return ACT_TOOL, {"call": ToolCall(id=call_id, name=self.source, arguments=arguments)}
            case McpTarget(server=server, tool_name=tool):
                call = ToolCall(id=call_id, name=tool, arguments=arguments)
                return ACT_MCP, {"operation": "invoke", "server": server, "call": call}
            case NodeTarget(node=node):
                return node, _node_input(node, arguments)

    def _external(self, output: object) -> ExternalResult:
        match output:
            case ExternalResult():
                return output.model_copy(update={"call_id": self.request.id})
            case McpInvokeOutput(result=result):
                return result
            case OutputReceipt(status="rejected" | "unknown"):
                raise _undelivered(output)
            case NodeResult(status="success", output=inner):
                return self._success(inner)
            case NodeResult(status=status, error=error):
                failure = error or ModelFailure(code="DEPENDENCY_FAILED", message=f"{self.source}: {status}")
                return self.failed(failure.code, failure.message, status)
            case _:
                return self._success(output)

    def _success(self, output: object) -> ExternalResult:
        data = output.to_wire() if isinstance(output, Contract) else output
        return ExternalResult(
            call_id=self.request.id, source=self.source, status="success", structured_content=freeze_json(data)
        )

    def failed(self, code: str, message: str, status: Any = "failed", *, instead: str | None = None) -> ExternalResult:
        """A result that says what went wrong. Words that are not safe to show give way to `instead`, under the code."""
        safe = safe_error(code, message) or (safe_error(code, instead) if instead else None)
        code, message = safe or ("TOOL_ERROR", f"{self.source} failed")
        error = InteractionError(code=code, message=message)
        return ExternalResult(call_id=self.request.id, source=self.source, status=status, error=error)

    def known_failure(self, error: Exception) -> ExternalResult | None:
        """A denial, refused arguments or a ToolError as a failed result; None for everything unexpected."""
        match error:
            case PermissionDeniedError(kind=kind, rule=rule):
                return self.failed(error.code, error.message, instead=f"{kind} is not permitted ({rule})")
            case InvalidArgumentsError():
                return self.failed(error.code, error.message, instead="the arguments do not match the schema")
            case ToolError():
                return self.failed(error.code, error.message)
            case _:
                return None


def _node_input(node: str, arguments: Mapping[str, Any]) -> object:
    """Checks here what the contract of Ditto's own Nodes refuses, since the model can mend it."""
    known = NODE_TYPES.get(node)
    if known is None:
        return arguments
    try:
        return checked(known.input, arguments, "arguments")
    except InvalidInputError as error:
        raise InvalidArgumentsError(error.message.removeprefix(f"{error.path}: "), path=error.path) from None


def _undelivered(receipt: OutputReceipt) -> DependencyError:
    """What ends a flow whose output was not accepted, in the sink's words where they are safe to show."""
    code, happened = {
        "rejected": ("OUTPUT_REJECTED", "the sink rejected the delivery"),
        "unknown": ("OUTPUT_UNKNOWN", "the sink does not know whether it delivered"),
    }[receipt.status]
    error = receipt.error
    said = f" ({error.code}: {error.message})" if error and safe_error(error.code, error.message) else ""
    return DependencyError(clean_line(happened + said, MAX_MESSAGE), code=code)


def actions_by_name(descriptors: tuple[ActionDescriptor, ...]) -> Mapping[str, tuple[Any, ArgumentsSchema]]:
    """Target and compiled schema of every declared action. Raises InvalidInputError for a schema that is none."""
    found: dict[str, tuple[Any, ArgumentsSchema]] = {}
    for index, descriptor in enumerate(descriptors):
        try:
            schema = ArgumentsSchema(descriptor.input_schema)
        except InvalidInputError as error:
            raise InvalidInputError(error.message, path=f"actions[{index}].inputSchema") from None
        found[descriptor.name] = (descriptor.target or ToolTarget(kind="tool"), schema)
    return found


def observe_plan(graph_id: str, result: ExternalResult) -> Graph:
    """The graph that observes a result which no Worker gave."""
    return graph(graph_id).node("observe", OBSERVE, [], lambda _, __: {"result": result})


def observation_of(outputs: Mapping[str, Any]) -> Observation:
    """The observation out of a finished action graph."""
    observation: Observation = outputs["observe"]
    return observation
