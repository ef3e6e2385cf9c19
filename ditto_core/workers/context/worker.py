"""The CONTEXT Worker: what a model may see, kept within a policy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ditto_core.contracts.context import Context, ContextUpdateInput
from ditto_core.contracts.nodes import CONTEXT_UPDATE
from ditto_core.errors import ContextError
from ditto_core.runtime.worker import WorkerContext, WorkerDefinition, define_worker
from ditto_core.settings.schema_workers import ContextPolicySettings
from ditto_core.workers.context.update import update_context


def create_context_worker(policy: ContextPolicySettings | Mapping[str, Any] | None = None) -> WorkerDefinition:
    """A Worker for CONTEXT.UPDATE on a context that is given whole.

    Without a `policy` the one of the configuration counts (`workers.context.policy`). It has no state store, so a
    `scope` is a ContextError STATE_STORE_UNAVAILABLE. Raises InvalidInputError for an invalid policy.
    """
    own = None if policy is None else ContextPolicySettings.parse(policy, what="policy")

    async def update(given: ContextUpdateInput, ctx: WorkerContext) -> Context:
        if given.context is None:
            raise ContextError(
                "a scope needs a state store, and this Worker has none",
                code="STATE_STORE_UNAVAILABLE",
                hint="Give the context itself.",
            )
        return update_context(given.context, given, own or ctx.services.config.settings.workers.context.policy)

    return define_worker(type="CONTEXT", nodes={CONTEXT_UPDATE: update})
