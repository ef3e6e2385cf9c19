"""`ditto react`: the agent loop on a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from ditto_cli.completion import model_names, skill_names, tool_names
from ditto_cli.options import Globals, with_globals
from ditto_cli.react_options import ReactOptions

if TYPE_CHECKING:
    from ditto_cli.outcome import Outcome
    from ditto_cli.session import Session

Skills: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--skill", help="Put a skill before the prompt; repeatable.", metavar="NAME|PATH", autocompletion=skill_names
    ),
]
Passages: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--rag", help="Put the passages of a file or folder that match the prompt before it.", metavar="PATH"),
]


@with_globals
def react(
    options: Globals,
    prompt: Annotated[str, typer.Argument(help="What to do; - reads it from standard input.", metavar="PROMPT|-")],
    model: Annotated[
        str | None,
        typer.Option("--model", help="The model to use.", metavar="PROVIDER/MODEL", autocompletion=model_names),
    ] = None,
    tool: Annotated[
        list[str] | None,
        typer.Option("--tool", help="Offer only this tool; repeatable.", metavar="NAME", autocompletion=tool_names),
    ] = None,
    system: Annotated[
        str | None, typer.Option("--system", help="The system prompt instead of Ditto's.", metavar="TEXT|@FILE")
    ] = None,
    file: Annotated[
        list[str] | None,
        typer.Option("--file", help="Put a file before the prompt; - is standard input; repeatable.", metavar="PATH"),
    ] = None,
    skill: Skills = None,
    rag: Passages = None,
    max_steps: Annotated[
        int | None, typer.Option("--max-steps", help="Model calls, at most.", min=1, metavar="N")
    ] = None,
    max_action_calls: Annotated[
        int | None, typer.Option("--max-action-calls", help="Actions, at most; 0 runs none.", min=0, metavar="N")
    ] = None,
    max_total_tokens: Annotated[
        int | None,
        typer.Option("--max-total-tokens", help="Tokens after which no further model call starts.", min=1, metavar="N"),
    ] = None,
    timeout: Annotated[
        str | None, typer.Option("--timeout", help="Time for the whole run: 30, 30s, 5m, 500ms.", metavar="DURATION")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would happen; call no model.", show_default=False)
    ] = False,
    show_thinking: Annotated[
        bool, typer.Option("--show-thinking", help="Show the model's reasoning.", show_default=False)
    ] = False,
) -> None:
    """Run the agent loop on a prompt: ask the model, run its actions, show it the results, until it answers."""
    from ditto_cli.session import run

    asked = ReactOptions(
        prompt=prompt,
        model=model,
        tools=tuple(tool or ()),
        system=system,
        files=tuple(file or ()),
        skills=tuple(skill or ()),
        rag=tuple(rag or ()),
        max_steps=max_steps,
        max_action_calls=max_action_calls,
        max_total_tokens=max_total_tokens,
        timeout=timeout,
        dry_run=dry_run,
        show_thinking=show_thinking,
    )
    run("react", options, lambda session: _react(session, asked))


def _react(session: Session, asked: ReactOptions) -> Outcome:
    from ditto_cli.configuration import load_config

    config = load_config(session.options).config
    from ditto_cli.assembly import assemble  # a configuration that cannot be used is told before this is imported
    from ditto_cli.react_run import react_body

    return react_body(session, assemble(config, session.options), asked)


def command() -> Any:
    """The command, for the table of commands."""
    from ditto_cli.command import single

    return single(react)
