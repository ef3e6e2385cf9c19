"""How long a command takes to start, as multiples of the interpreter's own start.

    python benchmarks/startup.py [--rounds 15] [--venv DIR]

Every command is a fresh process in a clean virtual environment with compiled bytecode; the rounds are interleaved, so
that a slow moment of the machine hits all of them. stdin is empty and output goes into a pipe. The time is from
before the fork until the process has gone; the memory is the largest resident set that the kernel reports for it.
`--venv` keeps the environment in a folder and uses it again, with the project installed anew.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HELLO = "import typer; app = typer.Typer(); app.command()(lambda: print('hello')); app()"
QUESTION = "summarize README.md"

LAUNCHER = """
import posix, sys, time
words = sys.argv[1:]
reading, writing = posix.pipe()
nothing = posix.open("/dev/null", posix.O_RDONLY)
move = posix.POSIX_SPAWN_DUP2
actions = [(move, nothing, 0), (move, writing, 1), (move, writing, 2), (posix.POSIX_SPAWN_CLOSE, reading)]
before = time.perf_counter()
pid = posix.posix_spawn(words[0], words, posix.environ, file_actions=actions)
posix.close(writing)
printed = []
while piece := posix.read(reading, 65536):
    printed.append(piece)
_, status, usage = posix.wait4(pid, 0)
print(time.perf_counter() - before, usage.ru_maxrss, status)
posix.write(2, b"".join(printed))
"""
"""Runs one process and prints seconds, peak and status.

A process inherits the peak of the one that starts it, so that must be smaller than all that is measured: an interpreter
without `site` that imports built-in modules only.
"""


@dataclass(frozen=True, slots=True)
class Command:
    """What is measured, and the multiple of `python -c pass` to stay under (None: for comparison only)."""

    name: str
    words: tuple[str, ...]
    aim: float | None = None
    seconds: list[float] = field(default_factory=list)
    peaks: list[int] = field(default_factory=list)


def commands(venv: Path) -> tuple[Command, ...]:
    """The base line first."""
    python, ditto = str(venv / "bin" / "python"), str(venv / "bin" / "ditto")
    return (
        Command("python -c pass", (python, "-c", "pass")),
        Command("typer hello world", (python, "-c", HELLO)),
        Command("ditto --version", (ditto, "--version"), 4),
        Command("ditto --help", (ditto, "--help"), 8),
        Command("ditto tool read_text --path README.md", (ditto, "tool", "read_text", "--path", "README.md"), 18),
        Command(f'ditto react "{QUESTION}"', (ditto, "react", QUESTION), 20),
    )


def environment() -> dict[str, str]:
    """A plain one: nothing that configures Python or Ditto, and bytecode may be written and read."""
    kept = ("PATH", "HOME", "LANG", "TMPDIR", "PIP_INDEX_URL", "PIP_CONFIG_FILE", "SSL_CERT_FILE")
    return {name: os.environ[name] for name in kept if name in os.environ}


def install(venv: Path) -> None:
    """Makes the environment if it is not there, and installs the project into it, not editable, all compiled."""
    python = str(venv / "bin" / "python")
    if not Path(python).exists():
        subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True, env=environment())
    pip = [python, "-m", "pip", "install", "--quiet", "--compile", "--disable-pip-version-check"]
    subprocess.run([*pip, str(ROOT)], check=True, env=environment())
    subprocess.run([*pip, "--force-reinstall", "--no-deps", str(ROOT)], check=True, env=environment())
    subprocess.run([python, "-m", "compileall", "-q", str(venv / "lib")], check=False, env=environment())


def measure(words: tuple[str, ...]) -> tuple[float, int]:
    """Seconds and peak bytes of one process. Raises RuntimeError when it does not exit with 0."""
    launch = [sys.executable, "-I", "-S", "-c", LAUNCHER, *words]
    done = subprocess.run(launch, env=environment(), capture_output=True, text=True, check=True)
    seconds, peak, status = done.stdout.split()
    if status != "0":
        raise RuntimeError(f"{' '.join(words)} failed:\n{done.stderr}")
    return float(seconds), int(peak) * (1 if sys.platform == "darwin" else 1024)


def run(found: Sequence[Command], rounds: int) -> None:
    """One warm-up of each command, then the rounds, all commands in each."""
    for turn in range(-1, rounds):
        for command in found:
            seconds, peak = measure(command.words)
            if turn >= 0:
                command.seconds.append(seconds)
                command.peaks.append(peak)


def report(found: Sequence[Command]) -> str:
    """A Markdown table. The ratio is the median over the rounds of the ratio within a round."""
    base = found[0].seconds
    rows = ["| command | median | × `python -c pass` | aim | peak memory |", "|---|---|---|---|---|"]
    for command in found:
        ratio = statistics.median(one / floor for one, floor in zip(command.seconds, base, strict=True))
        aim = f"≤ {command.aim:g}" if command.aim else ""
        milliseconds = statistics.median(command.seconds) * 1000
        peak = statistics.median(command.peaks) / 2**20
        rows.append(f"| `{command.name}` | {milliseconds:.1f} ms | {ratio:.1f} | {aim} | {peak:.0f} MB |")
    return "\n".join(rows)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15, help="measurements of each command (default 15)")
    parser.add_argument("--venv", type=Path, help="a folder to keep the environment in")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ditto-startup-") as made:
        venv = (options.venv or Path(made) / "venv").absolute()
        install(venv)
        folder = Path(made) / "work"
        folder.mkdir()
        for name in ("README.md", "ditto.yaml"):
            shutil.copy(ROOT / name, folder)
        found = commands(venv)
        os.chdir(folder)
        run(found, max(1, options.rounds))
        os.chdir(ROOT)
        print(
            f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} cores, {options.rounds} rounds"
        )
        print(report(found))


if __name__ == "__main__":
    main()
