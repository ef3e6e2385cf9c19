"""The INTERACTION Worker: tools, what comes back from them as observations, and what goes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ditto_core.contracts.interaction import ExternalResult, ToolInput
from ditto_core.contracts.nodes import ACT_TOOL, OBSERVE, OUTPUT
from ditto_core.contracts.ports import OutputSink
from ditto_core.runtime.worker import Handler, WorkerContext, WorkerDefinition, define_worker
from ditto_core.workers.interaction.observe import observe
from ditto_core.workers.interaction.output import output_to
from ditto_core.workers.interaction.tools.registry import ToolRegistry
from ditto_core.workers.interaction.tools.tool import RegisteredTool


def create_interaction_worker(
    *,
    tools: ToolRegistry | Sequence[RegisteredTool] = (),
    output: OutputSink | None = None,
    concurrency: int | None = None,
) -> WorkerDefinition:
    """A Worker for INTERACTION.ACT.TOOL and INTERACTION.OBSERVE, and for INTERACTION.OUTPUT when a sink is given.

    A list of tools is registered once, here; a ToolRegistry may change while the runtime works. Registering the
    definition twice shares its tools and its sink, which stays open. `concurrency` is the number of calls that one
    replica takes at once. Raises InvalidInputError for a tool that cannot be registered and a sink that is none.
    """
    nodes = create_interaction_nodes(tools=tools, output=output)
    return define_worker(type="INTERACTION", nodes=nodes, concurrency=concurrency)


def create_interaction_nodes(
    *, tools: ToolRegistry | Sequence[RegisteredTool] | None = None, output: OutputSink | None = None
) -> Mapping[str, Handler]:
    """The handlers for a Worker of the application's own: always OBSERVE, TOOL and OUTPUT only when given."""
    nodes: dict[str, Handler] = {OBSERVE: observe}
    if tools is not None:
        nodes[ACT_TOOL] = _tool_handler(tools if isinstance(tools, ToolRegistry) else ToolRegistry(tools))
    if output is not None:
        nodes[OUTPUT] = output_to(output)
    return nodes


def _tool_handler(registry: ToolRegistry) -> Handler:
    async def act(given: ToolInput, ctx: WorkerContext) -> ExternalResult:
        return await registry.call(given.call, ctx)

    return act
