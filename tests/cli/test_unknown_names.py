"""Permission flags with a name that there is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--deny-tool", "writetext"],
            "--deny-tool writetext denies nothing: there is no such tool. Did you mean write_text?",
        ),
        (["--deny-tool", "git*"], "--deny-tool git* denies nothing"),
        (["--allow-tool", "nope"], "--allow-tool nope allows nothing: there is no such tool."),
        (["--allow-mcp", "fils/read"], "Did you mean files?"),
        (["--deny-mcp", "fils"], "Did you mean files?"),
        (["--allow-secret-file", ".envv"], "there is no such file. Did you mean .env?"),
    ],
)
def test_a_name_that_there_is_not_is_told_in_one_line_with_the_nearest(
    folder: Path, words: list[str], said: str
) -> None:
    (folder / ".env").touch()
    ended = run(["tool", "read_text", "--path", "README.md", *words, *words], folder)
    assert ended.code == 0
    notes = [line for line in ended.err.splitlines() if line.startswith("note: ")]
    assert len(notes) == 1
    assert said in notes[0]


def test_a_file_whose_name_is_too_long_is_no_crash(folder: Path) -> None:
    ended = run(["tool", "list", "--allow-secret-file", "x" * 300], folder)
    assert ended.code == 0
    assert "there is no such file" in ended.err


@pytest.mark.parametrize(
    "words",
    [
        ["--deny-tool", "write_text", "--deny-tool", "list*", "--deny-tool", "*"],
        ["--allow-tool", "write_text", "--allow-tool", "*"],
        ["--allow-mcp", "files", "--allow-mcp", "files/read", "--deny-mcp", "files/*", "--deny-mcp", "*"],
        ["--allow-secret-file", ".env"],
        ["--allow-skill", "anything"],
    ],
)
def test_names_that_there_are_need_no_word(folder: Path, words: list[str]) -> None:
    (folder / ".env").touch()
    assert "note:" not in run(["tool", "list", *words], folder).err
