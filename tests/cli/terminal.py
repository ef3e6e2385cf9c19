"""A command at a pseudo-terminal of its own."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.cli.command import PATIENCE, PROGRAM, environment

SGR = re.compile(rb"\x1b\[[0-9;]*m")
"""The only escape sequence that the command line itself writes: colour."""

RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What must not reach a terminal: control characters but newline and tab, and changes of direction."""


class Terminal:
    """A process whose stdin, stdout and stderr are one terminal, which is its controlling one."""

    def __init__(
        self,
        args: Sequence[str | bytes],
        cwd: Path,
        *,
        env: Mapping[str, str] | None = None,
        program: Sequence[str] = PROGRAM,
        columns: int = 80,
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.seen = b""
        self.process = subprocess.Popen(
            [*program, *args],
            cwd=cwd,
            env=environment(cwd.parent / "home", {"TERM": "xterm-256color", **(env or {})}),
            preexec_fn=lambda: os.login_tty(slave),  # noqa: PLW1509  # it calls the system only
        )
        os.close(slave)

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        self.hang_up()

    def hang_up(self) -> None:
        """Closes the terminal's window."""
        if self._master >= 0:
            os.close(self._master)
        self._master = -1

    def type(self, keys: bytes) -> None:
        """Types."""
        os.write(self._master, keys)

    def until(self, text: str) -> None:
        """Reads until the terminal shows the text."""
        while text.encode() not in SGR.sub(b"", self.seen):
            assert self._read(), f"the process ended before {text!r}: {self.seen!r}"

    def ended(self) -> tuple[int, bytes]:
        """The exit code and everything that was shown."""
        while self._read():
            pass
        return self.process.wait(PATIENCE), self.seen

    def _read(self) -> bool:
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            if select.select([self._master], [], [], 0.1)[0]:
                try:
                    chunk = os.read(self._master, 65536)
                except OSError:  # how Linux says that nobody has the terminal open any more
                    return False
                self.seen += chunk
                return bool(chunk)
        raise TimeoutError(f"nothing came: {self.seen!r}")


def show(
    args: Sequence[str | bytes],
    cwd: Path,
    *,
    env: Mapping[str, str] | None = None,
    program: Sequence[str] = PROGRAM,
) -> tuple[int, str]:
    """Runs a command at a terminal; its exit code, and what was shown, without colours and with plain newlines.

    Fails when anything reached the terminal that must not.
    """
    with Terminal(args, cwd, env=env, program=program) as terminal:
        code, seen = terminal.ended()
    text = SGR.sub(b"", seen).replace(b"\r\n", b"\n").decode("utf-8")
    assert RAW.search(text) is None, f"{RAW.findall(text)} in {text!r}"
    assert b"\x1b[38;5;123m" not in seen, "the command line itself uses plain colours only"
    return code, text
