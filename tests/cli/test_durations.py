"""Durations as people write them."""

from __future__ import annotations

import pytest

from ditto_cli.durations import milliseconds
from ditto_cli.failure import UsageError


@pytest.mark.parametrize(
    ("text", "expected"),
    [("30", 30_000), ("30s", 30_000), ("5m", 300_000), ("500ms", 500), ("1h", 3_600_000), ("0.5", 500), (" 2s ", 2000)],
)
def test_seconds_are_the_unit_that_need_not_be_said(text: str, expected: int) -> None:
    assert milliseconds(text, "--timeout") == expected


@pytest.mark.parametrize(
    "text", ["", "0", "0.1ms", "-1", "1d", "s", "1e3", "inf", "nan", "1 s", "٣", "99999h", "1" * 99]
)
def test_what_is_no_duration_or_too_long_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="--timeout"):
        milliseconds(text, "--timeout")
