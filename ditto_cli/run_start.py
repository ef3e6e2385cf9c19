"""The first things that a run says."""

from __future__ import annotations

from typing import Any

from ditto_cli.assembly import Assembly
from ditto_cli.session import Session
from ditto_cli.unknown_names import unknown_names
from ditto_core.contracts.events import RunStarted


def started(command: str, assembly: Assembly, model: str | None, limits: dict[str, Any]) -> RunStarted:
    """The first event of a run."""
    policy = assembly.sandbox.policy
    grants: dict[str, Any] = {
        "read": policy.read,
        "write": policy.write,
        "execute": policy.execute,
        "tools": sorted(policy.tools),
        "mcp": sorted(policy.mcp),
        "skills": sorted(policy.skills),
        "network": sorted(policy.network),
    }
    event = {"command": command, "limits": limits, "grants": grants, "sandboxLevel": "not-probed"}
    return RunStarted.parse({**event, "model": model} if model else event)


def warn_of(session: Session, assembly: Assembly) -> None:
    """Says what the configuration and the flags have to say: unknown names, what an untrusted project did not get."""
    for warning in (*assembly.config.warnings, *unknown_names(assembly, session.options)):
        session.warn(warning)
    session.ignored = ignored = assembly.config.ignored
    if ignored:
        names = ", ".join(dict.fromkeys(item.name for item in ignored))
        session.warn(f"ignored, because this project is not trusted: {names} (--trust-project uses them)")
