"""Permission flags that name what there is not: they would allow or protect nothing, and say nothing."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ditto_cli.assembly import Assembly
from ditto_cli.options import Globals
from ditto_core.nearest import did_you_mean
from ditto_core.sandbox.rules import Rule
from ditto_core.sandbox.text import clean_line


def unknown_names(assembly: Assembly, options: Globals) -> list[str]:
    """One warning for each such name. Skills are not checked: which there are is known only after a search."""
    tools = [tool.name for tool in assembly.tools.definitions()]
    servers = list(assembly.config.settings.workers.interaction.mcp.servers)
    asked = [server.partition("/")[0] for server in options.allow_mcp]
    refused = [server.partition("/")[0] for server in options.deny_mcp]
    warnings = [
        *_allowed("--allow-tool", "tool", options.allow_tool, tools),
        *_denied("--deny-tool", "tool", options.deny_tool, tools),
        *_allowed("--allow-mcp", "MCP server", asked, servers),
        *_denied("--deny-mcp", "MCP server", refused, servers),
        *_missing_files(assembly.sandbox.workspace, options.allow_secret_file),
    ]
    return list(dict.fromkeys(warnings))


def _allowed(flag: str, noun: str, names: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    for name in names:
        if name.strip() != "*" and name.strip() not in known:
            yield _warning(f"{flag} {clean_line(name, 80)} allows nothing: there is no such {noun}", name, known)


def _denied(flag: str, noun: str, patterns: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    for pattern in patterns:
        rule = Rule.parse(f"tool:{pattern}")  # names of tools and servers are matched alike
        if pattern.strip() not in ("*", "**") and not any(rule.matches(name) for name in known):
            yield _warning(f"{flag} {clean_line(pattern, 80)} denies nothing: there is no such {noun}", pattern, known)


def _missing_files(workspace: Path, paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        file = workspace / path
        if not os.path.exists(file):  # noqa: PTH110  # Path.exists raises for a name that is too long
            what = f"--allow-secret-file {clean_line(path, 80)} allows nothing: there is no such file"
            yield _warning(what, file.name, _names_in(file.parent))


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208  # only names are needed
    except OSError:
        return []


def _warning(text: str, name: str, known: Iterable[str]) -> str:
    return clean_line(f"{text}. {did_you_mean(name, known) or ''}", 300).strip()
