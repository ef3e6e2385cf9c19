"""How a function becomes a Typer command, and a table a group of them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from ditto_cli.options import GLOBAL, GRANTS, all_globals, dressed
from ditto_core.nearest import did_you_mean

HELP = {"help_option_names": ["--help", "-h"]}


class Command(TyperCommand):
    """A command whose help lists its own options before the global ones.

    `called` is the command's name in results; None for the words that were typed.
    """

    called: str | None = None

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]  # Typer's public Context is the same class
        """As Typer does it; an error knows its command."""
        with _known_command(ctx):
            return super().parse_args(ctx, args)

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]  # as above
        """Arguments, own options, global options, permissions."""
        _write_options(self, ctx, formatter)


class Group(TyperGroup):
    """A group whose commands are made when they are called: names and help come from a table."""

    lines: ClassVar[Mapping[str, str]] = {}
    """Name → one line of help."""
    noun: ClassVar[str] = "command"

    def make(self, name: str) -> Any:
        """The command of a name of the table; by default one that was registered."""
        return self.commands[name]

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # as above
        """The names, in the order of the table."""
        return list(self.lines)

    def get_command(self, ctx: typer.Context, cmd_name: str) -> Any:  # type: ignore[override]  # as above
        """The command, made now. Raises UsageError for one that there is not."""
        if cmd_name not in self.lines:
            return None if ctx.resilient_parsing else self._refuse(ctx, cmd_name)
        if ctx.resilient_parsing and not ctx.args and not getattr(ctx, "_protected_args", None):
            return TyperCommand(cmd_name, help=self.lines[cmd_name])  # completion only asks for names and help
        command = self.make(cmd_name)
        command.name = cmd_name
        return command

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]  # as above
        """As Typer does it; an error knows its command."""
        with _known_command(ctx):
            return super().parse_args(ctx, args)

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]  # as above
        """The options by panel, then the commands."""
        _write_options(self, ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]  # as above
        """The table, without making a command."""
        with formatter.section(f"{self.noun.capitalize()}s"):
            formatter.write_dl(list(self.lines.items()))

    def _refuse(self, ctx: typer.Context, name: str) -> None:
        from ditto_cli.failure import UsageError

        hint = did_you_mean(name, self.lines) or f"{ctx.command_path} --help shows them."
        command = ctx.command_path.removeprefix("ditto").strip()
        raise UsageError(f"there is no {self.noun} {name[:80]!r}", hint=hint, command=command or None)


class Shorthand(Group):
    """A group in which a first word that names no command belongs to `default`: `rag TEXT` is `rag query TEXT`."""

    default: ClassVar[str]

    def make(self, name: str) -> Any:
        """The subcommand. The default one is called as the group in results."""
        command = self.commands[name]
        if name == self.default:
            command.called = self.name  # type: ignore[attr-defined]  # every command here is a Command
        return command

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]  # as above
        """As Typer does it, with the default command's name put before words that are its own."""
        return super().parse_args(ctx, [self.default, *args] if self._is_for_default(ctx, args) else args)

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]  # as above
        """What the default command takes, then the commands."""
        _write_options(self.make(self.default), ctx, formatter)
        self.format_commands(ctx, formatter)

    def shell_complete(self, ctx: typer.Context, incomplete: str) -> list[Any]:  # type: ignore[override]  # as above
        """The commands and what the default one takes."""
        found = {item.value: item for item in super().shell_complete(ctx, incomplete)}
        command = self.make(self.default)
        with command.make_context(self.default, [], parent=ctx, resilient_parsing=True) as inner:
            asked = command if incomplete.startswith("-") else command.params[0]
            found |= {item.value: item for item in asked.shell_complete(inner, incomplete)}
        return list(found.values())

    def _is_for_default(self, ctx: typer.Context, args: list[str]) -> bool:
        """Whether the first word that is no global option is the default command's: a word, an option, or `--`."""
        takes_value = {
            flag: not getattr(option, "is_flag", False)
            for option in self.get_params(ctx)
            for flag in (*option.opts, *option.secondary_opts)
        }
        words = iter(args)
        for word in words:
            flag = word.partition("=")[0] if word.startswith("--") else word[:2]
            if word == "--" or not word.startswith("-") or flag not in takes_value:
                return word not in self.lines
            if takes_value[flag] and word == flag:
                next(words, None)
        return False


@contextlib.contextmanager
def _known_command(ctx: typer.Context) -> Iterator[None]:
    """Some errors of Typer's parser do not say which command they belong to."""
    try:
        yield
    except typer.TyperException as error:
        if getattr(error, "ctx", ctx) is None:
            error.ctx = ctx  # type: ignore[attr-defined]  # of every usage error
        raise


def _write_options(command: Any, ctx: Any, formatter: Any) -> None:
    sections: dict[str, list[Any]] = {"Arguments": [], "Options": [], GLOBAL: [], GRANTS: []}
    for parameter in command.get_params(ctx):
        record = parameter.get_help_record(ctx)
        if record is not None:
            panel = getattr(parameter, "rich_help_panel", None)
            own = "Arguments" if parameter.param_type_name == "argument" else "Options"
            sections[panel or own].append(record)
    for title, records in sections.items():
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


def single(function: Callable[..., Any]) -> Any:
    """A Typer command of one function."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, context_settings=HELP)
    app.command(cls=Command)(function)
    return typer.main.get_command(app)


def group(
    kind: type[Group],
    about: str,
    functions: Mapping[str, Callable[..., Any]],
    metavar: str | None = None,
    settings: Mapping[str, Any] = HELP,
) -> Any:
    """A Typer group of that kind, whose commands are `functions`. Global options may stand before them, too."""

    def before(ctx: typer.Context, **given: Any) -> None:
        ctx.find_root().obj = all_globals(ctx, given)

    before.__doc__ = about
    app = typer.Typer(cls=kind, add_completion=False, rich_markup_mode=None, context_settings=HELP)
    app.callback(subcommand_metavar=metavar)(dressed(before, before, []))
    for name, function in functions.items():
        app.command(name, cls=Command, context_settings=dict(settings))(function)
    return typer.main.get_command(app)
