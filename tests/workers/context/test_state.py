"""State under a scope, through the Nodes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import pytest

from ditto_core.contracts.context import Context, Scope
from ditto_core.contracts.nodes import CONTEXT_COMPRESS, CONTEXT_LOAD, CONTEXT_SELECT, CONTEXT_UPDATE
from ditto_core.errors import ContextError
from ditto_core.runtime.runtime import Ditto
from ditto_core.workers.context.ports import StoredContext
from ditto_core.workers.context.queue import ContextQueue
from ditto_core.workers.context.store import InMemoryStateStore
from tests.workers.context.stage import SESSION, code_of, ids, item, items, stage

pytestmark = pytest.mark.anyio

WHERE = Scope(session_id="s")


class CountingStore(InMemoryStateStore):
    """A store that waits before each answer, so that others come between, and counts."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0
        self.writes: list[bool] = []
        self.between: Callable[[], Any] | None = None

    async def read(self, scope: Scope) -> StoredContext | None:
        self.reads += 1
        found = await super().read(scope)
        if self.between is not None:
            self.between()
        await anyio.lowlevel.checkpoint()
        return found

    async def compare_and_set(self, scope: Scope, context: Context, expected: int | None) -> bool:
        await anyio.lowlevel.checkpoint()
        self.writes.append(await super().compare_and_set(scope, context, expected))
        return self.writes[-1]


def add(*names: str, **more: Any) -> dict[str, Any]:
    return {"scope": SESSION, "add": [{"id": name, "content": name} for name in names], **more}


async def begin(runtime: Ditto, *names: str) -> Context:
    loaded: Context = await runtime.invoke(CONTEXT_LOAD, {"scope": SESSION, "sources": list(items(*names).items)})
    return loaded


async def stored(runtime: Ditto) -> list[str]:
    return ids(await runtime.invoke(CONTEXT_LOAD, {"scope": SESSION}))


async def test_loading_with_sources_stores_and_without_them_reads() -> None:
    async with stage(state_store=InMemoryStateStore()) as runtime:
        assert ids(await begin(runtime, "a", "b")) == ["a", "b"]
        assert await stored(runtime) == ["a", "b"]
        await begin(runtime, "c")
        assert await stored(runtime) == ["c"]


async def test_loading_no_sources_clears_and_the_scope_stays() -> None:
    async with stage(state_store=InMemoryStateStore()) as runtime:
        await begin(runtime, "a")
        await begin(runtime)
        assert await stored(runtime) == []
        await runtime.invoke(CONTEXT_UPDATE, add("b"))
        assert await stored(runtime) == ["b"]


async def test_update_and_compress_read_change_and_write_back() -> None:
    store = CountingStore()
    async with stage(state_store=store) as runtime:
        await begin(runtime, "a")
        assert ids(await runtime.invoke(CONTEXT_UPDATE, add("b"))) == ["a", "b"]
        assert ids(await runtime.invoke(CONTEXT_COMPRESS, {"scope": SESSION, "maxItems": 1})) == ["b"]
        assert await stored(runtime) == ["b"]
    assert store.writes == [True, True, True]


async def test_select_reads_and_writes_nothing() -> None:
    store = CountingStore()
    async with stage(state_store=store) as runtime:
        await begin(runtime, "a", "b")
        chosen = await runtime.invoke(CONTEXT_SELECT, {"scope": SESSION, "purpose": "infer", "limit": 1})
        assert ids(chosen) == ["a"]
        assert await stored(runtime) == ["a", "b"]
    assert store.writes == [True]


SCOPED = [
    (CONTEXT_LOAD, {"scope": SESSION}),
    (CONTEXT_UPDATE, add("a")),
    (CONTEXT_COMPRESS, {"scope": SESSION}),
    (CONTEXT_SELECT, {"scope": SESSION, "purpose": "infer"}),
]
STORING = (CONTEXT_LOAD, {"scope": SESSION, "sources": []})


@pytest.mark.parametrize(("node", "given"), SCOPED)
async def test_only_loading_sources_begins_a_scope(node: str, given: Any) -> None:
    store = InMemoryStateStore()
    async with stage(state_store=store) as runtime:
        assert await code_of(runtime.invoke(node, given)) == "CONTEXT_NOT_FOUND"
    assert len(store) == 0


async def test_there_is_no_parent_of_a_scope() -> None:
    async with stage(state_store=InMemoryStateStore()) as runtime:
        await begin(runtime, "a")
        inner = {"scope": {**SESSION, "turnId": "t"}}
        assert await code_of(runtime.invoke(CONTEXT_LOAD, inner)) == "CONTEXT_NOT_FOUND"


@pytest.mark.parametrize(("node", "given"), [*SCOPED, STORING])
async def test_a_scope_without_a_store_is_unavailable(node: str, given: Any) -> None:
    async with stage() as runtime:
        assert await code_of(runtime.invoke(node, given)) == "STATE_STORE_UNAVAILABLE"


async def test_an_update_that_fails_writes_nothing() -> None:
    store = CountingStore()
    async with stage({"maxItems": 1}, state_store=store) as runtime:
        await begin(runtime, "a")
        assert await code_of(runtime.invoke(CONTEXT_UPDATE, add("b"))) == "ITEM_LIMIT_EXCEEDED"
        assert await stored(runtime) == ["a"]
    assert store.writes == [True]


@pytest.mark.parametrize("node", [CONTEXT_UPDATE, CONTEXT_COMPRESS])
async def test_an_expected_version_must_be_the_one_that_is_there(node: str) -> None:
    store = InMemoryStateStore()
    async with stage(state_store=store) as runtime:
        await begin(runtime, "a")
        found = await store.read(WHERE)
        assert found is not None
        expected = {"scope": SESSION, "expectedVersion": found.version}
        await runtime.invoke(node, expected)
        assert await code_of(runtime.invoke(node, expected)) == "STATE_CONFLICT"


async def test_a_lost_race_is_told_and_not_tried_again() -> None:
    store = CountingStore()
    async with stage(state_store=store) as runtime:
        await begin(runtime, "a")
        before = store.reads
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                outcomes: list[Any] = []

                async def change(name: str) -> None:
                    try:
                        outcomes.append(ids(await runtime.invoke(CONTEXT_UPDATE, add(name))))
                    except ContextError as error:
                        outcomes.append(error.code)

                tasks.start_soon(change, "b")
                tasks.start_soon(change, "c")
        assert sorted(map(str, outcomes)) == sorted(["STATE_CONFLICT", str(await stored(runtime))])
        assert store.reads - before == 3  # one each, and the one of the line above
    assert store.writes == [True, True, False]


async def test_with_a_queue_jobs_of_one_scope_do_not_race() -> None:
    queue = ContextQueue()
    async with stage(state_store=CountingStore(), queue=queue) as runtime:
        await begin(runtime)
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                for name in "abcdef":
                    tasks.start_soon(runtime.invoke, CONTEXT_UPDATE, add(name))
        assert await stored(runtime) == list("abcdef")
    assert queue.pending == 0


async def test_a_full_queue_refuses_and_a_failed_job_leaves_it() -> None:
    store = CountingStore()
    async with stage(state_store=store, queue=ContextQueue(max_pending=1)) as runtime:
        for _ in range(3):
            assert await code_of(runtime.invoke(CONTEXT_UPDATE, add("a"))) == "CONTEXT_NOT_FOUND"
        with anyio.fail_after(10):
            async with anyio.create_task_group() as tasks:
                gate = anyio.Event()
                store.between = gate.set
                tasks.start_soon(begin, runtime)
                await gate.wait()
                assert await code_of(runtime.invoke(CONTEXT_UPDATE, add("a"))) == "QUEUE_FULL"


class BrokenStore:
    """A store that breaks, or gives what it should not."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    async def read(self, scope: Scope) -> Any:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer

    async def compare_and_set(self, scope: Scope, context: Context, expected: int | None) -> bool:
        raise ConnectionError("redis://user:hunter2@example.org")


@pytest.mark.parametrize(("node", "given"), [*SCOPED, STORING])
async def test_a_store_that_cannot_be_reached_is_unavailable_and_its_words_stay_inside(node: str, given: Any) -> None:
    async with stage(state_store=BrokenStore(ConnectionError("redis://user:hunter2@example.org"))) as runtime:
        with pytest.raises(ContextError) as caught:
            await runtime.invoke(node, given)
    assert caught.value.code == "STATE_STORE_UNAVAILABLE"
    assert "hunter2" not in caught.value.message


async def test_a_write_that_breaks_is_unavailable_too() -> None:
    async with stage(state_store=BrokenStore(None)) as runtime:
        assert await code_of(begin(runtime, "a")) == "STATE_STORE_UNAVAILABLE"


@pytest.mark.parametrize(
    "answer", [items("a"), (items("a"), "1"), (items("a"), True), ({"items": [{"id": ""}]}, 1), (None, 1), "ab"]
)
async def test_a_store_that_gives_no_context_with_a_version_has_an_invalid_state(answer: Any) -> None:
    async with stage(state_store=BrokenStore(answer)) as runtime:
        assert await code_of(runtime.invoke(CONTEXT_LOAD, {"scope": SESSION})) == "INVALID_STATE"


async def test_a_store_may_give_its_context_as_json() -> None:
    found = {"items": [{"id": "a", "content": "1", "later": "field"}], "more": 1}
    async with stage(state_store=BrokenStore((found, 7))) as runtime:
        assert await stored(runtime) == ["a"]


async def test_what_is_read_stays_within_a_policy_that_became_narrower() -> None:
    store = InMemoryStateStore()
    await store.compare_and_set(WHERE, items("a", "b"), None)
    async with stage({"maxItems": 1}, state_store=store) as runtime:
        assert await code_of(runtime.invoke(CONTEXT_LOAD, {"scope": SESSION})) == "ITEM_LIMIT_EXCEEDED"
        assert ids(await runtime.invoke(CONTEXT_COMPRESS, {"scope": SESSION})) == ["b"]
        assert await stored(runtime) == ["b"]


async def test_what_is_stored_is_protected_against_compressing_like_anything_else() -> None:
    store = InMemoryStateStore()
    await store.compare_and_set(WHERE, Context(items=(item("a", protected=True), item("b"))), None)
    async with stage(state_store=store) as runtime:
        failing = {"scope": SESSION, "maxItems": 0}
        assert await code_of(runtime.invoke(CONTEXT_COMPRESS, failing)) == "BUDGET_UNSATISFIABLE"
        assert await stored(runtime) == ["a", "b"]
