"""The Typer app: a table of commands that are imported when they are called."""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final

import typer

from ditto_cli.command import HELP, Group
from ditto_cli.exits import EXITS, READER_GONE
from ditto_cli.options import Globals, Output, all_globals, dressed
from ditto_cli.signals import EARLY, InterruptedBySignal, watch
from ditto_cli.streams import open_closed_descriptors, settle
from ditto_core.version import __version__

COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "react": ("ditto_cli.commands.react", "Run the agent loop on a prompt."),
    "tool": ("ditto_cli.commands.tool", "Call one tool, or list and show them."),
    "rag": ("ditto_cli.commands.rag", "Find passages in files of the workspace."),
    "skill": ("ditto_cli.commands.skill", "Load a skill, or list and show them."),
    "mcp": ("ditto_cli.commands.mcp", "MCP servers; not part of this release."),
    "init": ("ditto_cli.commands.init", "Write .env and ditto.yaml to start from."),
    "config": ("ditto_cli.commands.config", "Show the configuration, or check a file of it."),
    "schema": ("ditto_cli.commands.schema", "Print the JSON Schema of events, result or config."),
}
"""Name → module and one line of help. Help and completion read this table and import no command."""


class Commands(Group):
    """The top."""

    lines: ClassVar[Mapping[str, str]] = {name: line for name, (_, line) in COMMANDS.items()}

    def make(self, name: str) -> Any:
        """The command, imported now."""
        return import_module(COMMANDS[name][0]).command()

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]  # Typer's public Context is the same class
        """The table and the exit codes."""
        super().format_commands(ctx, formatter)
        with formatter.section("Exit codes"):
            formatter.write_dl([(str(code), reason) for code, reason in EXITS.items()])


def _version(value: bool | None) -> None:
    if value:
        typer.echo(f"ditto {__version__}")
        raise typer.Exit


def _root(ctx: typer.Context, **given: Any) -> None:
    """An agent runner for the shell and for CI. It denies by default."""
    given.pop("version", None)
    ctx.obj = all_globals(ctx, given)
    if ctx.invoked_subcommand is None:
        from ditto_cli.failure import UsageError

        if ctx.obj.format == Output.text:
            typer.echo(ctx.get_help(), err=True)
        raise UsageError("no command was given", hint="ditto --help shows them.")


def build() -> typer.Typer:
    """The app."""
    app = typer.Typer(
        cls=Commands,
        name="ditto",
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        pretty_exceptions_show_locals=False,
        context_settings=HELP,
    )
    option = typer.Option("--version", help="Print the version.", callback=_version, is_eager=True, show_default=False)
    version = inspect.Parameter(
        "version", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[bool | None, option]
    )
    app.callback(invoke_without_command=True)(dressed(_root, _root, [version]))
    return app


def run(arguments: Sequence[str]) -> int:
    """Runs one command line; the exit code. Every failure before a command began ends here."""
    watch(EARLY.handle)
    _prepare()
    try:
        with _light_completion():
            code = typer.main.get_command(build()).main(list(arguments), prog_name="ditto", standalone_mode=False)
        sys.stdout.flush()
    except OSError as error:  # of help, schemas and completion; what commands write is their session's
        return _unwritten(error)
    except SystemExit as stop:  # Typer makes one of a pipe that nobody reads, and after completion
        if isinstance(stop.__context__, BrokenPipeError):
            return _unwritten(stop.__context__)
        raise
    except (Exception, InterruptedBySignal) as error:  # noqa: BLE001  # the last resort for what no command caught
        from ditto_cli.usage import report

        return report(error, requested(arguments))
    if EARLY.received is not None and not code:
        return 128 + EARLY.received
    return code if isinstance(code, int) else 0


def _prepare() -> None:
    """Help and schemas are UTF-8 whatever the locale, and have somewhere to go."""
    open_closed_descriptors()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


@contextlib.contextmanager
def _light_completion() -> Iterator[None]:
    """Completion answers a key. Typer would import Rich to take markup out of help texts, and ours have none."""
    if "_DITTO_COMPLETE" not in os.environ:
        yield
        return
    sys.modules["rich"] = None  # type: ignore[assignment]  # how the import system marks what must not be imported
    try:
        yield
    finally:
        del sys.modules["rich"]


def _unwritten(error: OSError) -> int:
    if not isinstance(error, BrokenPipeError):
        typer.echo(f"error: the output cannot be written: {error.strerror}", err=True)
    settle()
    return READER_GONE


def requested(arguments: Sequence[str]) -> Globals:
    """The output format and --debug, as far as they can be read from a command line that could not be parsed."""
    words = list(arguments[: list(arguments).index("--")] if "--" in arguments else arguments)
    found = Output.text
    for word, following in pairwise([*words, ""]):
        value = "json" if word == "--json" else _format_of(word, following)
        found = Output(value) if value in set(Output) else found
    return Globals(output=found, debug="--debug" in words)


def _format_of(word: str, following: str) -> str:
    if word in ("-o", "--output"):
        return following
    if word.startswith("--output="):
        return word.removeprefix("--output=")
    return word.removeprefix("-o").removeprefix("=") if word.startswith("-o") else ""
