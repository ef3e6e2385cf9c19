"""What a command may do: the read-only profile, the permission variables, the flags."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ditto_cli.options import Globals
from ditto_core.sandbox.policy import READ_ONLY, SandboxPolicy
from ditto_core.sandbox.rules import Rule
from ditto_core.settings.permissions import Permissions
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.variables import ALLOW

_RULE_KINDS = {"tools": "tool", "mcp": "mcp", "skills": "skill", "network": "network"}


def permissions(policy: SandboxPolicy) -> Permissions:
    """A policy's grants as the environment would have to say them."""
    return Permissions(
        read=policy.read,
        write=policy.write,
        execute=policy.execute,
        tools=policy.tools,
        mcp=policy.mcp,
        skills=policy.skills,
        network=policy.network,
    )


def policy_of(config: RuntimeConfig, options: Globals) -> SandboxPolicy:
    """The read-only profile; a permission variable replaces its own kind; flags add; deny rules win."""
    policy = _with_variables(READ_ONLY, config.permissions)
    for kind, name in _allowed(options):
        policy = policy.granting(kind, name, source=f"--allow-{kind}")
    rules = config.settings.runtime.policy
    return replace(
        policy,
        secret_files=policy.secret_files | set(options.allow_secret_file),
        deny=(*(Rule.parse(rule, "runtime.policy.deny") for rule in rules.deny), *_denied(options)),
        ask=tuple(Rule.parse(rule, "runtime.policy.ask") for rule in rules.ask),
    )


def _with_variables(policy: SandboxPolicy, given: Permissions) -> SandboxPolicy:
    changes: dict[str, Any] = {}
    sources = dict(policy.sources)
    for kind in ("read", "write", "execute", *_RULE_KINDS):
        value = getattr(given, kind)
        if value is None:
            continue
        changes[kind] = value
        variable = ALLOW + kind.upper()
        names = [kind] if isinstance(value, bool) else [f"{_RULE_KINDS[kind]}:{name}" for name in value]
        sources.update(dict.fromkeys(names, variable))
    return replace(policy, **changes, sources=sources)


def _allowed(options: Globals) -> Iterator[tuple[str, str]]:
    for kind in ("read", "write", "execute"):
        if getattr(options, f"allow_{kind}"):
            yield kind, ""
    for kind in ("tool", "mcp", "skill", "network"):
        for name in getattr(options, f"allow_{kind}"):
            yield kind, name


def _denied(options: Globals) -> Iterator[Rule]:
    for kind in ("write", "execute"):
        if getattr(options, f"deny_{kind}"):
            yield Rule.parse(f"{kind}:**", f"--deny-{kind}")
    for kind in ("read", "tool", "mcp", "skill", "network"):
        for pattern in getattr(options, f"deny_{kind}"):
            yield Rule.parse(f"{kind}:{pattern}", f"--deny-{kind}")
