"""The CONTEXT Worker: what a model may see, kept within a policy.

What a Node needs is imported with its first call: most commands register this Worker and never call it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from ditto_core.contracts.context import (
    Context,
    ContextCompressInput,
    ContextLoadInput,
    ContextSelectInput,
    ContextSelection,
    ContextUpdateInput,
)
from ditto_core.contracts.nodes import CONTEXT_COMPRESS, CONTEXT_LOAD, CONTEXT_SELECT, CONTEXT_UPDATE
from ditto_core.runtime.worker import WorkerContext, WorkerDefinition, define_worker
from ditto_core.settings.schema_workers import ContextPolicySettings

if TYPE_CHECKING:
    from ditto_core.workers.context.ports import ContextServices
    from ditto_core.workers.context.state import ScopedState


def create_context_worker(
    policy: ContextPolicySettings | Mapping[str, Any] | None = None, services: ContextServices | None = None
) -> WorkerDefinition:
    """A Worker for CONTEXT.LOAD, UPDATE, SELECT and COMPRESS.

    Without a `policy` the one of the configuration counts (`workers.context.policy`). `services` are what it can do
    beyond plain data: strategies, a resolver, a state store and its queue. Replicas share them. Raises
    InvalidInputError for an invalid policy.
    """
    own = None if policy is None else ContextPolicySettings.parse(policy, what="policy")
    nodes = _Nodes(own, services)
    return define_worker(
        type="CONTEXT",
        nodes={
            CONTEXT_LOAD: nodes.load,
            CONTEXT_UPDATE: nodes.update,
            CONTEXT_SELECT: nodes.select,
            CONTEXT_COMPRESS: nodes.compress,
        },
    )


class _Nodes:
    """The handlers."""

    def __init__(self, policy: ContextPolicySettings | None, services: ContextServices | None) -> None:
        self._own_policy = policy
        self._given_services = services

    async def load(self, given: ContextLoadInput, ctx: WorkerContext) -> Context:
        from ditto_core.workers.context.load import load_context
        from ditto_core.workers.context.policy import check_limits

        policy = self._policy(ctx)
        if given.sources is None:
            assert given.scope is not None  # noqa: S101  # one of the two, by contract
            stored = await self._state.read(given.scope)
            check_limits(stored.items, policy)
            return stored
        resolver = self._services.resolver
        loaded = await load_context(given.sources, policy, resolve=given.resolve_references, resolver=resolver)
        return loaded if given.scope is None else await self._state.replace(given.scope, loaded)

    async def update(self, given: ContextUpdateInput, ctx: WorkerContext) -> Context:
        from ditto_core.workers.context.update import update_context

        policy = self._policy(ctx)

        async def updated(context: Context) -> Context:
            return update_context(context, given, policy)

        return await self._changed(given, updated)

    async def select(self, given: ContextSelectInput, ctx: WorkerContext) -> ContextSelection:
        from ditto_core.workers.context.budget import budget_of
        from ditto_core.workers.context.select import select_context

        services = self._services
        budget = budget_of(given.limit, given.max_tokens, self._policy(ctx), services.token_estimator)
        context = given.context if given.scope is None else await self._state.read(given.scope)
        assert context is not None  # noqa: S101  # one of the two, by contract
        return await select_context(context, given, budget, services, ctx)

    async def compress(self, given: ContextCompressInput, ctx: WorkerContext) -> Context:
        from ditto_core.workers.context.budget import budget_of
        from ditto_core.workers.context.compress import compress_context
        from ditto_core.workers.context.policy import check_limits

        services, policy = self._services, self._policy(ctx)
        budget = budget_of(given.max_items, given.max_tokens, policy, services.token_estimator)

        async def compressed(context: Context) -> Context:
            after = await compress_context(context, budget, services.compressor)
            check_limits(after.items, policy)
            return after

        return await self._changed(given, compressed)

    async def _changed(
        self, given: ContextUpdateInput | ContextCompressInput, change: Callable[[Context], Awaitable[Context]]
    ) -> Context:
        """What `change` makes of the given context, or of the state under the scope, which it replaces."""
        if given.scope is not None:
            return await self._state.change(given.scope, given.expected_version, change)
        assert given.context is not None  # noqa: S101  # one of the two, by contract
        return await change(given.context)

    def _policy(self, ctx: WorkerContext) -> ContextPolicySettings:
        return self._own_policy or ctx.services.config.settings.workers.context.policy

    @property
    def _services(self) -> ContextServices:
        from ditto_core.workers.context.ports import ContextServices

        return self._given_services or ContextServices()

    @property
    def _state(self) -> ScopedState:
        from ditto_core.workers.context.state import ScopedState

        return ScopedState(self._services.state_store, self._services.queue)
