"""`-o json`: stdout is one document, the payload of run.completed."""

from __future__ import annotations

import json
from typing import Any

from ditto_cli.streams import Streams
from ditto_cli.views.text import TextView
from ditto_core.contracts.events import Event, RunCompleted


class JsonView:
    """One document at the end. `watched` tells stderr what a person wants to follow."""

    def __init__(self, streams: Streams, watched: TextView) -> None:
        self._streams = streams
        self._watched = watched

    def event(self, event: Event, record: dict[str, Any]) -> None:
        """Progress on stderr; the document holds what matters."""
        self._watched.event(event, record)

    def completed(self, event: RunCompleted, record: dict[str, Any], text: str) -> None:
        """The document."""
        self._streams.write_out(document(event))
        self._watched.close(event)

    def last_words(self, event: RunCompleted, record: dict[str, Any]) -> None:
        """The document, as far as it can be written."""
        self._streams.out.write_now(document(event))
        self._watched.last_words(event, record)


def document(event: RunCompleted) -> str:
    """The payload of run.completed, indented. Pure ASCII: no control or direction character reaches a terminal."""
    payload = event.to_wire()
    del payload["type"]
    return json.dumps(payload, indent=2) + "\n"
