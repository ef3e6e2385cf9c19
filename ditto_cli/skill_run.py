"""What `ditto skill NAME|PATH` does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ditto_cli.assembly import Assembly
from ditto_cli.bounded import bounded
from ditto_cli.outcome import Outcome
from ditto_cli.run_start import started, warn_of
from ditto_cli.session import Session
from ditto_cli.skill_choice import chosen_skills, skill_item
from ditto_cli.skill_folder import Skill
from ditto_core.contracts.context import Context, ContextItem
from ditto_core.contracts.text import content_text
from ditto_core.flows.skill import run_skill_flow
from ditto_core.runtime.runtime import Ditto

if TYPE_CHECKING:
    import anyio


def load_body(session: Session, assembly: Assembly, named: Sequence[str]) -> Outcome:
    """The outcome of loading skills into a Context."""
    chosen = chosen_skills(assembly, session.options, named)
    assembly = chosen.assembly
    limit_ms = assembly.config.settings.runtime.timeout_ms
    session.observe(started(session.command, assembly, None, {"timeoutMs": limit_ms}))
    warn_of(session, assembly)
    for note in chosen.notes:
        session.warn(note)

    async def main(stop: anyio.Event) -> Outcome:
        async with assembly.runtime(session.observe) as runtime:
            loaded, _ = await bounded(loaded_skills(runtime, chosen.skills), stop, limit_ms, "loading")
        return Outcome(text=_page(loaded.items), result=loaded.to_wire())

    return session.wait(main, limit_ms)


async def loaded_skills(runtime: Ditto, skills: Sequence[Skill]) -> Context:
    """The skills as Context, in their order."""
    flow = await run_skill_flow(runtime, {"sources": [skill_item(skill) for skill in skills]})
    return flow.output


def head_of(item: ContextItem) -> str:
    """A line that says which skill it is, and where its files are."""
    metadata = item.metadata or {}
    return f"Skill: {metadata['skill']} ({metadata['path']})"


def _page(items: Sequence[ContextItem]) -> str:
    texts = [content_text(item.content) for item in items]
    if len(items) == 1:
        return texts[0]
    return "\n\n".join(f"{head_of(item)}\n\n{text}" for item, text in zip(items, texts, strict=True))
