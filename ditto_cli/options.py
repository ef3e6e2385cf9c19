"""The global options: accepted before and after every command."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Annotated, Any, Literal, TypeVar

import typer

from ditto_cli.completion import tool_names

Result = TypeVar("Result")

GLOBAL = "Global options"
GRANTS = "Permissions (deny wins)"

_FORMAT = "ditto_cli.format"
"""Where a command line's contexts share the output format that was asked for last."""


class Output(StrEnum):
    """What stdout holds."""

    text = "text"
    json = "json"
    ndjson = "ndjson"


@dataclass(frozen=True, slots=True)
class Globals:
    """The global options as they were given; None and () mean not given."""

    config: str | None = None
    env_file: str | None = None
    workspace: str | None = None
    output: Output | None = None
    quiet: bool | None = None
    verbose: bool | None = None
    debug: bool | None = None
    no_color: bool | None = None
    no_input: bool | None = None
    trust_project: bool | None = None
    allow_read: bool | None = None
    allow_write: bool | None = None
    allow_execute: bool | None = None
    allow_tool: tuple[str, ...] = ()
    allow_mcp: tuple[str, ...] = ()
    allow_skill: tuple[str, ...] = ()
    allow_network: tuple[str, ...] = ()
    allow_secret_file: tuple[str, ...] = ()
    deny_read: tuple[str, ...] = ()
    deny_write: bool | None = None
    deny_execute: bool | None = None
    deny_tool: tuple[str, ...] = ()
    deny_mcp: tuple[str, ...] = ()
    deny_skill: tuple[str, ...] = ()
    deny_network: tuple[str, ...] = ()

    @property
    def format(self) -> str:
        """text, json or ndjson."""
        return (self.output or Output.text).value

    @property
    def detail(self) -> Literal["quiet", "normal", "verbose"]:
        """How much stderr says."""
        return "quiet" if self.quiet else "verbose" if self.verbose else "normal"


def _asked_last(ctx: typer.Context, value: Any) -> Any:
    """Keeps the output format; Typer calls this in the order of the command line."""
    if value is not None:
        ctx.meta[_FORMAT] = Output.json if value is True else value
    return value


@dataclass(frozen=True, slots=True)
class _Option:
    """One global option: its flags, and the rest as Typer takes it."""

    flags: tuple[str, ...]
    help: str
    kind: Any = bool | None
    panel: str = GLOBAL
    metavar: str | None = None
    callback: Callable[..., Any] | None = None
    completes: Callable[[str], Any] | None = None

    def parameter(self, name: str, taken: Collection[str]) -> inspect.Parameter | None:
        """The option as a parameter, without the flags that a command takes itself; None when none is left."""
        flags = [flag for flag in self.flags if flag not in taken]
        option = typer.Option(
            *flags,
            help=self.help,
            rich_help_panel=self.panel,
            metavar=self.metavar,
            callback=self.callback,
            autocompletion=self.completes,
            show_default=False,
        )
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(name, kind, default=None, annotation=Annotated[self.kind, option]) if flags else None


def _text(help_line: str, *flags: str, metavar: str) -> _Option:
    return _Option(flags, help_line, str | None, metavar=metavar)


def _grant(help_line: str, flag: str, metavar: str | None = None, completes: Any = None) -> _Option:
    """A permission: a switch, or with `metavar` a repeatable option."""
    kind: Any = list[str] | None if metavar else bool | None
    return _Option((flag,), help_line, kind, GRANTS, metavar, completes=completes)


_DECLARED: dict[str, _Option] = {
    "config": _text("The configuration file instead of ditto.yaml.", "--config", metavar="FILE"),
    "env_file": _text("The environment file instead of .env.", "--env-file", metavar="FILE"),
    "workspace": _text("The folder to work in.", "--workspace", "-C", metavar="DIR"),
    "output": _Option(
        ("--output", "-o"), "What stdout holds.", Output | None, metavar="text|json|ndjson", callback=_asked_last
    ),
    "json": _Option(("--json",), "Short for --output json.", callback=_asked_last),
    "quiet": _Option(("--quiet", "-q"), "No progress on stderr."),
    "verbose": _Option(("--verbose", "-v"), "More detail on stderr."),
    "debug": _Option(("--debug",), "Show where an error came from."),
    "no_color": _Option(("--no-color",), "No colour."),
    "no_input": _Option(("--no-input",), "Accepted for scripts; this release never asks anyway."),
    "trust_project": _Option(("--trust-project",), "Let ditto.yaml, .env and skills of the folder count."),
    "allow_read": _grant("Allow reading files of the workspace.", "--allow-read"),
    "allow_write": _grant("Allow writing files, and the tool write_text.", "--allow-write"),
    "allow_execute": _grant("Allow running programs; no tool of this release does.", "--allow-execute"),
    "allow_tool": _grant("Allow a tool.", "--allow-tool", "NAME", tool_names),
    "allow_mcp": _grant("Allow an MCP server, or one tool of it.", "--allow-mcp", "SERVER[/TOOL]"),
    "allow_skill": _grant("Allow a skill.", "--allow-skill", "NAME"),
    "allow_network": _grant("Allow connections to an origin.", "--allow-network", "ORIGIN"),
    "allow_secret_file": _grant("Allow reading one secret file.", "--allow-secret-file", "PATH"),
    "deny_read": _grant("Deny reading what matches.", "--deny-read", "PATTERN"),
    "deny_write": _grant("Deny writing.", "--deny-write"),
    "deny_execute": _grant("Deny running programs.", "--deny-execute"),
    "deny_tool": _grant("Deny a tool.", "--deny-tool", "NAME", tool_names),
    "deny_mcp": _grant("Deny an MCP server or tool.", "--deny-mcp", "SERVER[/TOOL]"),
    "deny_skill": _grant("Deny a skill.", "--deny-skill", "NAME"),
    "deny_network": _grant("Deny an origin.", "--deny-network", "ORIGIN"),
}


def with_globals(command: Callable[..., Result]) -> Callable[..., Result]:
    """Adds the global options to a command, which gets them as its first argument."""

    def wrapper(ctx: typer.Context, **given: Any) -> Result:
        return command(all_globals(ctx, given), **given)

    own = [p for name, p in inspect.signature(command, eval_str=True).parameters.items() if name != "options"]
    return dressed(wrapper, command, own)


def dressed(
    wrapper: Callable[..., Result], like: Any, own: Sequence[inspect.Parameter], taken: Collection[str] = ()
) -> Callable[..., Result]:
    """`wrapper` with a signature that Typer reads: the context, `own`, and the global options but for `taken` flags."""
    context = inspect.Parameter("ctx", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    keyword = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
    shared = [option.parameter(name, taken) for name, option in _DECLARED.items()]
    parameters = [context, *keyword, *(parameter for parameter in shared if parameter)]
    wrapper.__name__ = like.__name__
    wrapper.__doc__ = like.__doc__
    wrapper.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # read by inspect.signature
    wrapper.__annotations__ = {p.name: p.annotation for p in parameters}
    return wrapper


def all_globals(ctx: typer.Context, given: dict[str, Any]) -> Globals:
    """Takes the global options out of a command's arguments and adds those that stood before the command.

    The later one wins; grants and denials add up. Of the output format only the last one that was asked for counts.
    """
    values: dict[str, Any] = {name: given.pop(name) for name in _DECLARED if name in given}
    values.pop("json", None)
    values["output"] = ctx.meta.get(_FORMAT)
    chosen: Any = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items() if v is not None}
    before, after = ctx.find_root().obj, Globals(**chosen)
    if not isinstance(before, Globals):
        return after
    changes: dict[str, Any] = {}
    for field in fields(Globals):
        early, late = getattr(before, field.name), getattr(after, field.name)
        if isinstance(early, tuple):
            changes[field.name] = early + late
        elif late is not None:
            changes[field.name] = late
    return replace(before, **changes)
