"""What `ditto rag` does, and `--rag` of `ditto react`: passages of files for a query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ditto_cli.assembly import Assembly
from ditto_cli.bounded import bounded
from ditto_cli.material import checked_argument
from ditto_cli.outcome import Outcome
from ditto_cli.rag_options import RagOptions
from ditto_cli.run_start import started, warn_of
from ditto_cli.session import Session
from ditto_core.contracts.context import Context, ContextItem, ContextSelection
from ditto_core.contracts.text import content_text
from ditto_core.flows.rag import run_rag_flow
from ditto_core.runtime.runtime import Ditto

if TYPE_CHECKING:
    import anyio


def rag_body(session: Session, assembly: Assembly, asked: RagOptions) -> Outcome:
    """The outcome of one search."""
    request = request_of(assembly, asked)
    limit_ms = assembly.config.settings.runtime.timeout_ms
    limits = {"limit": request["limit"], "maxTokens": request["maxTokens"], "timeoutMs": limit_ms}
    session.observe(started(session.command, assembly, None, limits))
    warn_of(session, assembly)

    async def main(stop: anyio.Event) -> Outcome:
        async with assembly.runtime(session.observe) as runtime:
            selection, _ = await bounded(selected(runtime, request), stop, limit_ms, "the search")
        if not selection.context.items:
            session.warn("no passage was found; other words or another --corpus may help")
        return Outcome(text=_page(selection.context.items), result=selection.to_wire())

    return session.wait(main, limit_ms)


def request_of(assembly: Assembly, asked: RagOptions, option: str = "--corpus") -> dict[str, Any]:
    """The input of the rag flow; without a path, of `option`, the corpus is the workspace. Raises UsageError."""
    paths = [checked_argument(path, option) for path in asked.corpus]
    settings = assembly.config.settings.workers.retrieval
    return {
        "context": Context(items=()),
        "query": checked_argument(asked.text, "TEXT"),
        "limit": settings.search_limit if asked.limit is None else asked.limit,
        "maxTokens": asked.max_tokens,
        "options": {"paths": paths or ["."]},
    }


async def selected(runtime: Ditto, request: dict[str, Any]) -> ContextSelection:
    """What the flow selects."""
    return (await run_rag_flow(runtime, request)).output


def head_of(item: ContextItem) -> str:
    """`path:line` of a passage, and the headings above it."""
    heading = (item.metadata or {}).get("heading")
    return f"{item.id}  {heading}" if heading else item.id


def _page(items: Sequence[ContextItem]) -> str:
    return "\n\n".join("\n".join([head_of(item), content_text(item.content).strip("\n")]) for item in items)
