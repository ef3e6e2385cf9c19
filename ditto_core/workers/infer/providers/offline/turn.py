"""Which declared actions a turn calls for: what the person named, and what the results lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from ditto_core.workers.infer.providers.offline.action import ActionKind, arguments, find_action, named_actions
from ditto_core.workers.infer.providers.offline.listing import worth_a_look
from ditto_core.workers.infer.providers.offline.path import folder_of, is_readme
from ditto_core.workers.infer.providers.offline.request import Wish
from ditto_core.workers.infer.providers.offline.talk import Seen, Talk

MOST_ACTIONS = 14
"""Actions for one request: below `runtime.react.maxActionCalls`, whose default is 16."""

Wanted: TypeAlias = tuple[str, Mapping[str, Any]]
"""The name and the arguments of an action to ask for."""

_MISSING = re.compile(r"not.?found|no such|not exist|missing", re.IGNORECASE)
_DENIED = re.compile(r"PERMISSION_DENIED|not permitted")
_NOT_A_FILE = re.compile(r"folder|directory|not.?a.?file", re.IGNORECASE)


def next_requests(talk: Talk) -> list[Wanted]:
    """What to ask for now; nothing when it is time to answer."""
    return pending(talk)[: max(0, MOST_ACTIONS - len(talk.seen))]


def pending(talk: Talk) -> list[Wanted]:
    """All that is still to be asked for, each once: what was requested before is not, however it ended."""
    found: list[Wanted] = []
    for wish in talk.request.wishes:
        found += [*_asked_for(wish, talk), *(call for seen in talk.seen for call in _led_to(seen, wish, talk))]
    return [call for at, call in enumerate(found[:200]) if call not in found[:at]]


def _want(talk: Talk, kind: ActionKind, value: str, within: Sequence[str] = ()) -> Iterator[Wanted]:
    """The request, unless it was made before or nothing declared can do it."""
    action = find_action(kind, talk.actions)
    if action and not any(seen.kind == kind and seen.value == value for seen in talk.seen):
        yield action.name, arguments(kind, action, value, within)


def _asked_for(wish: Wish, talk: Talk) -> Iterator[Wanted]:
    """What the person's own words call for."""
    paths = [target.path for target in wish.targets]
    named = [(action.name, given) for action, given in named_actions(wish.words, paths, talk.actions)]
    if named or wish.tool or wish.intent == "beyond":
        yield from named if not talk.seen else ()
    elif wish.intent == "web":
        yield from _want(talk, "web", wish.needle)
    elif wish.intent == "search" and wish.needle and find_action("search", talk.actions):
        yield from _want(talk, "search", wish.needle, paths)
    else:
        for target in talk.unheld(wish.targets):
            yield from _want(talk, target.verb, folder_of(target.path) if target.is_pattern else target.path)


def _led_to(seen: Seen, wish: Wish, talk: Talk) -> Iterator[Wanted]:
    """What a result calls for: a folder taken for a file, a README of another name, the files of a folder."""
    if seen.kind == "read" and not seen.ok:
        missing = bool(_MISSING.search(seen.text))
        if missing and is_readme(seen.value):
            yield from _want(talk, "list", folder_of(seen.value))
        elif not missing and not _DENIED.search(seen.text) and _NOT_A_FILE.search(seen.text):
            yield from _want(talk, "list", seen.value)
    elif seen.kind == "list" and seen.ok:
        for path in _paths_to_read(wish, seen):
            yield from _want(talk, "read", path)


def _paths_to_read(wish: Wish, listed: Seen) -> Iterator[str]:
    """The files of a listed folder that a wish is about: its matches, its README, or a look at each."""
    for target in wish.targets:
        if target.is_pattern:
            matches = {path: entry for path, entry in listed.files.items() if target.covers(path)}
            yield from worth_a_look(matches) if wish.intent == "list" else matches
        elif target.path == listed.value:
            yield from worth_a_look(listed.files)
        elif is_readme(target.path) and folder_of(target.path) == listed.value:
            yield from [*filter(is_readme, listed.files)][:1] or worth_a_look(listed.files)
