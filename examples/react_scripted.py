"""A ReAct run with a model that says what it is told, and a tool of the application's own.

Run it with `python examples/react_scripted.py` from the root of the repository.

Prints:
    action.requested
    action.started
    observation
    7 plus 5 is 12.
"""

from typing import Any

import anyio

from ditto_core import (
    Ditto,
    ProviderRegistry,
    Sandbox,
    SandboxPolicy,
    ScriptedProvider,
    create_infer_worker,
    create_interaction_worker,
    run_react_flow,
    tool,
)


@tool
def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    return a + b


SCRIPT: list[dict[str, Any]] = [
    {"actions": [{"name": "add", "arguments": {"a": 7, "b": 5}}]},
    {"text": "7 plus 5 is 12."},
]


async def main() -> None:
    """Runs the loop and prints its action events and its answer."""
    runtime = Ditto(
        sandbox=Sandbox(".", SandboxPolicy(tools={"add"})),
        providers=ProviderRegistry({"scripted": ScriptedProvider(SCRIPT)}),
        workers=[create_infer_worker(), create_interaction_worker(tools=[add])],
        events=lambda event: print(event.type) if event.type.startswith(("action", "observation")) else None,
    )
    async with runtime:
        result = await run_react_flow(
            runtime,
            {
                "messages": [{"role": "user", "content": "What is 7 plus 5?"}],
                "model": {"model": "scripted"},
                "actions": [{"name": add.name, "inputSchema": add.definition().input_schema}],
            },
        )
    print(result.result.content)


anyio.run(main)
