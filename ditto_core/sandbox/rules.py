"""Rules `kind:PATTERN`, as in `runtime.policy.deny` and `runtime.policy.ask`."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import TypeAlias

from ditto_core.errors import InvalidInputError
from ditto_core.nearest import did_you_mean
from ditto_core.sandbox.secrets import fold
from ditto_core.settings.origin import parse_origin
from ditto_core.settings.rules import KINDS, PATH_KINDS, Kind, check_pattern

_Token: TypeAlias = str
# Tokens of more than one character stand for the wildcards; the others are literal characters.
_SEGMENT = "[^/]*"
_ANY = ".*"
_FOLDERS = "(.*/)?"
_FOLDERS_TAIL = ".*/"


def as_kind(text: str) -> Kind:
    """Returns `text` as a permission kind. Raises InvalidInputError with the nearest one."""
    if text in KINDS:
        return text
    hint = did_you_mean(text, KINDS) or f"Known kinds: {', '.join(KINDS)}."
    raise InvalidInputError(f"unknown permission kind {text!r}", hint=hint)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. `*` stays within a segment (between slashes), `**` crosses them, `kind:*` is everything of the kind.

    A rule covers what lies below what it matches: `read:docs` covers `docs/a.md`, `mcp:github` every tool of it.
    Paths are relative to the workspace and match without regard to case, because some file systems have none.
    `source` says where the rule was written, as in `ditto.yaml:12`.
    """

    kind: Kind
    pattern: str
    source: str = ""
    _tokens: tuple[_Token, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        pattern = _normal(as_kind(self.kind), self.pattern)
        object.__setattr__(self, "_tokens", _tokens(_folded(self.kind, pattern)))

    @classmethod
    def parse(cls, text: str, source: str = "") -> Rule:
        """Reads `kind:PATTERN`. Raises InvalidInputError; a pattern that could never match is refused, too."""
        kind, colon, pattern = text.partition(":")
        if not colon:
            raise InvalidInputError(
                f"the rule {text!r} has no kind", hint="Write it as kind:PATTERN, as in read:docs/**."
            )
        return cls(as_kind(kind.strip()), pattern.strip(), source)

    def __str__(self) -> str:
        return f"{self.kind}:{self.pattern}"

    def matches(self, name: str) -> bool:
        """Whether the rule covers `name`: a relative path, `server/tool`, an origin, or a plain name."""
        if self._tokens in ((_ANY,), (_SEGMENT,)):
            return True
        if self.kind == "execute" and "/" in name and _matches(self._tokens, posixpath.basename(name)):
            return True
        return _matches(self._tokens, _folded(self.kind, name))


def _normal(kind: Kind, pattern: str) -> str:
    """The pattern in its one spelling."""
    try:
        check_pattern(kind, pattern)
    except ValueError as error:
        raise InvalidInputError(f"a {kind} rule: {error}") from None
    if kind in PATH_KINDS:
        path = posixpath.normpath(pattern)
        return "**" if path == "." else path
    if kind == "network":
        return pattern.lower().rstrip("/") if "*" in pattern else parse_origin(pattern)
    return pattern


def _folded(kind: Kind, text: str) -> str:
    if kind in PATH_KINDS:
        return fold(text)
    return text.lower() if kind == "network" else text


def _tokens(pattern: str) -> tuple[_Token, ...]:
    while pattern.endswith("/**"):
        pattern = pattern.removesuffix("/**")  # a rule covers what is below anyway, and the folder itself belongs to it
    found: list[_Token] = []
    at = 0
    while at < len(pattern):
        starts_segment = at == 0 or pattern[at - 1] == "/"
        if starts_segment and pattern.startswith("**/", at):
            found += [_FOLDERS, _FOLDERS_TAIL]
            at += 3
        elif pattern.startswith("**", at):
            found.append(_ANY)
            at += 2
        else:
            found.append(_SEGMENT if pattern[at] == "*" else pattern[at])
            at += 1
    return tuple(found)


def _matches(tokens: tuple[_Token, ...], name: str) -> bool:
    """Runs the pattern as a set of states (Thompson's construction): no pattern can make it slower than linear."""
    end = len(tokens)
    states = _closure(tokens, {0})
    for character in name:
        if end in states and character == "/":
            return True
        states = _closure(tokens, {after for state in states for after in _step(tokens, state, character)})
        if not states:
            return False
    return end in states


def _step(tokens: tuple[_Token, ...], state: int, character: str) -> tuple[int, ...]:
    if state == len(tokens):
        return ()
    token = tokens[state]
    if token == _ANY or (token == _SEGMENT and character != "/"):
        return (state,)
    if token == _FOLDERS_TAIL:
        return (state, state + 1) if character == "/" else (state,)
    return (state + 1,) if token == character else ()


def _closure(tokens: tuple[_Token, ...], states: set[int]) -> set[int]:
    waiting = list(states)
    while waiting:
        state = waiting.pop()
        token = tokens[state] if state < len(tokens) else ""
        empty = {_ANY: (1,), _SEGMENT: (1,), _FOLDERS: (1, 2)}.get(token, ())
        for after in (state + jump for jump in empty):
            if after not in states:
                states.add(after)
                waiting.append(after)
    return states
