"""A command made from a tool's schema."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ditto_cli.assembly import tool_definition
from ditto_cli.command import single
from ditto_cli.options import all_globals, dressed
from ditto_cli.tool_options import arguments_of, missing_hint, options_of
from ditto_core.contracts.interaction import ToolDefinition
from ditto_core.errors import InvalidArgumentsError
from ditto_core.sandbox.text import clean_text

if TYPE_CHECKING:
    from ditto_cli.outcome import Outcome
    from ditto_cli.session import Session


def tool_command(name: str) -> Any:
    """The command of a tool that there is."""
    return command_of(tool_definition(name))


def command_of(definition: ToolDefinition) -> Any:
    """A command with the schema's properties as options."""
    options = {f"p{index}": option for index, option in enumerate(options_of(definition.input_schema))}

    def call(ctx: typer.Context, **given: Any) -> None:
        from ditto_cli.session import run

        def body(session: Session) -> Outcome:
            from ditto_cli.assembly import assembled
            from ditto_cli.tool_run import call_body

            arguments = arguments_of(options, given, given.get("args"))
            try:
                return call_body(session, assembled(session.options), definition.name, arguments)
            except InvalidArgumentsError as error:
                error.hint = missing_hint(options.values(), arguments) or error.hint
                raise

        run("tool", all_globals(ctx, given), body)

    call.__name__ = "call"
    call.__doc__ = clean_text(definition.description or "")
    own = [option.parameter(name) for name, option in options.items()]
    taken = [flag for option in options.values() for flag in option.taken]
    command = single(dressed(call, call, [*own, _args()], taken))
    command.name = definition.name
    command.called = "tool"
    return command


def _args() -> inspect.Parameter:
    option = typer.Option(
        "--args", help="All arguments at once, as a JSON object.", metavar="JSON|@FILE|-", show_default=False
    )
    return inspect.Parameter(
        "args", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, option]
    )
