"""`-o ndjson`: stdout is one event a line; the last one is run.completed."""

from __future__ import annotations

import json
from typing import Any

from ditto_cli.streams import Streams
from ditto_cli.views.text import TextView
from ditto_core.contracts.events import Event, RunCompleted, RunStarted


class NdjsonView:
    """Every event as it happens; what went wrong in the end is also said on stderr, by `watched`."""

    def __init__(self, streams: Streams, watched: TextView) -> None:
        self._streams = streams
        self._watched = watched

    def event(self, event: Event, record: dict[str, Any]) -> None:
        """One line. What is said at the end names limits that the first event has."""
        if isinstance(event, RunStarted):
            self._watched.event(event, record)
        self._streams.write_out(line(record))

    def completed(self, event: RunCompleted, record: dict[str, Any], text: str) -> None:
        """The last line."""
        self._streams.write_out(line(record))
        self._watched.close(event)

    def last_words(self, event: RunCompleted, record: dict[str, Any]) -> None:
        """The last line, as far as it can be written."""
        self._streams.out.write_now(line(record))
        self._watched.last_words(event, record)


def line(record: dict[str, Any]) -> str:
    """One event. Pure ASCII: no control or direction character reaches a terminal."""
    return json.dumps(record, separators=(",", ":")) + "\n"
