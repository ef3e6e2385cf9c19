"""What to do about an action that the model asked for without being offered it."""

from __future__ import annotations

from collections.abc import Sequence

from ditto_cli.assembly import Assembly
from ditto_cli.offer import require_tool
from ditto_cli.trust_hint import with_trust
from ditto_core.contracts.infer import ActionDescriptor, ModelFailure
from ditto_core.contracts.interaction import ToolDefinition
from ditto_core.errors import PermissionDeniedError


def undeclared_hint(
    failure: ModelFailure | None, offered: Sequence[ActionDescriptor], assembly: Assembly
) -> str | None:
    """How a registered tool would be offered; None for any other failure and any other name.

    The failure has no field for the name: its message quotes it.
    """
    if failure is None or failure.code != "UNDECLARED_ACTION":
        return None
    names = {action.name for action in offered}
    tools = (tool for tool in assembly.tools.definitions() if tool.name not in names)
    tool = next((tool for tool in tools if repr(tool.name[:80]) in failure.message), None)
    return _way(tool, assembly) if tool is not None else None


def _way(tool: ToolDefinition, assembly: Assembly) -> str | None:
    """The grant that is missing, else the choice of `--tool` that left the tool out."""
    try:
        require_tool(assembly.sandbox, tool)
    except PermissionDeniedError as error:
        return with_trust(error, assembly.config.ignored)
    if tool.requires_approval and not assembly.sandbox.decide("tool", tool.name).by_name:
        return f"It asks for approval, which * does not give: --allow-tool {tool.name}."
    return f"--tool narrowed what the model is offered: add --tool {tool.name}, or leave --tool out."
