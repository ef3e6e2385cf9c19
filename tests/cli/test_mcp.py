"""`ditto mcp`: what is missing is said, and is a failure."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run

CALLS = (
    ("mcp", "discover"),
    ("mcp", "discover", "--server", "files"),
    ("mcp", "invoke", "files", "read_text", "--path", "README.md"),
    ("mcp", "show", "files", "read_text"),
    ("mcp", "servers"),
    ("mcp", "import", ".mcp.json"),
)


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_every_word_says_that_it_is_not_part_of_this_release(folder: Path, words: tuple[str, ...]) -> None:
    ended = run([*words, "-o", "json"], folder)
    document = ended.document()
    assert ended.code == document["exitCode"] == 6
    assert document["command"] == " ".join(words[:2])
    assert "not part of this release" in document["error"]["message"]
    assert document["error"]["hint"]


def test_the_help_says_so_too(folder: Path) -> None:
    assert "mcp     MCP servers; not part of this release." in run(["--help"], folder).out
    for words in (["mcp"], ["mcp", "discover"]):
        ended = run([*words, "--help"], folder)
        assert ended.code == 0
        assert "not part of this release" in ended.out


def test_a_word_that_there_will_never_be_is_a_usage_error(folder: Path) -> None:
    ended = run(["mcp", "discovr", "-o", "json"], folder)
    assert ended.code == 2
    assert ended.document()["error"]["hint"] == "Did you mean discover?"
