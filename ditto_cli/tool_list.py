"""What `ditto tool list` and `ditto tool show` do."""

from __future__ import annotations

import json
from typing import Any

from ditto_cli.assembly import Assembly
from ditto_cli.failure import UsageError
from ditto_cli.offer import is_granted, registered
from ditto_cli.outcome import Outcome
from ditto_cli.run_start import warn_of
from ditto_cli.session import Session
from ditto_core.contracts.interaction import ToolDefinition


def list_body(session: Session, assembly: Assembly) -> Outcome:
    """Every tool with its grant."""
    warn_of(session, assembly)
    tools = [_described(tool, assembly) for tool in assembly.tools.definitions()]
    width = max(len(tool["name"]) for tool in tools)
    return Outcome(text="\n".join(_line(tool, width) for tool in tools), result=tools)


def show_body(session: Session, assembly: Assembly, name: str) -> Outcome:
    """One tool. Raises UsageError that names the nearest one."""
    warn_of(session, assembly)
    found, hint = registered(assembly, name)
    if found is None:
        raise UsageError(f"there is no tool {name[:80]!r}", hint=hint)
    tool = _described(found, assembly)
    text = "\n".join(
        [
            f"{tool['name']}: {_grant(tool)}",
            tool["description"],
            f"effects: {', '.join(tool['effects']) or 'none declared'}",
            f"schema: {json.dumps(tool['inputSchema'], indent=2, ensure_ascii=False)}",
        ]
    )
    return Outcome(text=text, result=tool)


def _described(tool: ToolDefinition, assembly: Assembly) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description or "",
        "effects": list(tool.effects),
        "granted": is_granted(assembly.sandbox, tool),
        "inputSchema": tool.to_wire()["inputSchema"],
    }


def _line(tool: dict[str, Any], width: int) -> str:
    grant = _grant(tool)
    return f"{tool['name']:{width}}  {grant:11}  {_first_sentence(tool['description'])}"


def _grant(tool: dict[str, Any]) -> str:
    return "granted" if tool["granted"] else "not granted"


def _first_sentence(text: str) -> str:
    return text.split("\n", maxsplit=1)[0].split(". ", maxsplit=1)[0].rstrip(".")
