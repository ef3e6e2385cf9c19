"""Contexts kept in memory, by scope."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from ditto_core.contracts.context import Context, Scope
from ditto_core.errors import InvalidInputError
from ditto_core.workers.context.ports import StoredContext

ScopeKey: TypeAlias = tuple[str | None, str | None, str | None]


def scope_key(scope: Scope) -> ScopeKey:
    """The exact tuple that addresses a scope."""
    return scope.session_id, scope.turn_id, scope.invocation_id


class _Entry(NamedTuple):
    """What is kept, until a time of the clock."""

    stored: StoredContext
    expires: float


class InMemoryStateStore:
    """A StateStore for one process.

    At most `max_entries` scopes, each for `ttl_ms` milliseconds after its last write; when there is no room, expired
    ones go, then the least recently read or written. Versions are counted over all scopes, so one that came back after
    it had gone never has an old version again. `clock` gives seconds and never runs backwards.
    """

    def __init__(
        self, *, max_entries: int = 1000, ttl_ms: int = 3_600_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        for name, value in (("max_entries", max_entries), ("ttl_ms", ttl_ms)):
            if value < 1:
                raise InvalidInputError("must be a positive whole number", path=name)
        self._max_entries = max_entries
        self._ttl = ttl_ms / 1000
        self._clock = clock
        self._entries: OrderedDict[ScopeKey, _Entry] = OrderedDict()
        self._version = 0

    def __len__(self) -> int:
        """The scopes that are kept, the expired ones included until they are met."""
        return len(self._entries)

    async def read(self, scope: Scope) -> StoredContext | None:
        """What is stored, or None. It counts as a use, and does not extend the time to live."""
        key = scope_key(scope)
        entry = self._live(key)
        if entry is None:
            return None
        self._entries.move_to_end(key)
        return entry.stored

    async def compare_and_set(self, scope: Scope, context: Context, expected: int | None) -> bool:
        """Writes when the version there still is `expected` (None: nothing is there), and says whether it did."""
        key = scope_key(scope)
        entry = self._live(key)
        if (entry.stored.version if entry else None) != expected:
            return False
        self._version += 1
        self._entries[key] = _Entry(StoredContext(context, self._version), self._clock() + self._ttl)
        self._entries.move_to_end(key)
        self._make_room()
        return True

    def _live(self, key: ScopeKey) -> _Entry | None:
        entry = self._entries.get(key)
        if entry is not None and entry.expires <= self._clock():
            del self._entries[key]
            return None
        return entry

    def _make_room(self) -> None:
        if len(self._entries) <= self._max_entries:
            return
        now = self._clock()
        for key in [key for key, entry in self._entries.items() if entry.expires <= now]:
            del self._entries[key]
        while len(self._entries) > self._max_entries:
            self._entries.popitem(last=False)
