"""The policy: what is granted, and the one function that decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from ditto_core.errors import InvalidInputError, PermissionDeniedError
from ditto_core.sandbox.grants import COMMAND_TOOLS, covering, grant_field, how_to_grant, name_set
from ditto_core.sandbox.origins import normalise_origin
from ditto_core.sandbox.paths import PathRefusedError, relative_path
from ditto_core.sandbox.rules import Rule, as_kind
from ditto_core.sandbox.secrets import is_protected, is_secret
from ditto_core.sandbox.text import clean_line, is_clean_line
from ditto_core.settings.rules import PATH_KINDS, Kind

_NOTHING_GRANTS = "Nothing can grant this."
_IMPLIED_TOOLS: dict[Kind, frozenset[str]] = {"write": frozenset({"write_text"}), "execute": COMMAND_TOOLS}
_NO_SOURCES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, init=False)
class SandboxPolicy:
    """What may be done; by default nothing. A snapshot: later changes of what was passed in have no effect.

    `read`, `write` and `execute` are booleans. `tools`, `mcp`, `skills` and `network` hold exact names or `*`
    (mcp: `server` or `server/tool`; network: `scheme://host[:port]`). `secret_files` are relative paths of secret
    files that may be read after all, named one by one. `deny` and `ask` are rules or their texts `kind:PATTERN`.
    `sources` says where a grant came from: `read` or `tool:read_text` → `profile read-only`, `--allow-tool`, …
    """

    read: bool
    write: bool
    execute: bool
    tools: frozenset[str]
    mcp: frozenset[str]
    skills: frozenset[str]
    network: frozenset[str]
    secret_files: frozenset[str]
    deny: tuple[Rule, ...]
    ask: tuple[Rule, ...]
    sources: Mapping[str, str] = field(compare=False, repr=False)

    def __init__(  # noqa: PLR0913  # a keyword-only constructor, written by hand because it takes any iterable of names
        self,
        *,
        read: bool = False,
        write: bool = False,
        execute: bool = False,
        tools: Iterable[str] = (),
        mcp: Iterable[str] = (),
        skills: Iterable[str] = (),
        network: Iterable[str] = (),
        secret_files: Iterable[str] = (),
        deny: Iterable[Rule | str] = (),
        ask: Iterable[Rule | str] = (),
        sources: Mapping[str, str] = _NO_SOURCES,
    ) -> None:
        checked: dict[str, Any] = {
            **_switches(read=read, write=write, execute=execute),
            "tools": name_set("tool", tools),
            "mcp": name_set("mcp", mcp),
            "skills": name_set("skill", skills),
            "network": name_set("network", network),
            "secret_files": _secret_files(secret_files),
            "deny": _rules(deny),
            "ask": _rules(ask),
            "sources": MappingProxyType(dict(sources)),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def granting(self, kind: str, name: str = "", *, source: str = "") -> SandboxPolicy:
        """Returns a policy that also grants `name`, as the flag `--allow-KIND NAME` does.

        Granting write also grants the tool write_text; granting execute also the read-only commands.
        """
        known = as_kind(kind)
        added = f"{known}:{normalise_origin(name) if known == 'network' and name != '*' else name}"
        implied = _IMPLIED_TOOLS.get(known, frozenset())
        changes: dict[str, Any] = {"tools": self.tools | implied}
        if known in ("read", "write", "execute"):
            added = known
            changes[known] = True
        else:
            changes[grant_field(known)] = getattr(self, grant_field(known)) | {added.partition(":")[2]}
        sources = dict.fromkeys((added, *(f"tool:{tool}" for tool in implied)), source)
        return replace(self, sources={**self.sources, **sources}, **changes)


class Decision(NamedTuple):
    """What was decided, by which rule, and where the rule came from (`built-in`, `ditto.yaml:12`, `--allow-tool`, …).

    `askable` marks a denial that a person, if there is one, may lift: an ask rule, or nothing matched. `by_name` marks
    an allowance that named exactly this, not `*`. `hint` says how to get what was denied, or that nothing can grant it.
    """

    allowed: bool
    kind: Kind
    name: str
    rule: str
    source: str
    askable: bool = False
    by_name: bool = False
    hint: str | None = None

    def require(self) -> None:
        """Raises PermissionDeniedError unless allowed."""
        if not self.allowed:
            rule = f"{self.rule}, {self.source}" if self.source else self.rule
            raise PermissionDeniedError(self.kind, clean_line(self.name), rule=rule, hint=self.hint)


def decide(policy: SandboxPolicy, kind: str, name: str = "") -> Decision:
    """Decides one action. Order: built-in denials, deny, ask (a denial here: there is nobody to ask), allow, nothing.

    `name` is a path relative to the workspace for read and write, a program for execute, `server` or `server/tool`
    for mcp, an origin for network. read, write and execute may be asked without a name. An unknown kind is
    InvalidInputError.
    """
    known = as_kind(kind)
    try:
        name = _normal(known, name)
    except _UnusableNameError as error:
        return Decision(False, known, name, error.rule, "built-in", hint=error.hint)
    return (
        _built_in(policy, known, name)
        or _denied(policy, known, name)
        or _asked(policy, known, name)
        or _allowed(policy, known, name)
        or Decision(False, known, name, "not granted", "", askable=True, hint=how_to_grant(known, clean_line(name)))
    )


class _UnusableNameError(Exception):
    def __init__(self, rule: str, hint: str) -> None:
        super().__init__(rule)
        self.rule = rule
        self.hint = hint


def _normal(kind: Kind, name: str) -> str:
    if kind in PATH_KINDS:
        try:
            return relative_path(name)
        except PathRefusedError as error:
            raise _UnusableNameError(
                str(error), "Name a path inside the workspace; nothing can grant others."
            ) from None
    if kind == "network":
        try:
            return normalise_origin(name)
        except InvalidInputError as error:
            raise _UnusableNameError(error.message, error.hint or "") from None
    if kind != "execute" and (not name.strip() or not is_clean_line(name)):
        raise _UnusableNameError("this is not a name", _NOTHING_GRANTS)
    return name


def _built_in(policy: SandboxPolicy, kind: Kind, name: str) -> Decision | None:
    if kind == "write" and is_protected(name):
        return Decision(False, kind, name, "protected file", "built-in", hint=f"{_NOTHING_GRANTS} Change it by hand.")
    if kind == "read" and is_secret(name) and name not in policy.secret_files:
        hint = f"Grant this one file with --allow-secret-file {name}."
        return Decision(False, kind, name, "secret file", "built-in", hint=clean_line(hint, 400))
    return None


def _denied(policy: SandboxPolicy, kind: Kind, name: str) -> Decision | None:
    rule = _first(policy.deny, kind, name)
    if rule is None:
        return None
    hint = f"A deny rule wins over every grant. Remove {rule} where it was written."
    return Decision(False, kind, name, f"deny {rule}", rule.source, hint=hint)


def _asked(policy: SandboxPolicy, kind: Kind, name: str) -> Decision | None:
    rule = _first(policy.ask, kind, name)
    if rule is None:
        return None
    hint = f"The rule {rule} wants a person to be asked, and there is nobody to ask. Remove it where it was written."
    return Decision(False, kind, name, f"ask {rule}", rule.source, askable=True, hint=hint)


def _allowed(policy: SandboxPolicy, kind: Kind, name: str) -> Decision | None:
    if kind in ("read", "write", "execute"):
        granted = {"read": policy.read, "write": policy.write, "execute": policy.execute}[kind]
        return Decision(True, kind, name, f"allow {kind}", policy.sources.get(kind, "")) if granted else None
    names = {"tool": policy.tools, "mcp": policy.mcp, "skill": policy.skills, "network": policy.network}[kind]
    grant = covering(names, kind, name)
    if grant is None:
        return None
    rule = f"{kind}:{grant}"
    return Decision(True, kind, name, f"allow {rule}", policy.sources.get(rule, ""), by_name=grant != "*")


def _first(rules: tuple[Rule, ...], kind: Kind, name: str) -> Rule | None:
    return next((rule for rule in rules if rule.kind == kind and rule.matches(name)), None)


def _switches(**switches: object) -> dict[str, object]:
    for name, value in switches.items():
        if not isinstance(value, bool):
            raise InvalidInputError(f"{name} is true or false, not {clean_line(repr(value), 40)}", path=name)
    return switches


def _secret_files(values: Iterable[str]) -> frozenset[str]:
    paths = name_set("read", values)
    if "*" in paths:
        raise InvalidInputError("secret files are named one by one, not with *", path="secret_files")
    try:
        return frozenset(relative_path(path) for path in paths)
    except PathRefusedError as error:
        raise InvalidInputError(f"{error}; name secret files relative to the workspace", path="secret_files") from None


def _rules(values: Iterable[Rule | str]) -> tuple[Rule, ...]:
    if isinstance(values, str):
        raise InvalidInputError("rules are a list of kind:PATTERN texts, not one text")
    return tuple(value if isinstance(value, Rule) else Rule.parse(value) for value in values)


READ_ONLY = SandboxPolicy(
    read=True,
    tools=("read_text", "list_dir", "search_text", "load_skill"),
    mcp=("files",),
    sources={
        "read": "profile read-only",
        "tool:read_text": "profile read-only",
        "tool:list_dir": "profile read-only",
        "tool:search_text": "profile read-only",
        "tool:load_skill": "profile read-only",
        "mcp:files": "profile read-only",
    },
)
"""What the command line starts from. The library starts from `SandboxPolicy()`."""
