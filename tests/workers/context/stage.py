"""A runtime with a CONTEXT Worker for the tests, and the pieces that go through it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
import pytest

from ditto_core.contracts.context import Context, ContextItem, ContextSelection, Scope
from ditto_core.contracts.events import Event
from ditto_core.contracts.nodes import CONTEXT_COMPRESS, CONTEXT_LOAD, CONTEXT_SELECT
from ditto_core.errors import DittoError
from ditto_core.runtime.runtime import Ditto
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.workers.context.ports import ContextServices
from ditto_core.workers.context.worker import create_context_worker

T = TypeVar("T")
SESSION = {"sessionId": "s"}


def item(item_id: str, content: Any = None, **metadata: Any) -> ContextItem:
    """An item; without content it says its id."""
    given = {"id": item_id, "content": item_id if content is None else content}
    return ContextItem.parse({**given, "metadata": metadata} if metadata else given)


def items(*ids: str) -> Context:
    return Context(items=tuple(item(each) for each in ids))


def context(*given: ContextItem) -> Context:
    return Context(items=given)


def ids(of: Context | ContextSelection) -> list[str]:
    found = of.context if isinstance(of, ContextSelection) else of
    return [each.id for each in found.items]


@asynccontextmanager
async def stage(
    policy: dict[str, Any] | None = None,
    sandbox: Sandbox | None = None,
    events: Callable[[Event], None] | None = None,
    **services: Any,
) -> AsyncIterator[Ditto]:
    """A runtime whose only Worker is CONTEXT."""
    worker = create_context_worker(policy, ContextServices(**services))
    async with Ditto(workers=[worker], sandbox=sandbox, events=events) as runtime:
        yield runtime


async def invoke(node: str, given: Any, policy: dict[str, Any] | None = None, **services: Any) -> Any:
    async with stage(policy, **services) as runtime:
        return await runtime.invoke(node, given)


async def load(*sources: Any, policy: dict[str, Any] | None = None, **services: Any) -> Context:
    result: Context = await invoke(CONTEXT_LOAD, {"sources": list(sources)}, policy, **services)
    return result


async def select(of: Context, policy: dict[str, Any] | None = None, **given: Any) -> ContextSelection:
    """A selection for a model, unless `purpose` says otherwise. `services` goes to the Worker."""
    services = given.pop("services", {})
    body = {"context": of, "purpose": "infer", **given}
    result: ContextSelection = await invoke(CONTEXT_SELECT, body, policy, **services)
    return result


async def compress(of: Context, policy: dict[str, Any] | None = None, **given: Any) -> Context:
    services = given.pop("services", {})
    result: Context = await invoke(CONTEXT_COMPRESS, {"context": of, **given}, policy, **services)
    return result


async def code_of(call: Coroutine[Any, Any, Any]) -> str:
    """The code of the error that a call must raise."""
    with pytest.raises(DittoError) as caught:
        await call
    return caught.value.code


def finished(function: Callable[..., Coroutine[Any, Any, T]], *arguments: Any) -> T:
    """What an async function returns, for property tests."""
    return anyio.run(function, *arguments)


def scope(key: Iterable[str | None]) -> Scope:
    session, turn, invocation = key
    return Scope(session_id=session, turn_id=turn, invocation_id=invocation)
