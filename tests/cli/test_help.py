"""`--help`, `--version`, and a command line without a command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ditto_cli.app import COMMANDS
from ditto_cli.exits import EXITS
from ditto_core.version import __version__
from tests.cli.command import run


def test_help_lists_every_command_and_every_exit_code(folder: Path) -> None:
    ended = run(["--help"], folder)
    assert (ended.code, ended.err) == (0, "")
    words = " ".join(ended.out.split())
    for name, (_, line) in COMMANDS.items():
        assert f"{name} {line}" in words
    for code, reason in EXITS.items():
        assert f"{code} {reason}" in words


@pytest.mark.parametrize(
    "words", [["react"], ["tool"], ["tool", "list"], ["tool", "show"], ["tool", "write_text"], ["init"], ["schema"]]
)
def test_every_command_explains_itself_on_stdout(folder: Path, words: list[str]) -> None:
    ended = run([*words, "-h"], folder)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"Usage: ditto {' '.join(words)} ")
    assert "Global options:" in ended.out
    assert "Permissions (deny wins):" in ended.out
    assert "<int range>" not in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80


def test_the_help_of_a_command_begins_with_its_own_options(folder: Path) -> None:
    out = run(["react", "--help"], folder).out
    titles = re.findall(r"^(\w[\w ()]*):$", out, re.MULTILINE)
    assert titles == ["Arguments", "Options", "Global options", "Permissions (deny wins)"]


def test_a_word_after_two_dashes_is_no_option(folder: Path) -> None:
    ended = run(["react", "--dry-run", "--", "--help"], folder)
    assert ended.code == 0
    assert "--help" in ended.out


@pytest.mark.parametrize("words", [["--version"], ["--version", "--json"]])
def test_the_version_is_one_line(folder: Path, words: list[str]) -> None:
    ended = run(words, folder)
    assert (ended.code, ended.out, ended.err) == (0, f"ditto {__version__}\n", "")


def test_without_a_command_the_help_is_on_stderr_and_it_is_a_failure(folder: Path) -> None:
    ended = run([], folder)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("Usage: ditto")
    assert "error: no command was given" in ended.err


def test_a_misspelt_command_is_named_with_the_nearest(folder: Path) -> None:
    ended = run(["recat"], folder)
    assert ended.code == 2
    assert ended.err == "error: there is no command 'recat'\nhint: Did you mean react?\n"


@pytest.mark.parametrize(
    ("words", "path"),
    [(["react", "x", "--max-steps", "x"], "ditto react"), (["tool", "read_text", "--path"], "ditto tool read_text")],
)
def test_a_usage_error_names_the_command_whose_help_helps(folder: Path, words: list[str], path: str) -> None:
    ended = run(words, folder)
    assert ended.code == 2
    assert f"hint: {path} --help shows what it takes." in ended.err
