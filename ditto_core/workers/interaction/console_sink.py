"""Deliveries as text for a person to read."""

from __future__ import annotations

import sys
import threading
from typing import Protocol

from ditto_core.contracts.interaction import InteractionError, OutputInput, OutputReceipt
from ditto_core.contracts.text import content_text
from ditto_core.sandbox.daemon_thread import run_in_daemon_thread
from ditto_core.sandbox.text import clean_line, clean_text

_MAX_ARTIFACT = 4096
"""Characters of an artifact's name and of its uri; more is cut, with an ellipsis."""


class TextWriter(Protocol):
    """A text file, `sys.stdout`, an `io.StringIO`, or anything else that takes text."""

    def write(self, text: str, /) -> object:
        """Takes all of the text."""
        ...

    def flush(self) -> object:
        """Passes it on."""
        ...


class ConsoleSink:
    """An OutputSink that writes to `writer`, which stays open; by default to `sys.stdout` as it is at that moment.

    A delivery is its text (data as compact JSON), then `NAME: URI` for each artifact, each on a line of its own and
    made safe for a terminal. What the writer's encoding cannot say is escaped. Deliveries at the same time do not mix.

    `accepted` means that the writer took everything. A writer that is closed beforehand is `rejected`: nothing was
    written. One that fails is `unknown`: a part may be out, or leave its buffer later.
    """

    def __init__(self, writer: TextWriter | None = None) -> None:
        self._writer = writer
        self._lock = threading.Lock()

    async def deliver(self, output: OutputInput) -> OutputReceipt:
        """Writes one delivery, in a thread: a reader that does not read stops only this call.

        Cancelling abandons the thread, which may still write.
        """
        writer = sys.stdout if self._writer is None else self._writer
        return await run_in_daemon_thread(self._write, writer, output)

    def _write(self, writer: TextWriter | None, output: OutputInput) -> OutputReceipt:
        delivery_id, text = output.delivery_id, text_of(output)
        with self._lock:
            if writer is None or getattr(writer, "closed", False) is True:
                error = _io_error("the stream is closed; nothing was written")
                return OutputReceipt(delivery_id=delivery_id, status="rejected", error=error)
            try:
                writer.write(_encodable(text, getattr(writer, "encoding", None)))
                writer.flush()
            except (OSError, ValueError) as failure:  # ValueError: closed while it was written to
                error = _io_error(f"writing failed with {type(failure).__name__}; a part may have been written")
                return OutputReceipt(delivery_id=delivery_id, status="unknown", error=error)
        return OutputReceipt(delivery_id=delivery_id, status="accepted")


def text_of(output: OutputInput) -> str:
    """A delivery as lines of text. It ends with a newline."""
    text = clean_text(content_text(output.message.content))
    lines = [text if text.endswith("\n") else f"{text}\n"]
    for artifact in output.artifacts or ():
        name, uri = (clean_line(part, _MAX_ARTIFACT) for part in (artifact.name, artifact.reference.uri))
        lines.append(f"{name}: {uri}\n")
    return "".join(lines)


def _encodable(text: str, encoding: object) -> str:
    if not isinstance(encoding, str) or text.isascii():
        return text
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _io_error(message: str) -> InteractionError:
    return InteractionError(code="IO_ERROR", message=message)
