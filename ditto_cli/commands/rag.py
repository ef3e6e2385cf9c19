"""`ditto rag`: passages of files that say something about a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ditto_cli.command import Shorthand, group
from ditto_cli.options import Globals, with_globals
from ditto_cli.rag_options import RagOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ditto_cli.outcome import Outcome
    from ditto_cli.session import Session


class Rag(Shorthand):
    """`ditto rag TEXT` is `ditto rag query TEXT`."""

    default = "query"
    lines: ClassVar[Mapping[str, str]] = {"query": "Find passages; the word query may be left out."}


_ABOUT = "Find the passages of text files that say most about a text, each with its file and line."


@with_globals
def query(
    options: Globals,
    text: Annotated[str, typer.Argument(help="What to look for, in plain words.", metavar="TEXT")],
    corpus: Annotated[
        list[str] | None,
        typer.Option("--corpus", help="Search only this file or folder; repeatable.", metavar="PATH"),
    ] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Passages, at most.", min=1, metavar="N")] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", help="Estimated tokens of them all, at most.", min=1, metavar="N")
    ] = None,
) -> None:
    """Find the passages of text files that say most about a text, each with its file and line."""
    from ditto_cli.session import run

    asked = RagOptions(text=text, corpus=tuple(corpus or ()), limit=limit, max_tokens=max_tokens)
    run("rag", options, lambda session: _query(session, asked))


def _query(session: Session, asked: RagOptions) -> Outcome:
    from ditto_cli.assembly import assembled
    from ditto_cli.rag_run import rag_body

    return rag_body(session, assembled(session.options), asked)


def command() -> Any:
    """The command, for the table of commands."""
    return group(Rag, _ABOUT, {"query": query}, "TEXT|query TEXT [OPTIONS]...")
