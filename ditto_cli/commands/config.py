"""`ditto config`: the configuration that counts, a check of a file, and its JSON Schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ditto_cli.command import Group, group
from ditto_cli.options import Globals, with_globals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ditto_cli.outcome import Outcome
    from ditto_cli.session import Session


class Config(Group):
    """What can be done with the configuration."""

    lines: ClassVar[Mapping[str, str]] = {
        "show": "Show the values that count, without secrets.",
        "validate": "Check a ditto.yaml and name every mistake.",
        "schema": "Print the JSON Schema of ditto.yaml.",
    }


_ABOUT = "Show the configuration, check a file of it, or print its JSON Schema."


@with_globals
def show(
    options: Globals,
    origin: Annotated[
        bool, typer.Option("--origin", help="Say where each value came from.", show_default=False)
    ] = False,
) -> None:
    """Show the values that count: settings, DITTO_* variables and grants. Secrets are never shown."""
    from ditto_cli.session import run

    run("config show", options, lambda session: _show(session, origin=origin))


@with_globals
def validate(
    options: Globals, file: Annotated[str, typer.Argument(help="The file, as ditto.yaml.", metavar="FILE")]
) -> None:
    """Check a ditto.yaml and name every mistake with file, line and column. Exit code 6 if there is one."""
    from ditto_cli.session import run

    run("config validate", options, lambda session: _validate(session, file))


@with_globals
def schema(options: Globals) -> None:
    """Print the JSON Schema (draft 2020-12) of ditto.yaml on stdout, whatever --output says."""
    import json

    from ditto_cli.schemas import schema_of

    typer.echo(json.dumps(schema_of("config"), indent=2))


def _show(session: Session, *, origin: bool) -> Outcome:
    from ditto_cli.config_show import show_body

    return show_body(session, with_origin=origin)


def _validate(session: Session, file: str) -> Outcome:
    from ditto_cli.config_check import check_body

    return check_body(file)


def command() -> Any:
    """The command, for the table of commands."""
    functions = {"show": show, "validate": validate, "schema": schema}
    return group(Config, _ABOUT, functions, "show|validate|schema [OPTIONS]...")
