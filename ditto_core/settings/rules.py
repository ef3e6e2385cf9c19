"""The words of a policy rule: `KIND:PATTERN`."""

from typing import Annotated, Final, Literal, TypeAlias, get_args

from ditto_core.contracts.check import After
from ditto_core.nearest import did_you_mean
from ditto_core.settings.origin import parse_origin

Kind: TypeAlias = Literal["read", "write", "execute", "tool", "mcp", "skill", "network"]
"""What can be permitted."""

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
PATH_KINDS: Final = frozenset({"read", "write"})

MAX_PATTERN: Final = 1024
"""Characters of one pattern. Matching costs pattern length times name length."""


def parse_rule(text: str) -> tuple[Kind, str]:
    """The kind and the pattern of a rule, as in `read:docs/private/**` or `network:https://example.com`.

    In a pattern `*` stands for anything within a segment and `**` for anything across segments.
    Raises ValueError, which does not quote the pattern, also for one that could never match anything.
    """
    kind, colon, pattern = text.partition(":")
    if not colon:
        raise ValueError(f"a rule is KIND:PATTERN, KIND one of {', '.join(KINDS)}")
    if kind not in KINDS:
        hint = did_you_mean(kind, KINDS) or f"It is one of {', '.join(KINDS)}."
        raise ValueError(f"unknown kind of rule before the colon. {hint}")
    check_pattern(kind, pattern)
    return kind, pattern


def check_pattern(kind: Kind, pattern: str) -> None:
    """Raises ValueError, which does not quote the pattern, for one that is malformed or could never match anything."""
    if not pattern or pattern != pattern.strip():
        raise ValueError("the pattern after the colon is empty or has white space around it")
    if not pattern.isprintable():
        raise ValueError("the pattern holds a control character")
    if len(pattern) > MAX_PATTERN:
        raise ValueError(f"the pattern is longer than {MAX_PATTERN} characters")
    if kind in PATH_KINDS:
        _check_path(pattern)
    if kind == "network":
        _check_origin(pattern)


def _check_path(pattern: str) -> None:
    if pattern.startswith(("/", "~")) or ".." in pattern.split("/"):
        raise ValueError("the rule matches nothing: paths of rules are relative to the workspace, without '..'")


def _check_origin(pattern: str) -> None:
    if pattern in ("*", "**"):
        return
    if "://" not in pattern:
        raise ValueError("the rule matches nothing: write an origin, as in network:https://*.example.com")
    if "*" not in pattern:
        parse_origin(pattern)


def _checked(text: str) -> str:
    parse_rule(text)
    return text


PolicyRule: TypeAlias = Annotated[str, After(_checked)]
"""A rule as text, checked. `parse_rule` takes it apart."""
