"""What the Tab key offers, asked as shells ask."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import PATIENCE, environment, run
from tests.cli.terminal import Terminal
from tests.tools import require

HEAVY = ("pydantic", "rich", "anyio", "yaml", "jsonschema_rs", "httpx2", "mcp", "ditto_core.contracts")
SHELLS = ("bash", "zsh", "fish")


def offered(folder: Path, line: str) -> list[str]:
    """What bash would be offered for the last word of the line."""
    words = line.split(" ")
    env = {"_DITTO_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    ended = run([], folder, env=env)
    assert ended.code == 0
    assert ended.err == ""
    return ended.out.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ditto re", ["react"]),
        ("ditto --deny-r", ["--deny-read"]),
        ("ditto tool rea", ["read_text"]),
        ("ditto tool show wri", ["write_text"]),
        ("ditto react --tool li", ["list_dir"]),
        ("ditto react --model off", ["offline"]),
        ("ditto tool list --allow-tool sea", ["search_text"]),
        ("ditto react --max-s", ["--max-steps"]),
        ("ditto tool read_text --start", ["--startLine", "--start-line"]),
        ("ditto -o nd", ["ndjson"]),
        ("ditto schema con", ["config"]),
        ("ditto tool no_such_tool --", []),
        ("ditto no_such_command ", []),
    ],
)
def test_names_and_options_are_completed(folder: Path, line: str, expected: list[str]) -> None:
    if not expected:
        assert "react" not in offered(folder, line)[1:]
    else:
        assert offered(folder, line) == expected


def test_commands_and_tools_are_all_offered(folder: Path) -> None:
    assert offered(folder, "ditto ") == ["react", "tool", "rag", "skill", "mcp", "init", "config", "schema"]
    assert offered(folder, "ditto tool ") == ["list", "show", "read_text", "list_dir", "search_text", "write_text"]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("line", ["ditto tool rea", "ditto react --tool rea"])
def test_names_come_without_heavy_imports(folder: Path, shell: str, line: str) -> None:
    code = (
        "import sys, atexit\n"
        f"atexit.register(lambda: print([m for m in {HEAVY!r} if sys.modules.get(m)], file=sys.stderr))\n"
        "sys.argv = ['ditto']\nfrom ditto_cli.__main__ import main\nmain()"
    )
    env = {
        "_DITTO_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
        "_TYPER_COMPLETE_ARGS": line,
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
    }
    ended = run(["-c", code], folder, env=env, program=(sys.executable,))
    assert ended.out.strip()
    assert ended.err.strip() == "[]"


@pytest.mark.interop
@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_for_a_shell_is_printed(folder: Path, shell: str) -> None:
    program = require(shell)
    ended = run(["-c", f"{sys.executable} -m ditto_cli --show-completion; true"], folder, program=(program,))
    assert f"complete_{shell}" in ended.out


LOAD = {
    "bash": 'PS1="ready> "; eval "$(ditto --show-completion)"; echo loa""ded',
    "zsh": 'PS1="ready> "; autoload -Uz compinit; compinit -u; eval "$(ditto --show-completion)"; echo loa""ded',
    "fish": 'function fish_prompt; echo "ready> "; end; ditto --show-completion | source; echo loa""ded',
}
START = {"bash": ("--norc", "--noprofile", "-i"), "zsh": ("-f", "-i"), "fish": ("--no-config", "-i")}


@pytest.mark.interop
@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("typed", "completed"), [("ditto re", "ditto react"), ("ditto tool rea", "ditto tool read_text")]
)
def test_a_real_shell_completes_what_is_typed(folder: Path, shell: str, typed: str, completed: str) -> None:
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    launcher = bin_folder / "ditto"
    launcher.write_text(f'#!/bin/sh\nexec {sys.executable} -m ditto_cli "$@"\n', "utf-8")
    launcher.chmod(0o755)
    path = f"{bin_folder}:{environment(folder)['PATH']}"
    env = {"PATH": path, "TERM": "dumb" if shell != "fish" else "xterm", "HOME": str(folder)}
    with Terminal(START[shell], folder, env=env, program=(require(shell),), columns=200) as terminal:
        terminal.type(LOAD[shell].encode() + b"\r")
        terminal.until("loaded")
        terminal.type(f"{typed}\t".encode())
        terminal.until(completed)


def test_a_wrong_request_for_completion_fails_and_does_not_run_a_command(folder: Path) -> None:
    for instruction in ("complete_nosuchshell", "nonsense"):
        ended = run(["tool", "list"], folder, env={"_DITTO_COMPLETE": instruction})
        assert ended.code != 0
        assert "read_text" not in ended.out


def test_loading_the_script_takes_one_process(folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ditto_cli"],
        cwd=folder,
        env=environment(folder.parent / "home", {"_DITTO_COMPLETE": "source_bash"}),
        capture_output=True,
        timeout=PATIENCE,
        check=True,
    )
    assert b"complete -o default -F _ditto_completion ditto" in done.stdout
