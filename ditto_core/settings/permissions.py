"""What the environment grants."""

from __future__ import annotations

from typing import NamedTuple


class Permissions(NamedTuple):
    """The DITTO_SHARED_SANDBOX_ALLOW_* variables. None means unset: nothing granted, and a profile may fill it in.

    `tools` and `skills` are exact names, `mcp` is `server` or `server/tool`, `network` is normalised origins;
    `"*"` in a set stands for all.
    """

    read: bool | None = None
    write: bool | None = None
    execute: bool | None = None
    tools: frozenset[str] | None = None
    mcp: frozenset[str] | None = None
    skills: frozenset[str] | None = None
    network: frozenset[str] | None = None
