"""The skill flow: what an application resolved for a skill becomes Context."""

from __future__ import annotations

from typing import Any

from ditto_core.contracts.context import Context, ContextSource
from ditto_core.contracts.contract import Contract, Seq
from ditto_core.contracts.nodes import CONTEXT_LOAD, CONTEXT_UPDATE
from ditto_core.flows.tool import Invoker


class SkillFlowInput(Contract):
    """The content of a skill, resolved already, and the Context that it joins."""

    sources: Seq[ContextSource]
    context: Context | None = None


class SkillFlowResult(Contract):
    """`output` is what was loaded; `context` is the given Context with it, or the same as `output`."""

    output: Context
    context: Context


async def run_skill_flow(runtime: Invoker, input: Any) -> SkillFlowResult:  # noqa: A002  # the field's word
    """LOAD, then UPDATE when a context is given.

    Nothing in a skill runs by this, and nothing is granted. Raises InvalidInputError, ContextError and what the
    runtime raises.
    """
    request = SkillFlowInput.parse(input)
    loaded: Context = await runtime.invoke(CONTEXT_LOAD, {"sources": request.sources})
    if request.context is None:
        return SkillFlowResult(output=loaded, context=loaded)
    given = {"context": request.context, "add": loaded.items}
    context: Context = await runtime.invoke(CONTEXT_UPDATE, given)
    return SkillFlowResult(output=loaded, context=context)
