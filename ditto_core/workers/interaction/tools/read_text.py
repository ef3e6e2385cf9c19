"""The tool `read_text`: text of one file of the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ditto_core.contracts.interaction import ToolOutcome
from ditto_core.errors import InvalidArgumentsError
from ditto_core.runtime.worker import WorkerContext
from ditto_core.workers.interaction.cut import head, note
from ditto_core.workers.interaction.tools.tool import RegisteredTool

_NOTE_ROOM = 120
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "The file, relative to the workspace."},
        "startLine": {
            "type": "integer",
            "minimum": 1,
            "description": "First line to read, counted from 1. Default: 1.",
        },
        "endLine": {
            "type": "integer",
            "minimum": 1,
            "description": "Last line to read, included. Default: the end of the file.",
        },
    },
    "required": ["path"],
    "additionalProperties": False,
}


def create_read_text_tool() -> RegisteredTool:
    """`read_text`: UTF-8 text of a file, or some of its lines, at most `runtime.sandbox.maxOutputBytes` of it."""
    return RegisteredTool(
        name="read_text",
        description=(
            "Reads a UTF-8 text file of the workspace, or some of its lines. Long text is cut and says so; "
            "read on with startLine. Binary files and files that hold secrets are refused."
        ),
        input_schema=_SCHEMA,
        effects=("read",),
        validate=_lines_in_order,
        execute=_read_text,
    )


def _lines_in_order(arguments: Mapping[str, Any]) -> None:
    if arguments.get("endLine", arguments.get("startLine", 1)) < arguments.get("startLine", 1):
        raise InvalidArgumentsError("must not be before startLine", path="arguments.endLine")


async def _read_text(arguments: Mapping[str, Any], ctx: WorkerContext) -> ToolOutcome:
    limit = ctx.services.config.settings.runtime.sandbox.max_output_bytes
    first = int(arguments.get("startLine", 1))  # JSON Schema takes 3.0 for an integer
    last = int(arguments["endLine"]) if "endLine" in arguments else None
    found = await ctx.services.sandbox.read_text(arguments["path"], limit, first_line=first, last_line=last)
    text = found.text
    if not text and first > 1:
        text = f"(the file ends before line {first})"
    return ToolOutcome(
        status="success",
        content=_cut(text, found.size, limit, first) if found.truncated else text,
        structured_content={"path": arguments["path"], "size": found.size, "truncated": found.truncated},
    )


def _cut(text: str, size: int, limit: int, first: int) -> str:
    """The beginning of the text and a last line: how much of the file it is, and where to read on."""
    kept = head(text, max(limit - _NOTE_ROOM, limit // 2))
    following = first + kept.count("\n")
    after = f" Go on with startLine {following}." if following > first else ""
    return f"{kept}\n{note(len(kept.encode()), size)}{after}"
