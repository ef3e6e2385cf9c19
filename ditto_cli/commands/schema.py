"""`ditto schema`: the JSON Schemas of what the command line prints and reads."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from ditto_cli.options import Globals, with_globals


class Document(StrEnum):
    """What has a schema."""

    events = "events"
    result = "result"
    config = "config"


@with_globals
def schema(
    options: Globals,
    document: Annotated[
        Document, typer.Argument(help="events: lines of -o ndjson; result: -o json; config: ditto.yaml.")
    ],
) -> None:
    """Print a JSON Schema (draft 2020-12) on stdout, whatever --output says."""
    import json

    from ditto_cli.schemas import schema_of

    typer.echo(json.dumps(schema_of(document.value), indent=2))


def command() -> Any:
    """The command, for the table of commands."""
    from ditto_cli.command import single

    return single(schema)
