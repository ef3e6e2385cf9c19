"""One Context through three flows: a skill joins it, what helps with a question is selected, a tool's result is added.

Run it with `python examples/context_flows.py` from the root of the repository.

Prints:
    skill: 3 items
    rag: ['install', 'style']
    tool: ['install', 'style', 'observation:readme']
    # Ditto
"""

from collections.abc import Sequence
from typing import Any

import anyio

from ditto_core import (
    ContextItem,
    ContextServices,
    Ditto,
    Sandbox,
    SandboxPolicy,
    create_context_worker,
    create_file_tools,
    create_interaction_worker,
    create_rag_strategy,
    run_rag_flow,
    run_skill_flow,
    run_tool_call_flow,
)

SKILL = [
    {"id": "style", "content": "Answer an install question with the command alone."},
    {"id": "tone", "content": "Be polite."},
]
FACTS = {"items": [{"id": "install", "content": "To install it: pip install -e ."}]}


async def by_substring(items: Sequence[ContextItem], query: Any, *_: Any) -> list[dict[str, Any]]:
    """The items that hold the query. The other arguments are corpus, limit, options and the query's embedding."""
    return [{"item": item} for item in items if str(query) in str(item.content)]


async def main() -> None:
    """Runs the flows one after another, each on the Context of the one before."""
    sandbox = Sandbox(".", SandboxPolicy(read=True, tools={"read_text"}))
    workers = [
        create_context_worker(services=ContextServices(rag_strategy=create_rag_strategy(by_substring))),
        create_interaction_worker(tools=create_file_tools()),
    ]
    async with Ditto(sandbox=sandbox, workers=workers) as runtime:
        skill = await run_skill_flow(runtime, {"sources": SKILL, "context": FACTS})
        print(f"skill: {len(skill.context.items)} items")

        rag = await run_rag_flow(runtime, {"context": skill.context, "query": "install", "limit": 5})
        print(f"rag: {list(rag.output.selected_item_ids)}")

        call = {"id": "readme", "name": "read_text", "arguments": {"path": "README.md", "endLine": 1}}
        read = await run_tool_call_flow(runtime, {"context": rag.context, "call": call})
        print(f"tool: {[item.id for item in read.context.items]}")
        print(str(read.observation.message.content).strip())


anyio.run(main)
