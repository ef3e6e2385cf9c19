"""`ditto tool`: one tool call, and what tools there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ditto_cli.command import Group, group, single
from ditto_cli.completion import TOOLS, tool_names
from ditto_cli.options import Globals, with_globals

if TYPE_CHECKING:
    from ditto_cli.outcome import Outcome
    from ditto_cli.session import Session


class Tools(Group):
    """A command for every tool, beside `list` and `show`; a tool of such a name could not be called."""

    noun = "tool"
    lines: ClassVar[Mapping[str, str]] = {
        "list": "List every tool and whether it is granted.",
        "show": "Show one tool.",
        **TOOLS,
    }

    def make(self, name: str) -> Any:
        """The subcommand, or a command made from the tool's schema."""
        if name in ("list", "show"):  # made now, for most calls are of a tool
            return single({"list": list_tools, "show": show}[name])
        from ditto_cli.tool_command import tool_command

        return tool_command(name)


_ABOUT = "Call one tool: ditto tool NAME --argument value. Its options come from its schema."


@with_globals
def list_tools(options: Globals) -> None:
    """List every tool and whether it is granted."""
    from ditto_cli.session import run

    run("tool list", options, _list)


@with_globals
def show(
    options: Globals,
    name: Annotated[str, typer.Argument(help="The tool.", metavar="NAME", autocompletion=tool_names)],
) -> None:
    """Show one tool: description, effects, grant and schema."""
    from ditto_cli.session import run

    run("tool show", options, lambda session: _show(session, name))


def _list(session: Session) -> Outcome:
    from ditto_cli.assembly import assembled
    from ditto_cli.tool_list import list_body

    return list_body(session, assembled(session.options))


def _show(session: Session, name: str) -> Outcome:
    from ditto_cli.assembly import assembled
    from ditto_cli.tool_list import show_body

    return show_body(session, assembled(session.options), name)


def command() -> Any:
    """The command, for the table of commands."""
    return group(Tools, _ABOUT, {}, "NAME|list|show [OPTIONS]...")
