"""Every example runs as it is, without network, and prints what it promises.

An example's docstring ends in a block headed `Prints:`. Its indented lines are the output; `…` stands for any text in
a line, and a line that is only `…` for any number of lines.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

OFFLINE = """
import runpy, sys

LOOPBACK = ("127.0.0.1", "::1", "localhost")

def refuse(event, arguments):
    if event == "socket.connect" and isinstance(arguments[1], tuple) and arguments[1][0] not in LOOPBACK:
        raise RuntimeError("an example connected to " + repr(arguments[1]))
    if event == "socket.getaddrinfo" and arguments[0] not in (*LOOPBACK, None):
        raise RuntimeError("an example looked up " + repr(arguments[0]))

sys.addaudithook(refuse)
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a script; connecting beyond this machine, or looking up a name, is an error."""


def run_offline(script: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Runs a script from the root of the repository, with no configuration of the person who tests."""
    kept = ("PATH", "LANG", "LC_ALL", "TMPDIR", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", OFFLINE, str(script)],
        cwd=ROOT,
        env={**env, "HOME": str(home), "PYTHONUTF8": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def promised(source: str) -> str | None:
    """The lines below `Prints:` of a module's docstring, without their indentation."""
    _, found, block = (ast.get_docstring(ast.parse(source)) or "").partition("\nPrints:\n")
    lines = [line.removeprefix("    ") for line in block.strip("\n").splitlines()]
    return "\n".join(lines).rstrip() if found else None


def keeps(promise: str, output: str) -> bool:
    """Whether an output is what a promise says."""
    lines = (
        r"(?:.*\n)*" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*") + r"[ \t]*\n"
        for line in promise.splitlines()
    )
    return re.fullmatch("".join(lines), output.rstrip() + "\n") is not None


def test_there_are_examples() -> None:
    assert EXAMPLES


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_prints_what_it_promises(example: Path, tmp_path: Path) -> None:
    promise = promised(example.read_text("utf-8"))
    assert promise, f"the docstring of {example.name} needs a block headed `Prints:`"
    run = run_offline(example, tmp_path)
    assert run.returncode == 0, run.stderr
    assert keeps(promise, run.stdout), f"promised:\n{promise}\nprinted:\n{run.stdout}"


def test_an_example_that_reaches_for_the_network_fails(tmp_path: Path) -> None:
    script = tmp_path / "connects.py"
    script.write_text("import socket\nsocket.create_connection(('192.0.2.1', 80), timeout=1)\n")
    run = run_offline(script, tmp_path)
    assert run.returncode == 1
    assert "192.0.2.1" in run.stderr


@pytest.mark.parametrize(
    ("promise", "output", "kept"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\nb", "a\n", False),
        ("a", "a\nb\n", False),
        ("a … c", "a 12 ms c\n", True),
        ("a … c", "a\nc\n", False),
        ("a\n…\nd", "a\nb\nc\nd\n", True),
        ("a\n…\nd", "a\nd\n", True),
        ("a\n…", "b\n", False),
        ("a.c", "abc\n", False),
        ("a", "", False),
    ],
)
def test_a_promise_is_kept_or_not(promise: str, output: str, *, kept: bool) -> None:
    assert keeps(promise, output) is kept


def test_the_promise_is_the_indented_block_of_the_docstring() -> None:
    assert promised('"""What it shows.\n\nPrints:\n\n    one\n      two\n"""') == "one\n  two"
    assert promised('"""What it shows."""') is None
