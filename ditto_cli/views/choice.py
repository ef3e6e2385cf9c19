"""Which view a command gets."""

from __future__ import annotations

import os

from ditto_cli.streams import Streams
from ditto_cli.views.progress import Detail
from ditto_cli.views.text import TextView
from ditto_cli.views.view import View


def choose_view(output: str, detail: Detail, streams: Streams, *, color: bool, sole: bool = False) -> View:
    """The view of `text`, `json` or `ndjson`. For text, a terminal gets the one for people.

    `sole`: the command is one action, whose result is the answer.
    """
    if output == "json":
        from ditto_cli.views.json import JsonView

        return JsonView(streams, TextView(streams, detail, sole=sole))
    if output == "ndjson":
        from ditto_cli.views.ndjson import NdjsonView

        return NdjsonView(streams, TextView(streams, "quiet"))
    color = color and not os.environ.get("NO_COLOR")
    if _is_for_a_person(streams, color=color):
        from ditto_cli.views.terminal import TerminalView

        return TerminalView(streams, detail, color=color, sole=sole)
    return TextView(streams, detail, sole=sole)


def _is_for_a_person(streams: Streams, *, color: bool) -> bool:
    """Whether stderr gets blocks and colour: at a terminal that is not dumb, outside CI, or where it is forced."""
    if os.environ.get("TERM") == "dumb":
        return False
    forced = color and os.environ.get("FORCE_COLOR")
    return bool(forced) or (streams.err.is_terminal and not os.environ.get("CI"))
