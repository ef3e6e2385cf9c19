"""The rag flow: the passages and items that help with a query. It selects; it writes no answer."""

from __future__ import annotations

from typing import Any

from ditto_core.contracts.context import Context, ContextSelection, RequestLimit
from ditto_core.contracts.contract import Contract
from ditto_core.contracts.json import JsonObject
from ditto_core.contracts.message import MessageContent, Reference
from ditto_core.contracts.nodes import CONTEXT_SELECT
from ditto_core.flows.tool import Invoker


class RagFlowInput(Contract):
    """What to look for, and where: in `context`, and in what the strategy makes of `corpus` and `options`."""

    context: Context
    query: MessageContent = None
    corpus: Reference | None = None
    limit: RequestLimit | None = None
    max_tokens: RequestLimit | None = None
    options: JsonObject | None = None


class RagFlowResult(Contract):
    """The selection, and its Context once more under the name that all flows have."""

    output: ContextSelection
    context: Context


async def run_rag_flow(runtime: Invoker, input: Any) -> RagFlowResult:  # noqa: A002  # the field's word
    """SELECT for a model with the rag strategy, which the CONTEXT Worker must have been given.

    Raises InvalidInputError, ContextError (STRATEGY_UNAVAILABLE without a strategy) and what the runtime raises.
    """
    request = RagFlowInput.parse(input)
    strategy = {"kind": "rag", "corpus": request.corpus, "options": request.options}
    given = {
        "context": request.context,
        "purpose": "infer",
        "query": request.query,
        "limit": request.limit,
        "maxTokens": request.max_tokens,
        "strategy": strategy,
    }
    output: ContextSelection = await runtime.invoke(CONTEXT_SELECT, given)
    return RagFlowResult(output=output, context=output.context)
