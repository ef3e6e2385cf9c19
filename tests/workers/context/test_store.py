"""The store in memory, against a plain model, with a clock that the test turns."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from ditto_core.contracts.context import Context, Scope
from ditto_core.errors import InvalidInputError
from ditto_core.workers.context.ports import StoredContext
from ditto_core.workers.context.store import InMemoryStateStore
from tests.workers.context.stage import items, scope

pytestmark = pytest.mark.anyio


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


A, B, C = (Scope(session_id=name) for name in "abc")


async def write(store: InMemoryStateStore, where: Scope, *ids: str) -> bool:
    """Writes over whatever is there."""
    before = await store.read(where)
    return await store.compare_and_set(where, items(*ids), before.version if before else None)


async def kept(store: InMemoryStateStore, *scopes: Scope) -> list[Scope]:
    return [each for each in scopes if await store.read(each) is not None]


async def test_what_was_written_is_read_with_a_version_that_grows() -> None:
    store = InMemoryStateStore()
    assert await store.read(A) is None
    assert await store.compare_and_set(A, items("1"), None)
    first = await store.read(A)
    assert first == StoredContext(items("1"), 1)
    assert await store.compare_and_set(A, items("2"), 1)
    assert await store.read(A) == StoredContext(items("2"), 2)


@pytest.mark.parametrize("expected", [0, 2, None])
async def test_another_version_than_expected_writes_nothing(expected: int | None) -> None:
    store = InMemoryStateStore()
    await write(store, A, "1")
    assert not await store.compare_and_set(A, items("2"), expected)
    assert await store.read(A) == StoredContext(items("1"), 1)


async def test_a_version_is_expected_of_nothing_in_vain() -> None:
    assert not await InMemoryStateStore().compare_and_set(A, items(), 1)


@pytest.mark.parametrize(
    "other",
    [
        Scope(session_id="s"),
        Scope(turn_id="t"),
        Scope(session_id="t", turn_id="s"),
        Scope(session_id="s", turn_id="t", invocation_id="i"),
        Scope(session_id="s", invocation_id="t"),
    ],
)
async def test_the_exact_tuple_is_the_key(other: Scope) -> None:
    store = InMemoryStateStore()
    await write(store, Scope(session_id="s", turn_id="t"), "1")
    assert await store.read(other) is None
    assert await store.read(Scope.parse({"sessionId": "s", "turnId": "t", "invocationId": None})) is not None


async def test_a_scope_ends_an_hour_after_its_last_write_and_reading_does_not_prolong_it() -> None:
    clock = Clock()
    store = InMemoryStateStore(clock=clock)
    await write(store, A)
    clock.now += 1800
    await write(store, A)
    clock.now += 3599
    assert await store.read(A) is not None
    clock.now += 1
    assert await store.read(A) is None


async def test_a_scope_that_comes_back_never_has_an_old_version_again() -> None:
    clock = Clock()
    store = InMemoryStateStore(ttl_ms=1000, clock=clock)
    await write(store, A, "old")
    clock.now += 1
    await write(store, A, "new")
    assert not await store.compare_and_set(A, items(), 1)


async def test_the_least_recently_used_scope_goes_first_and_reading_is_using() -> None:
    store = InMemoryStateStore(max_entries=2)
    await write(store, A)
    await write(store, B)
    await store.read(A)
    await write(store, C)
    assert await kept(store, A, B, C) == [A, C]


async def test_what_has_expired_makes_room_before_anything_alive_does() -> None:
    clock = Clock()
    store = InMemoryStateStore(max_entries=2, ttl_ms=1000, clock=clock)
    await write(store, A)
    clock.now += 0.6
    await write(store, B)
    await store.read(A)
    clock.now += 0.6
    await write(store, C)
    assert await kept(store, A, B, C) == [B, C]


async def test_by_default_a_thousand_scopes_are_kept() -> None:
    store = InMemoryStateStore()
    for number in range(1001):
        await store.compare_and_set(Scope(turn_id=str(number)), items(), None)
    assert len(store) == 1000
    assert await store.read(Scope(turn_id="0")) is None
    assert await store.read(Scope(turn_id="1")) is not None


@pytest.mark.parametrize("limits", [{"max_entries": 0}, {"ttl_ms": 0}, {"ttl_ms": -1}])
def test_limits_are_positive(limits: Any) -> None:
    with pytest.raises(InvalidInputError):
        InMemoryStateStore(**limits)


keys = st.tuples(st.sampled_from("ab"), st.sampled_from(["t", None]), st.none())


class StoreAgainstModel(RuleBasedStateMachine):
    """Reads, writes and time in any order: the store agrees with a dictionary and a list of uses."""

    MOST, TTL = 2, 10

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.store = InMemoryStateStore(max_entries=self.MOST, ttl_ms=self.TTL * 1000, clock=self.clock)
        self.model: dict[Any, tuple[Context, int, float]] = {}  # the least recently used key first
        self.writes = 0

    def expire(self) -> None:
        self.model = {key: each for key, each in self.model.items() if each[2] > self.clock.now}

    @rule(seconds=st.integers(1, 6))
    def time_passes(self, seconds: int) -> None:
        self.clock.now += seconds

    @rule(key=keys)
    def read(self, key: Any) -> None:
        self.expire()
        found = anyio.run(self.store.read, scope(key))
        if key not in self.model:
            assert found is None
            return
        assert found == StoredContext(*self.model[key][:2])
        self.model[key] = self.model.pop(key)

    @rule(key=keys, fresh=st.booleans(), content=st.sampled_from("xyz"))
    def write(self, key: Any, fresh: bool, content: str) -> None:
        self.expire()
        there = self.model[key][1] if key in self.model else None
        expected = there if fresh else (there or 0) + 1
        written = anyio.run(self.store.compare_and_set, scope(key), items(content), expected)
        assert written == (expected == there)
        if written:
            self.writes += 1
            self.model.pop(key, None)
            self.model[key] = (items(content), self.writes, self.clock.now + self.TTL)
            while len(self.model) > self.MOST:
                del self.model[next(iter(self.model))]

    @invariant()
    def no_more_is_kept_than_allowed(self) -> None:
        assert len(self.store) <= self.MOST


TestStoreAgainstModel = StoreAgainstModel.TestCase
TestStoreAgainstModel.settings = settings(max_examples=25, stateful_step_count=20, deadline=None)
