"""A loop without a model: it reads two files, TOOL → OBSERVE → OUTPUT, and delivers their first two lines.

Run it with `python examples/read_and_deliver.py` from the root of the repository.

Prints:
    # Ditto

    [build-system]
    requires = […]
    README.md accepted, pyproject.toml accepted
"""

from typing import Any, NamedTuple

import anyio

from ditto_core import (
    ConsoleSink,
    Ditto,
    Loop,
    OutputReceipt,
    Sandbox,
    SandboxPolicy,
    create_file_tools,
    create_interaction_worker,
    graph,
)


class State(NamedTuple):
    """The files that are still to be read, and what the sink said of the others."""

    paths: tuple[str, ...]
    receipts: tuple[OutputReceipt, ...] = ()


def read_first_lines(path: str, _: Any) -> dict[str, Any]:
    return {"call": {"id": path, "name": "read_text", "arguments": {"path": path, "endLine": 2}}}


PLAN = (
    graph("read and deliver")
    .node("read", "INTERACTION.ACT.TOOL", [], read_first_lines)
    .node("observe", "INTERACTION.OBSERVE", ["read"], lambda _, outputs: {"result": outputs["read"]})
    .node(
        "deliver",
        "INTERACTION.OUTPUT",
        ["observe"],
        lambda path, outputs: {"deliveryId": path, "message": outputs["observe"].message},
    )
)

LOOP: Loop[State] = Loop(
    graph=PLAN,
    bind=lambda state: state.paths[0],
    update=lambda state, outputs: State(state.paths[1:], (*state.receipts, outputs["deliver"])),
    done=lambda state: not state.paths,
)


async def main() -> None:
    """Runs the loop over two files."""
    sandbox = Sandbox(".", SandboxPolicy(read=True, tools={"read_text"}))
    workers = [create_interaction_worker(tools=create_file_tools(), output=ConsoleSink())]
    async with Ditto(sandbox=sandbox, workers=workers) as runtime:
        state = await runtime.loop(LOOP, State(("README.md", "pyproject.toml")))
    print(", ".join(f"{receipt.delivery_id} {receipt.status}" for receipt in state.receipts))


anyio.run(main)
