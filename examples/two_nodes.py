"""A graph of two Nodes: a tool call, and the observation of its result.

Run it with `python examples/two_nodes.py` from the root of the repository.

Prints:
    observation of read_text: success
    MIT License
"""

import anyio

from ditto_core import Ditto, Sandbox, SandboxPolicy, create_file_tools, create_interaction_worker, graph

PLAN = (
    graph("look")
    .node(
        "read",
        "INTERACTION.ACT.TOOL",
        [],
        lambda path, _: {"call": {"id": "call-1", "name": "read_text", "arguments": {"path": path}}},
    )
    .node("observe", "INTERACTION.OBSERVE", ["read"], lambda _, outputs: {"result": outputs["read"]})
)


async def main() -> None:
    """Runs the graph on LICENSE."""
    sandbox = Sandbox(".", SandboxPolicy(read=True, tools={"read_text"}))
    workers = [create_interaction_worker(tools=create_file_tools())]
    async with Ditto(sandbox=sandbox, workers=workers) as runtime:
        outputs = await runtime.run(PLAN, "LICENSE")
    observation = outputs["observe"]
    print(f"observation of {observation.source}: {observation.status}")
    print(str(observation.message.content).splitlines()[0])


anyio.run(main)
