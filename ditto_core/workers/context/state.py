"""State under a scope: read, or read, changed and written back with compare-and-set."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from ditto_core.contracts.context import Context, Scope
from ditto_core.errors import ContextError, InvalidInputError
from ditto_core.workers.context.injected import injected
from ditto_core.workers.context.ports import StateQueue, StateStore, StoredContext


class ScopedState:
    """The store of one Worker, through its queue if there is one.

    Raises ContextError STATE_STORE_UNAVAILABLE, CONTEXT_NOT_FOUND, STATE_CONFLICT, INVALID_STATE or QUEUE_FULL. A lost
    race is not tried again: only the caller knows whether its change still makes sense.
    """

    def __init__(self, store: StateStore | None, queue: StateQueue | None) -> None:
        self._store = store
        self._queue = queue

    async def read(self, scope: Scope) -> Context:
        """What is stored."""
        store = self._available()
        async with self._turn(scope):
            return (await _existing(store, scope)).context

    async def replace(self, scope: Scope, context: Context) -> Context:
        """Stores `context`, whatever was there; the only way in which a scope begins."""
        store = self._available()
        async with self._turn(scope):
            before = await _stored(store, scope)
            await _write(store, scope, context, before.version if before else None)
        return context

    async def change(
        self, scope: Scope, expected: int | None, change: Callable[[Context], Awaitable[Context]]
    ) -> Context:
        """Stores what `change` makes of the context; when that fails, nothing is written."""
        store = self._available()
        async with self._turn(scope):
            before = await _existing(store, scope)
            if expected is not None and before.version != expected:
                raise _conflict()
            after = await change(before.context)
            await _write(store, scope, after, before.version)
        return after

    def _available(self) -> StateStore:
        if self._store is None:
            raise ContextError(
                "a scope needs a state store, and this Worker has none",
                code="STATE_STORE_UNAVAILABLE",
                hint="Give the context itself, or give create_context_worker a state_store.",
            )
        return self._store

    def _turn(self, scope: Scope) -> AbstractAsyncContextManager[None]:
        return nullcontext() if self._queue is None else self._queue.turn(scope)


async def _existing(store: StateStore, scope: Scope) -> StoredContext:
    found = await _stored(store, scope)
    if found is None:
        raise ContextError(
            "nothing is stored under this scope",
            code="CONTEXT_NOT_FOUND",
            hint="Begin it with CONTEXT.LOAD and sources; it may also have expired.",
        )
    return found


async def _stored(store: StateStore, scope: Scope) -> StoredContext | None:
    with injected("state store", "STATE_STORE_UNAVAILABLE"):
        found: Any = await store.read(scope)
    if found is None:
        return None
    if not isinstance(found, tuple) or len(found) != 2:
        raise _invalid("no pair of a context and its version")
    context, version = found
    if not isinstance(version, int) or isinstance(version, bool):
        raise _invalid("a version that is no whole number")
    try:
        return StoredContext(Context.project(context, what="state"), version)
    except InvalidInputError as error:
        raise _invalid(f"no valid context: {error.message}") from None


async def _write(store: StateStore, scope: Scope, context: Context, expected: int | None) -> None:
    with injected("state store", "STATE_STORE_UNAVAILABLE"):
        written = await store.compare_and_set(scope, context, expected)
    if not written:
        raise _conflict()


def _conflict() -> ContextError:
    return ContextError(
        "the state under this scope has another version by now",
        code="STATE_CONFLICT",
        hint="Read it again and decide anew; a queue for the Worker keeps its own jobs from racing.",
    )


def _invalid(what: str) -> ContextError:
    return ContextError(f"the state store gave {what}", code="INVALID_STATE")
