"""Durations as people write them."""

from __future__ import annotations

import re

from ditto_cli.failure import UsageError

_DURATION = re.compile(r"([0-9]{1,10}(?:\.[0-9]{1,6})?)(ms|s|m|h|)")
_MS = {"ms": 1, "": 1000, "s": 1000, "m": 60_000, "h": 3_600_000}
_MOST = 2_147_483_647


def milliseconds(text: str, option: str) -> int:
    """`30`, `30s`, `5m`, `1h` or `500ms` in milliseconds, 1 to 2147483647. Raises UsageError."""
    match = _DURATION.fullmatch(text.strip())
    value = round(float(match[1]) * _MS[match[2]]) if match else 0
    if not 1 <= value <= _MOST:
        raise UsageError(
            f"{option}: {text[:40]!r} is no duration", hint="Write 30, 30s, 5m or 500ms, up to 2147483647 ms."
        )
    return value
