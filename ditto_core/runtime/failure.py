"""A failure in words that may be shown."""

from __future__ import annotations

from ditto_core.errors import DittoError
from ditto_core.sandbox.safe_error import safe_error


def failure_text(error: Exception) -> str:
    """The message of an error of Ditto's own if it is safe to show, else the name of the exception."""
    safe = safe_error(error.code, error.message) if isinstance(error, DittoError) else None
    return safe[1] if safe else type(error).__name__
