"""Which tools a model is offered, and what `--tool` says about it."""

from __future__ import annotations

from collections.abc import Sequence

from ditto_cli.assembly import Assembly
from ditto_cli.failure import UsageError
from ditto_core.contracts.infer import ActionDescriptor
from ditto_core.contracts.interaction import ToolDefinition
from ditto_core.nearest import did_you_mean
from ditto_core.sandbox.sandbox import Sandbox


def named_tools(assembly: Assembly, names: Sequence[str]) -> tuple[ToolDefinition, ...]:
    """The tools of `--tool`. Raises UsageError for one that is not registered."""
    return tuple(_named(assembly, name) for name in dict.fromkeys(names))


def offered_actions(assembly: Assembly, only: Sequence[ToolDefinition]) -> tuple[ActionDescriptor, ...]:
    """The permitted tools whose effects are granted too; with `only`, exactly these.

    Raises PermissionDeniedError for one of `only` that is not granted.
    """
    for tool in only:
        require_tool(assembly.sandbox, tool)
    known = only or assembly.tools.definitions()
    return tuple(_action(tool) for tool in known if is_granted(assembly.sandbox, tool))


def registered(assembly: Assembly, name: str) -> tuple[ToolDefinition | None, str]:
    """The tool of that name, or None and a hint that names the nearest."""
    definitions = {tool.name: tool for tool in assembly.tools.definitions()}
    return definitions.get(name), did_you_mean(name, definitions) or "ditto tool list shows them."


def is_granted(sandbox: Sandbox, tool: ToolDefinition) -> bool:
    """Whether a tool may be called: it, and every effect it declares."""
    decision = sandbox.decide("tool", tool.name)
    if not decision.allowed or (tool.requires_approval and not decision.by_name):
        return False
    return all(sandbox.allows(effect) for effect in tool.effects if effect != "network")


def require_tool(sandbox: Sandbox, tool: ToolDefinition) -> None:
    """Raises PermissionDeniedError unless the tool and every effect it declares are granted."""
    sandbox.require("tool", tool.name)
    for effect in tool.effects:
        if effect != "network":
            sandbox.require(effect)


def _named(assembly: Assembly, name: str) -> ToolDefinition:
    found, hint = registered(assembly, name)
    if found is None:
        raise UsageError(f"--tool: there is no tool {name[:80]!r}", hint=hint)
    return found


def _action(tool: ToolDefinition) -> ActionDescriptor:
    action = {"name": tool.name, "inputSchema": tool.input_schema}
    return ActionDescriptor.parse({**action, "description": tool.description} if tool.description else action)
