"""`ditto skill`: load a skill, and what skills there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ditto_cli.command import Shorthand, group
from ditto_cli.completion import skill_names
from ditto_cli.options import Globals, with_globals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ditto_cli.outcome import Outcome
    from ditto_cli.session import Session


class Skills(Shorthand):
    """`ditto skill NAME` is `ditto skill load NAME`."""

    default = "load"
    lines: ClassVar[Mapping[str, str]] = {
        "load": "Load skills; the word load may be left out.",
        "list": "List the skills of the project.",
        "show": "Show one skill without loading it.",
    }


_ABOUT = "Load skills and print what a model would read. Nothing in a skill runs, and nothing is granted by it."


@with_globals
def load(
    options: Globals,
    skill: Annotated[
        list[str],
        typer.Argument(
            help="A skill of the project, or the path of its folder or Markdown file.",
            metavar="NAME|PATH...",
            autocompletion=skill_names,
        ),
    ],
) -> None:
    """Load skills and print what a model would read. Nothing in a skill runs, and nothing is granted by it."""
    from ditto_cli.session import run

    run("skill", options, lambda session: _load(session, tuple(skill)))


@with_globals
def list_skills(options: Globals) -> None:
    """List the skills of the project: name, state and description."""
    from ditto_cli.session import run

    run("skill list", options, _list)


@with_globals
def show(
    options: Globals,
    skill: Annotated[str, typer.Argument(help="The skill.", metavar="NAME|PATH", autocompletion=skill_names)],
) -> None:
    """Show one skill without loading it: state, front matter and instructions."""
    from ditto_cli.session import run

    run("skill show", options, lambda session: _show(session, skill))


def _load(session: Session, named: tuple[str, ...]) -> Outcome:
    from ditto_cli.assembly import assembled
    from ditto_cli.skill_run import load_body

    return load_body(session, assembled(session.options), named)


def _list(session: Session) -> Outcome:
    from ditto_cli.assembly import assembled
    from ditto_cli.skill_list import list_body

    return list_body(session, assembled(session.options))


def _show(session: Session, word: str) -> Outcome:
    from ditto_cli.assembly import assembled
    from ditto_cli.skill_list import show_body

    return show_body(session, assembled(session.options), word)


def command() -> Any:
    """The command, for the table of commands."""
    functions = {"load": load, "list": list_skills, "show": show}
    return group(Skills, _ABOUT, functions, "NAME|PATH...|list|show [OPTIONS]...")
