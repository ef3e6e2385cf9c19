"""Where a setting is: a path of keys and list positions, written with dots."""

from __future__ import annotations

import re
from typing import TypeAlias

KeyPath: TypeAlias = tuple[str | int, ...]
"""`("runtime", "policy", "deny", 0)` is `runtime.policy.deny[0]`."""


def dotted(path: KeyPath) -> str:
    """The path as people write it. A key that is no plain name is not shown: it may be anything, also a secret."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{shown(part)}" for part in path)
    return text.removeprefix(".")


def shown(key: str) -> str:
    """A key that is safe to print, else how long it is."""
    return key if re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$./:@ -]{0,47}", key) else f"(a name of {len(key)} characters)"
