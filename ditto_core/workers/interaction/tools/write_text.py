"""The tool `write_text`: one file of the workspace, as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ditto_core.contracts.interaction import ToolOutcome
from ditto_core.runtime.worker import WorkerContext
from ditto_core.sandbox.text import clean_line
from ditto_core.workers.interaction.tools.tool import RegisteredTool

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {"type": "string", "minLength": 1, "description": "The file, relative to the workspace."},
        "text": {"type": "string", "description": "The whole new content of the file."},
    },
    "required": ["path", "text"],
    "additionalProperties": False,
}


def create_write_text_tool() -> RegisteredTool:
    """`write_text`: replaces or creates a UTF-8 file as a whole. Needs write beside the permission for the tool."""
    return RegisteredTool(
        name="write_text",
        description=(
            "Writes a UTF-8 text file of the workspace: replaces the whole file, or creates it and the folders it "
            "needs. It cannot append; to change a part, give the complete new text."
        ),
        input_schema=_SCHEMA,
        effects=("write",),
        execute=_write_text,
    )


async def _write_text(arguments: Mapping[str, Any], ctx: WorkerContext) -> ToolOutcome:
    written = await ctx.services.sandbox.write_text(arguments["path"], arguments["text"])
    did = "created" if written.created else "replaced"
    return ToolOutcome(
        status="success",
        content=f"{did} {clean_line(written.path, 1000)} ({written.size} bytes)",
        structured_content={"path": written.path, "size": written.size, "created": written.created},
    )
