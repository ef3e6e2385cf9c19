"""The command line as a real process: clean environment, bounded waits."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias

PROGRAM = (sys.executable, "-m", "ditto_cli")
CHILD = (sys.executable, str(Path(__file__).with_name("child.py")))
"""A command with tools and models of the tests; see `child.py`."""

PATIENCE = 30.0
"""Seconds after which a process hangs. Nothing here takes a tenth of it."""

Event: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ended:
    """What a process left."""

    code: int
    out: str
    err: str

    def document(self) -> dict[str, Any]:
        """stdout as exactly one JSON document."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value

    def events(self) -> list[Event]:
        """stdout as one event a line."""
        return [json.loads(line) for line in self.out.splitlines()]

    def last(self) -> Event:
        """The last event, which must be run.completed and say the exit code that the process had."""
        event = self.events()[-1]
        assert event["type"] == "run.completed"
        assert event["exitCode"] == self.code
        return event


def environment(home: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment without DITTO_* variables, keys and colour switches, whose user has no settings."""
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "LANG": "C.UTF-8",
        **(extra or {}),
    }


def run(
    args: Sequence[str | bytes],
    cwd: Path,
    *,
    env: Mapping[str, str] | None = None,
    stdin: bytes | int = subprocess.DEVNULL,
    timeout: float = PATIENCE,
    program: Sequence[str] = PROGRAM,
) -> Ended:
    """Runs one command to its end. `env` adds to a clean environment; `stdin` is bytes or a descriptor."""
    given: dict[str, Any] = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin}
    done = subprocess.run(
        [*program, *args],
        cwd=cwd,
        env=environment(cwd.parent / "home", env),
        capture_output=True,
        timeout=timeout,
        check=False,
        **given,
    )
    return Ended(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def shell(line: str, cwd: Path, *, env: Mapping[str, str] | None = None, timeout: float = PATIENCE) -> Ended:
    """Runs one line of bash in which `$ditto` is the command line."""
    given = {**environment(cwd.parent / "home", env), "ditto": " ".join(PROGRAM)}
    done = subprocess.run(["bash", "-c", line], cwd=cwd, env=given, capture_output=True, timeout=timeout, check=False)
    return Ended(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


@dataclass(frozen=True, slots=True)
class Piped:
    """A process under way and the reading ends of its two streams."""

    process: subprocess.Popen[bytes]
    out: IO[bytes]
    err: IO[bytes]


@contextlib.contextmanager
def piped(args: Sequence[str], cwd: Path) -> Iterator[Piped]:
    """Starts a command and leaves reading to the test. The process does not survive the block."""
    command, env = [*PROGRAM, *args], environment(cwd.parent / "home")
    pipe, null = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(command, cwd=cwd, env=env, stdin=null, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            yield Piped(process, process.stdout, process.stderr)
        finally:
            process.kill()


class Running:
    """A command that runs and prints ndjson. Leave it as a context manager: nothing survives the test."""

    def __init__(
        self,
        args: Sequence[str],
        cwd: Path,
        *,
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = PROGRAM,
        group: bool = False,
        before: Callable[[], None] | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            [*program, *args],
            cwd=cwd,
            env=environment(cwd.parent / "home", env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=group,
            preexec_fn=before,  # noqa: PLW1509  # it calls the system only
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._seen: list[str] = []
        self._is_read = False
        self._errors: list[bytes] = []
        self._readers = [
            threading.Thread(target=self._read_out, daemon=True),
            threading.Thread(target=self._read_err, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()

    def until(self, tag: str, **fields: Any) -> Event:
        """The next event with that tag and these fields."""
        while True:
            line = self._lines.get(timeout=PATIENCE)
            assert line is not None, f"the process ended before {tag}: {self._seen} {self._errors}"
            self._seen.append(line)
            event: Event = json.loads(line)
            if event["type"] == tag and all(event.get(name) == value for name, value in fields.items()):
                return event

    def signal(self, number: signal.Signals, *, group: bool = False) -> None:
        """Sends a signal to the process, or to its whole group."""
        if group:
            os.killpg(self.process.pid, number)
        else:
            self.process.send_signal(number)

    def ended(self) -> Ended:
        """Waits for the end."""
        code = self.process.wait(PATIENCE)
        for reader in self._readers:
            reader.join(PATIENCE)
        while not self._is_read and (line := self._lines.get(timeout=PATIENCE)) is not None:
            self._seen.append(line)
        self._is_read = True
        return Ended(code, "".join(self._seen), b"".join(self._errors).decode("utf-8"))

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.decode("utf-8"))
        self._lines.put(None)

    def _read_err(self) -> None:
        assert self.process.stderr is not None
        self._errors.extend(self.process.stderr)


def script(folder: Path, *turns: Mapping[str, Any] | str, name: str = "script.json") -> str:
    """Writes a script for the scripted model; the value for `--model`."""
    (folder / name).write_text(json.dumps({"turns": turns}), "utf-8")
    return f"scripted/{name}"


def asks(name: str, **arguments: Any) -> dict[str, Any]:
    """A turn that asks for one action."""
    return {"actions": [{"name": name, "arguments": arguments}]}


WAITS = {"delayMs": 60_000, "text": "too late"}
"""A turn that takes longer than any test waits."""
