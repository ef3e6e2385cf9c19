"""`ditto mcp`: the words are there, and say that the part behind them is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ditto_cli.command import HELP, Group, group
from ditto_cli.options import Globals, with_globals

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ditto_cli.outcome import Outcome


class Mcp(Group):
    """One answer for every word."""

    lines: ClassVar[Mapping[str, str]] = {
        "discover": "Not part of this release.",
        "invoke": "Not part of this release.",
        "show": "Not part of this release.",
        "servers": "Not part of this release.",
        "import": "Not part of this release.",
    }


_ABOUT = "MCP servers are not part of this release: these commands only say so."


def _answer(name: str) -> Callable[..., None]:
    @with_globals
    def missing(
        options: Globals,
        words: Annotated[list[str] | None, typer.Argument(help="Ignored.", metavar="...", show_default=False)] = None,
    ) -> None:
        """MCP servers are not part of this release: this command only says so."""
        from ditto_cli.session import run

        run(f"mcp {name}", options, lambda session: _missing())

    return missing


def _missing() -> Outcome:
    from ditto_core.errors import ConfigError

    raise ConfigError(
        "MCP servers are not part of this release: none can be started, asked or listed",
        where="ditto mcp",
        hint="ditto tool list shows the tools that there are.",
    )


def command() -> Any:
    """The command, for the table of commands."""
    unread = {**HELP, "allow_extra_args": True, "ignore_unknown_options": True}
    return group(Mcp, _ABOUT, {name: _answer(name) for name in Mcp.lines}, settings=unread)
