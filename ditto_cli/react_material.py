"""What `--skill` and `--rag` put before the prompt of a run: one user message per item."""

from __future__ import annotations

from collections.abc import Sequence

from ditto_cli.failure import UsageError
from ditto_cli.rag_options import RagOptions
from ditto_cli.rag_run import head_of, request_of, selected
from ditto_cli.react_options import ReactOptions
from ditto_cli.session import Session
from ditto_cli.skill_choice import Chosen
from ditto_cli.skill_run import head_of as skill_head
from ditto_cli.skill_run import loaded_skills
from ditto_core.contracts.context import ContextItem
from ditto_core.contracts.infer import ModelMessage
from ditto_core.contracts.react import ReactConstraints, ReactInput
from ditto_core.contracts.text import content_text, public_text
from ditto_core.errors import SandboxFileError
from ditto_core.runtime.runtime import Ditto


async def material(
    session: Session, chosen: Chosen, asked: ReactOptions, messages: Sequence[ModelMessage]
) -> list[ModelMessage]:
    """The skills, then the passages that match the prompt, which is the last of `messages`.

    Raises UsageError for a path that cannot be searched, PermissionDeniedError for one that may not.
    """
    async with chosen.assembly.runtime(session.observe) as runtime:
        found: list[ModelMessage] = []
        if chosen.skills:
            loaded = await loaded_skills(runtime, chosen.skills)
            found += [_message(skill_head(item), item) for item in loaded.items]
        if asked.rag:
            passages = await _passages(runtime, chosen, asked, public_text(messages[-1]))
            found += [_message(f"Passage: {head_of(item)}", item) for item in passages]
            if not passages:
                session.warn("--rag: no passage matches the prompt")
    return found


def with_material(request: ReactInput, found: Sequence[ModelMessage], left_ms: int) -> ReactInput:
    """The request with material before its prompt, and with the time that is left."""
    *before, prompt = request.messages
    given = {**(request.constraints.to_wire() if request.constraints else {}), "timeoutMs": left_ms}
    return request.model_copy(
        update={"messages": (*before, *found, prompt), "constraints": ReactConstraints.parse(given)}
    )


async def _passages(runtime: Ditto, chosen: Chosen, asked: ReactOptions, prompt: str) -> Sequence[ContextItem]:
    try:
        request = request_of(chosen.assembly, RagOptions(text=prompt, corpus=asked.rag), "--rag")
        return (await selected(runtime, request)).context.items
    except SandboxFileError as error:
        raise UsageError(f"--rag: {error.message}", hint=error.hint) from error


def _message(head: str, item: ContextItem) -> ModelMessage:
    return ModelMessage(role="user", content=f"{head}\n\n{content_text(item.content)}")
