"""`-o text` at a terminal: text streams as it comes, actions and observations are compact blocks."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, Final, Literal

from rich.console import Console
from rich.text import Text

from ditto_cli.streams import Streams
from ditto_cli.views.progress import Detail, Line, Role, closing, ended, progress
from ditto_core.contracts.events import Event, RunCompleted, RunStarted, SampleStarted, TextDelta, ThinkingDelta
from ditto_core.sandbox.text import clean_text

STYLES: Final[Mapping[Role, str]] = {
    "note": "yellow",
    "call": "bold cyan",
    "good": "green",
    "bad": "red",
    "detail": "dim",
    "end": "dim",
}


class TerminalView:
    """For a person. Nothing from outside is ever read as Rich markup: it is shown as `Text`, cleaned."""

    def __init__(self, streams: Streams, detail: Detail, *, color: bool, sole: bool = False) -> None:
        self._streams = streams
        self._detail: Detail = detail
        self._sole = sole
        self._limits: Mapping[str, Any] = {}
        self._console = Console(file=_Err(streams), force_terminal=True, no_color=not color, highlight=False)  # type: ignore[arg-type]  # Console only writes and flushes
        self._started = time.monotonic()
        self._streamed = Streamed()
        self._line: Literal["", "out", "err"] = ""

    def event(self, event: Event, record: dict[str, Any]) -> None:
        """A block on stderr; text deltas go to stdout when that is a terminal, too."""
        match event:
            case RunStarted(limits=limits):
                self._limits = limits
            case SampleStarted():
                self._streamed = Streamed()
            case TextDelta(text=text) if self._streams.out.is_terminal:
                self._stream(self._streamed.add(text))
            case ThinkingDelta(text=text):
                self._end_line("err")
                self._print(clean_text(text), "dim italic", end="")
                self._line = "err"
            case _:
                self._show(progress(event, self._detail, sole=self._sole))

    def completed(self, event: RunCompleted, record: dict[str, Any], text: str) -> None:
        """The answer, unless it has been streamed, then the error or the summary."""
        answer = ended(clean_text(text))
        if answer and ended(self._streamed.all()) == answer:
            self._stream(self._streamed.rest())
        else:
            self._end_line("")
            self._streams.write_out(answer)
        self._show(closing(event, self._detail, time.monotonic() - self._started, self._limits))

    def last_words(self, event: RunCompleted, record: dict[str, Any]) -> None:
        """What ended it."""
        lines = closing(event, self._detail, time.monotonic() - self._started, self._limits)
        self._streams.err.write_now("".join(f"\n{line.text}" for line in lines) + "\n")

    def _stream(self, text: str) -> None:
        if text:
            self._end_line("out")
            self._streams.write_out(text)
            self._line = "" if text.endswith("\n") else "out"

    def _show(self, lines: list[Line]) -> None:
        if lines:
            self._end_line("")
        for line in lines:
            self._print(line.text, STYLES[line.role])

    def _end_line(self, goes_on: Literal["", "out", "err"]) -> None:
        """Ends a line that one stream has begun, unless it goes on."""
        if self._line == goes_on:
            return
        write = self._streams.write_out if self._line == "out" else self._streams.write_err
        if self._line:
            write("\n")
        self._line = ""

    def _print(self, text: str, style: str, end: str = "\n") -> None:
        self._console.print(Text(text, style=style), end=end, soft_wrap=True)


class Streamed:
    """The text of one sample as a terminal has shown it. A CR at the end of a piece waits for the LF of the next."""

    def __init__(self) -> None:
        self._shown = ""
        self._held = ""

    def add(self, piece: str) -> str:
        """What to show now."""
        raw = self._held + piece
        self._held = "\r" if raw.endswith("\r") else ""
        text = clean_text(raw.removesuffix("\r"))
        self._shown += text
        return text

    def rest(self) -> str:
        """What is still to be shown at the end of the text, which a newline ends."""
        return ended(self.all())[len(self._shown) :]

    def all(self) -> str:
        """The whole text."""
        return self._shown + clean_text(self._held)


class _Err:
    """stderr as the file object that Rich wants."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams

    def write(self, text: str) -> int:
        self._streams.write_err(text)
        return len(text)

    def flush(self) -> None:
        """Everything is written already."""
