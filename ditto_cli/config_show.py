"""What `ditto config show` does: the values that count, and where each came from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ditto_cli.assembly import assemble
from ditto_cli.configuration import load_config
from ditto_cli.outcome import Outcome
from ditto_cli.redaction import Redaction
from ditto_cli.run_start import warn_of
from ditto_cli.session import Session
from ditto_core.sandbox.policy import SandboxPolicy
from ditto_core.sandbox.text import clean_line
from ditto_core.settings.environment import Environment
from ditto_core.settings.key_path import KeyPath, dotted
from ditto_core.settings.layers import MergedSettings
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.variables import PREFIX

_KINDS = {"tools": "tool", "mcp": "mcp", "skills": "skill", "network": "network"}
DEFAULT = "default"


class Value(NamedTuple):
    """One effective value, safe to show, and where it came from."""

    group: str
    name: str
    value: Any
    origin: str


def show_body(session: Session, *, with_origin: bool) -> Outcome:
    """Settings, variables, grants and the workspace. No secret is in it."""
    layered = load_config(session.options)
    config = layered.config
    assembly = assemble(config, session.options)
    warn_of(session, assembly)
    redaction = Redaction([*config.secrets(), *Environment.layered(layered.project.env_file or {}).secrets()])
    settings = redaction.json(layered.merged.settings.to_wire())
    values = [
        *_settings(settings, (), layered.merged),
        *_variables(config.environment, redaction),
        *_grants(assembly.sandbox.policy),
    ]
    result = {
        "workspace": str(config.workspace),
        "settings": settings,
        "environment": {value.name: value.value for value in values if value.group == "environment"},
        "grants": {value.name: value.value for value in values if value.group == "grants"},
        "ignored": _ignored(config),
    }
    if with_origin:
        result["origins"] = _origins(values)
    return Outcome(text=_page(values, config, with_origin=with_origin), result=result)


def _settings(value: Any, path: KeyPath, merged: MergedSettings) -> Iterator[Value]:
    """The leaves; a list is one, an empty mapping too."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _settings(inner, (*path, key), merged)
        return
    found = merged.origin(path) or _inside(path, merged)
    yield Value("settings", dotted(path), value, f"{found.layer} {found.where}" if found else DEFAULT)


def _inside(path: KeyPath, merged: MergedSettings) -> Any:
    """The origin of a list that several layers made together: that of its last part."""
    inner = [known for known in merged.origins if known[: len(path)] == path]
    return merged.origins[inner[-1]] if inner else None


def _variables(environment: Environment, redaction: Redaction) -> Iterator[Value]:
    for name in sorted(environment.variables):
        if name.startswith(PREFIX):
            shown = redaction.variable(name, environment.get(name) or "")
            yield Value("environment", name, shown, environment.origin(name))


def _grants(policy: SandboxPolicy) -> Iterator[Value]:
    for kind in ("read", "write", "execute"):
        yield Value("grants", kind, getattr(policy, kind), policy.sources.get(kind, DEFAULT))
    for field, kind in _KINDS.items():
        names = sorted(getattr(policy, field))
        sources = dict.fromkeys(policy.sources.get(f"{kind}:{name}", DEFAULT) for name in names)
        yield Value("grants", field, names, ", ".join(sources) or DEFAULT)


def _ignored(config: RuntimeConfig) -> list[dict[str, str]]:
    return [{"name": item.name, "reason": item.reason, "where": item.where} for item in config.ignored]


def _origins(values: list[Value]) -> dict[str, dict[str, str]]:
    return {
        group: {value.name: value.origin for value in values if value.group == group}
        for group in ("settings", "environment", "grants")
    }


def _page(values: list[Value], config: RuntimeConfig, *, with_origin: bool) -> str:
    """One line a value; what was ignored is said, too."""
    lines = [f"workspace: {clean_line(str(config.workspace), 1000)}"]
    for value in values:
        name = f"grants.{value.name}" if value.group == "grants" else value.name
        line = f"{name}: {json.dumps(value.value, ensure_ascii=False)}"
        lines.append(clean_line(f"{line}  # {value.origin}" if with_origin else line, 2000))
    lines += [clean_line(f"ignored: {item.name} {item.reason}  # {item.where}", 2000) for item in config.ignored]
    return "\n".join(lines)
