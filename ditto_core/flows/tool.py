"""The tool flow: one call, its observation, and the Context that holds it."""

from __future__ import annotations

from typing import Any, Protocol

from ditto_core.contracts.context import Context
from ditto_core.contracts.contract import Contract
from ditto_core.contracts.interaction import ExternalResult, Observation, ToolCall
from ditto_core.contracts.nodes import ACT_TOOL, CONTEXT_UPDATE, OBSERVE


class Invoker(Protocol):
    """A Ditto, a WorkerContext, or anything else that calls Nodes."""

    async def invoke(self, node: str, input: Any) -> Any:  # noqa: A002  # the field's word
        """One Node."""
        ...


class ToolFlowInput(Contract):
    """The Context to extend and the call to make."""

    context: Context
    call: ToolCall


class ToolFlowResult(Contract):
    """The tool's result, what a model would read of it, and the Context with that observation added."""

    output: ExternalResult
    observation: Observation
    context: Context


async def run_tool_call_flow(runtime: Invoker, input: Any) -> ToolFlowResult:  # noqa: A002  # the field's word
    """ACT.TOOL → OBSERVE → UPDATE.

    A tool that failed still becomes an observation: the caller decides. Raises InvalidInputError,
    PermissionDeniedError, InvalidArgumentsError, DependencyError and what the runtime raises.
    """
    request = ToolFlowInput.parse(input)
    output: ExternalResult = await runtime.invoke(ACT_TOOL, {"call": request.call})
    observation: Observation = await runtime.invoke(OBSERVE, {"result": output})
    context: Context = await runtime.invoke(
        CONTEXT_UPDATE, {"context": request.context, "ingress": [observation_ingress(observation)]}
    )
    return ToolFlowResult(output=output, observation=observation, context=context)


def observation_ingress(observation: Observation) -> dict[str, Any]:
    """An observation as it enters CONTEXT.UPDATE."""
    return {
        "id": f"observation:{observation.call_id}",
        "sourceNode": OBSERVE,
        "content": observation.message.content,
        "metadata": {"callId": observation.call_id, "source": observation.source, "status": observation.status},
    }
