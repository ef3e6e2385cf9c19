"""A tool of the application's own: what it takes is checked, what it may read the sandbox decides.

Run it with `python examples/own_tool.py` from the root of the repository.

Prints:
    success {'lines': …, 'longest': …}
    failed EMPTY: py.typed has no lines
    denied: tool count_lines is not permitted (not granted)
"""

from typing import Any

import anyio

from ditto_core import (
    Ditto,
    PermissionDeniedError,
    Sandbox,
    SandboxPolicy,
    ToolError,
    WorkerContext,
    create_interaction_worker,
    tool,
)


@tool(effects=["read"])
async def count_lines(path: str, ctx: WorkerContext) -> dict[str, int]:
    """Counts the lines of a text file.

    Args:
        path: The file, relative to the workspace.
    """
    lines = (await ctx.services.sandbox.read_text(path)).text.splitlines()
    if not lines:
        raise ToolError("EMPTY", f"{path.rpartition('/')[2]} has no lines")
    return {"lines": len(lines), "longest": max(len(line) for line in lines)}


def call(path: str) -> dict[str, Any]:
    """The input of INTERACTION.ACT.TOOL."""
    return {"call": {"id": f"count {path}", "name": count_lines.name, "arguments": {"path": path}}}


async def main() -> None:
    """Calls the tool with and without the permission for it."""
    workers = [create_interaction_worker(tools=[count_lines])]
    granted = Sandbox(".", SandboxPolicy(read=True, tools={count_lines.name}))
    async with Ditto(sandbox=granted, workers=workers) as runtime:
        counted = await runtime.invoke("INTERACTION.ACT.TOOL", call("LICENSE"))
        print(counted.status, counted.structured_content)
        failed = await runtime.invoke("INTERACTION.ACT.TOOL", call("ditto_core/py.typed"))
        print(failed.status, f"{failed.error.code}: {failed.error.message}")
    async with Ditto(sandbox=Sandbox("."), workers=workers) as runtime:
        try:
            await runtime.invoke("INTERACTION.ACT.TOOL", call("LICENSE"))
        except PermissionDeniedError as error:
            print(f"denied: {error.message}")


anyio.run(main)
