"""`-o text`, not at a terminal: the answer on stdout when it is final, plain lines on stderr."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from ditto_cli.streams import Streams
from ditto_cli.views.progress import Detail, Line, closing, ended, progress
from ditto_core.contracts.events import Event, RunCompleted, RunStarted, ThinkingDelta
from ditto_core.sandbox.text import clean_text


class TextView:
    """Plain text for pipes, files and CI: no colour, no wrapping, no control character."""

    def __init__(self, streams: Streams, detail: Detail, *, sole: bool = False) -> None:
        self._streams = streams
        self._detail: Detail = detail
        self._started = time.monotonic()
        self._thinks = False
        self._sole = sole
        self._limits: Mapping[str, Any] = {}

    def event(self, event: Event, record: dict[str, Any]) -> None:
        """Lines on stderr for what a person wants to follow."""
        match event:
            case ThinkingDelta(text=text):
                self._streams.write_err(clean_text(text))
                self._thinks = True
            case RunStarted(limits=limits):
                self._limits = limits
            case _:
                self._show(progress(event, self._detail, sole=self._sole))

    def completed(self, event: RunCompleted, record: dict[str, Any], text: str) -> None:
        """The answer, then the error or the summary."""
        self._streams.write_out(ended(clean_text(text)))
        self.close(event)

    def close(self, event: RunCompleted) -> None:
        """The error or the summary, on stderr."""
        self._show(self._closing(event))

    def last_words(self, event: RunCompleted, record: dict[str, Any]) -> None:
        """What ended it."""
        self._streams.err.write_now(_block(self._closing(event)))

    def _closing(self, event: RunCompleted) -> list[Line]:
        return closing(event, self._detail, time.monotonic() - self._started, self._limits)

    def _show(self, lines: list[Line]) -> None:
        if lines and self._thinks:
            self._streams.write_err("\n")
            self._thinks = False
        if lines:
            self._streams.write_err(_block(lines))


def _block(lines: list[Line]) -> str:
    return "".join(f"{line.text}\n" for line in lines)
