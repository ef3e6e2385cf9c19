"""The names of the DITTO_* variables, and which unknown one was probably meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from ditto_core.nearest import did_you_mean

PREFIX: Final = "DITTO_"
LABEL: Final = "DITTO_RUNTIME_ENV"
WORKSPACE: Final = "DITTO_RUNTIME_WORKSPACE"
PROVIDERS: Final = "DITTO_SHARED_PROVIDERS"
MODEL_PROVIDER: Final = "DITTO_WORKER_INFER_MODEL_PROVIDER"
MODEL: Final = "DITTO_WORKER_INFER_MODEL"
BRAVE_KEY: Final = "DITTO_WORKER_INTERACTION_BRAVE_SEARCH_API_KEY"
WORKER_TOKEN: Final = "DITTO_TRANSPORT_HTTP_WORKER_TOKEN"  # noqa: S105  # the name of a variable, not a value
TRUST_PROJECT: Final = "DITTO_TRUST_PROJECT"
ALLOW: Final = "DITTO_SHARED_SANDBOX_ALLOW_"
ALLOW_SWITCHES: Final = ("read", "write", "execute")
ALLOW_LISTS: Final = ("tools", "mcp", "skills", "network")
PROVIDER_FIELDS: Final = ("KIND", "BASE_URL", "API_KEY", "MODEL")

_PROVIDER = "DITTO_SHARED_PROVIDER_"
CONNECTIONS: Final = ("DITTO_WORKER_CONTEXT_", "DITTO_WORKER_MEMORY_")
"""Connections of those Workers; each implementation names its own."""

FIXED: Final = (
    LABEL,
    WORKSPACE,
    PROVIDERS,
    MODEL_PROVIDER,
    MODEL,
    *(ALLOW + name.upper() for name in (*ALLOW_SWITCHES, *ALLOW_LISTS)),
    BRAVE_KEY,
    WORKER_TOKEN,
    TRUST_PROJECT,
)


def provider_variable(name: str, field: str) -> str:
    """The variable of a provider's field, as DITTO_SHARED_PROVIDER_DEEPSEEK_API_KEY."""
    return f"{_PROVIDER}{name.upper()}_{field}"


def provider_of(variable: str) -> tuple[str, str] | None:
    """The provider's name and field of such a variable; None for any other."""
    if not variable.startswith(_PROVIDER):
        return None
    rest = variable.removeprefix(_PROVIDER)
    for field in PROVIDER_FIELDS:
        name = rest.removesuffix(f"_{field}")
        if name != rest and re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
            return name.lower(), field
    return None


def unknown_variables(names: Iterable[str], providers: Iterable[str]) -> list[str]:
    """One warning for each DITTO_* name that means nothing, with the nearest one that does."""
    enabled = list(providers)
    known = [*FIXED, *(provider_variable(name, field) for name in enabled for field in PROVIDER_FIELDS)]
    ours = (name for name in names if name.startswith(PREFIX) and not name.startswith(CONNECTIONS))
    return [_warning(name, known) for name in sorted(set(ours).difference(known))]


def _warning(name: str, known: list[str]) -> str:
    provider = provider_of(name)
    if provider is not None:
        return f"{name} has no effect: the provider {provider[0]} is not enabled in {PROVIDERS}"
    hint = did_you_mean(name, known)
    return f"{name[:80]} is no variable of Ditto" + (f". {hint}" if hint else "")
