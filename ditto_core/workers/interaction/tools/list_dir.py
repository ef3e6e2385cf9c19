"""The tool `list_dir`: the names in one folder of the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ditto_core.contracts.interaction import ToolOutcome
from ditto_core.runtime.worker import WorkerContext
from ditto_core.sandbox.listing import FolderEntry, FolderListing
from ditto_core.sandbox.text import clean_line
from ditto_core.workers.interaction.tools.tool import RegisteredTool

MAX_ENTRIES = 1000
_NOTE_ROOM = 60
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "path": {
            "type": "string",
            "minLength": 1,
            "description": "The folder, relative to the workspace. Default: the workspace itself.",
        },
    },
    "additionalProperties": False,
}


def create_list_dir_tool() -> RegisteredTool:
    """`list_dir`: the entries of one folder, sorted by name, at most MAX_ENTRIES and `maxOutputBytes` of them."""
    return RegisteredTool(
        name="list_dir",
        description=(
            "Lists one folder of the workspace: a line for each entry, sorted by name; folders end with /, files have "
            "their size in bytes. Does not look into the folders below."
        ),
        input_schema=_SCHEMA,
        effects=("read",),
        execute=_list_dir,
    )


async def _list_dir(arguments: Mapping[str, Any], ctx: WorkerContext) -> ToolOutcome:
    limit = ctx.services.config.settings.runtime.sandbox.max_output_bytes
    listing = await ctx.services.sandbox.list_dir(arguments.get("path", "."), MAX_ENTRIES)
    lines, shown = _lines(listing, limit)
    truncated = listing.truncated or shown < len(listing.entries)
    if truncated:
        lines.append(f"[cut: first {shown} of {listing.total} entries]")
    return ToolOutcome(
        status="success",
        content="\n".join(lines) or "(empty folder)",
        structured_content={
            "path": listing.path,
            "entries": [_entry(entry) for entry in listing.entries[:shown]],
            "total": listing.total,
            "truncated": truncated,
        },
    )


def _lines(listing: FolderListing, limit: int) -> tuple[list[str], int]:
    """A line for each entry as long as there is room."""
    lines: list[str] = []
    room = limit - _NOTE_ROOM
    for entry in listing.entries:
        line = _line(entry)
        room -= len(line.encode()) + 1
        if room < 0:
            break
        lines.append(line)
    return lines, len(lines)


def _line(entry: FolderEntry) -> str:
    name = clean_line(entry.name, 1000)
    match entry.kind:
        case "folder":
            return f"{name}/"
        case "file":
            return f"{name}\t{entry.size} bytes"
        case "link" | "other":
            return f"{name}\t({entry.kind})"


def _entry(entry: FolderEntry) -> dict[str, Any]:
    described: dict[str, Any] = {"name": clean_line(entry.name, 1000), "kind": entry.kind}
    return described if entry.size is None else {**described, "size": entry.size}
