"""What every view does."""

from __future__ import annotations

from typing import Any, Protocol

from ditto_core.contracts.events import Event, RunCompleted


class View(Protocol):
    """Shows a run. `record` is the event with its envelope, JSON-compatible."""

    def event(self, event: Event, record: dict[str, Any]) -> None:
        """Something happened. Raises ReaderGoneError when stdout cannot be written."""
        ...

    def completed(self, event: RunCompleted, record: dict[str, Any], text: str) -> None:
        """The command ended; `text` is its answer for people. Raises ReaderGoneError."""
        ...

    def last_words(self, event: RunCompleted, record: dict[str, Any]) -> None:
        """The process must go now: what can be written without waiting."""
        ...
