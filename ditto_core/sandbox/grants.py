"""Grants: exact names per kind, and which flag or variable gives one."""

from __future__ import annotations

from collections.abc import Iterable

from ditto_core.errors import InvalidInputError
from ditto_core.sandbox.origins import normalise_origin
from ditto_core.sandbox.text import clean_line, is_clean_line
from ditto_core.settings.rules import Kind
from ditto_core.settings.variables import ALLOW

COMMAND_TOOLS = frozenset(
    {"grep", "ls", "cat", "stat", "file", "find", "head", "tail", "wc", "sort", "uniq", "cut", "du", "pwd"}
)
"""The read-only commands. `--allow-execute` grants these tools with it."""

_FIELDS: dict[Kind, str] = {"tool": "tools", "mcp": "mcp", "skill": "skills", "network": "network"}


def grant_field(kind: Kind) -> str:
    """Returns the field of SandboxPolicy that holds the grants of a kind."""
    return _FIELDS.get(kind, kind)


def name_set(kind: Kind, values: Iterable[str]) -> frozenset[str]:
    """Returns the grants of one kind as exact names or `*`. Raises InvalidInputError on anything else."""
    if isinstance(values, str):
        raise InvalidInputError(f"the {kind} grants are one text", hint=f"Give a list or set, as in {{{values!r}}}.")
    return frozenset(_name(kind, value) for value in values)


def _name(kind: Kind, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or not is_clean_line(value):
        raise InvalidInputError(f"a {kind} grant is a name on one line, not {clean_line(repr(value), 80)}")
    name = value.strip()
    if name == "*":
        return name
    if "*" in name or (kind == "mcp" and "" in name.split("/", 1)):
        raise InvalidInputError(
            f"the {kind} grant {name!r} is not an exact name", hint="Grant single names, or * for all of the kind."
        )
    return normalise_origin(name) if kind == "network" else name


def covering(granted: frozenset[str], kind: Kind, name: str) -> str | None:
    """Returns the grant that covers `name`, the most exact one, or None.

    A grant of an MCP server covers its tools. A grant of one tool covers the bare server name, which stands for
    starting the server and asking what it offers.
    """
    server, slash, _ = name.partition("/")
    candidates = [name, server] if kind == "mcp" and slash else [name]
    found = next((candidate for candidate in candidates if candidate in granted and candidate != "*"), None)
    if found is None and kind == "mcp" and not slash:
        found = min((grant for grant in granted if grant.startswith(f"{name}/")), default=None)
    return found or ("*" if "*" in granted else None)


def how_to_grant(kind: Kind, name: str) -> str:
    """Returns one or two sentences with the flag and the variable that would grant `name`, and all that it takes."""
    if kind in ("read", "write", "execute"):
        return f"Grant it with --allow-{kind} or {_variable(kind)}=true."
    if kind != "tool":
        return f"Grant it with --allow-{kind} {name}, or add it to {_variable(kind)}."
    listed = f"add it to {_variable(kind)}, which replaces the tools granted by default."
    effect: Kind | None = "write" if name == "write_text" else "execute" if name in COMMAND_TOOLS else None
    if effect is None:
        return f"Grant it with --allow-tool {name}, or {listed}"
    wider = f"--allow-{effect}, which grants {effect} and {name}"
    return f"Grant it with {wider}; or set {_variable(effect)}=true and {listed}"


def _variable(kind: Kind) -> str:
    return f"{ALLOW}{grant_field(kind).upper()}"
