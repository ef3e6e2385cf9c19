"""The two streams of a command, held at the level of file descriptors.

stdout is taken away from everything else in the process: from the first command on, descriptor 1 leads to stderr, so a
library that prints, a tool or a child cannot write into the answer. It is not given back, because buffers of C
libraries are written when the process ends.
"""

from __future__ import annotations

import contextlib
import os
import select
import stat
import sys
from functools import cache

_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL
_LAST_WAIT = 200
"""Milliseconds that the last words of a process wait for a reader."""


class ReaderGoneError(Exception):
    """Nobody reads stdout any more, or it cannot be written. `reason` is the system's word for the latter."""

    def __init__(self, reason: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason


class Channel:
    """A descriptor that text is written to, as UTF-8; what UTF-8 cannot say becomes a question mark.

    It waits for room before it writes, and then writes no more than a pipe takes at once. So a signal interrupts the
    wait, not the write, and what is left is known at that moment.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._rest = memoryview(b"")
        self._step = 1024 * 1024 if stat.S_ISREG(os.fstat(descriptor).st_mode) else select.PIPE_BUF
        self.is_terminal = os.isatty(descriptor)

    def write(self, text: str) -> None:
        """Writes all of it, however long that takes. Raises OSError."""
        self._pour(text, None)

    def write_now(self, text: str) -> None:
        """Writes what was not written yet and then `text`, as far as the other end takes it. Raises nothing."""
        with contextlib.suppress(OSError):
            self._pour(text, _LAST_WAIT)

    @property
    def stuck(self) -> bool:
        """Whether a write is under way that waits for a reader."""
        return bool(self._rest) and not self._poll(0)

    def gone(self) -> bool:
        """Whether the other end is closed, found out without writing."""
        return bool(self._poll(0) & _GONE)

    def _pour(self, text: str, wait: int | None) -> None:
        self._rest = memoryview(bytes(self._rest) + text.encode("utf-8", "replace"))
        try:
            while self._rest and self._poll(wait):
                with contextlib.suppress(BlockingIOError):  # another process may have made the pipe non-blocking
                    self._rest = self._rest[os.write(self._descriptor, self._rest[: self._step]) :]
        except OSError:
            self._rest = memoryview(b"")
            raise

    def _poll(self, wait: int | None) -> int:
        poll = select.poll()
        poll.register(self._descriptor, select.POLLOUT)
        return sum(flags for _, flags in poll.poll(wait))


class Streams:
    """Where a command writes."""

    def __init__(self, out: int, err: int) -> None:
        self.out = Channel(out)
        self.err = Channel(err)

    def write_out(self, text: str) -> None:
        """Writes to stdout, all of it. Raises ReaderGoneError."""
        try:
            self.out.write(text)
        except BrokenPipeError as error:
            raise ReaderGoneError from error
        except OSError as error:
            raise ReaderGoneError(error.strerror) from error

    def write_err(self, text: str) -> None:
        """Writes to stderr. A closed stderr is nobody's loss."""
        with contextlib.suppress(OSError):
            self.err.write(text)


@cache
def take_streams() -> Streams:
    """The streams of this process. From now on descriptor 1 and `sys.stdout` lead to stderr."""
    open_closed_descriptors()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    out = os.dup(1)
    os.dup2(2, 1)
    return Streams(out, 2)


def open_closed_descriptors() -> None:
    """Opens what the parent left closed among 0, 1 and 2, so that no later file takes its number.

    A closed stdout becomes a pipe without a reader: writing an answer to it fails, as it should.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            _open(number)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)


def settle() -> None:
    """Writes what `print` has buffered. What nobody takes goes nowhere, else the interpreter complains when it ends."""
    for number, stream in ((1, sys.stdout), (2, sys.stderr)):
        try:
            stream.flush()
        except (OSError, ValueError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, number)
            os.close(null)


def _open(number: int) -> None:
    if number == 1:
        reader, opened = os.pipe()
        os.close(reader)
    else:
        opened = os.open(os.devnull, os.O_RDWR)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
