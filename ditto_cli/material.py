"""Text that a person hands over on the command line: standard input and files."""

from __future__ import annotations

import os
import stat

from ditto_cli.failure import UsageError

MAX_BYTES = 1024 * 1024
"""Largest text that is taken from standard input or from `@FILE`."""


def read_stdin(option: str) -> str:
    """Standard input to its end, as UTF-8. Raises UsageError when it is too large or no text."""
    chunks: list[bytes] = []
    size = 0
    while size <= MAX_BYTES:
        chunk = os.read(0, 65536)
        if not chunk:
            return _decoded(b"".join(chunks), f"{option} from standard input")
        chunks.append(chunk)
        size += len(chunk)
    raise UsageError(f"{option}: standard input holds more than {MAX_BYTES} bytes")


def read_named_file(path: str, option: str) -> str:
    """A file that the person named as `@FILE`, wherever it is. A FIFO or a device is refused, not waited for."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a file name"
        raise UsageError(f"{option}: cannot read {path[:200]!r}: {reason}") from error
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UsageError(f"{option}: {path[:200]!r} is not a regular file")
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise UsageError(f"{option}: {path[:200]!r} holds more than {MAX_BYTES} bytes")
    return _decoded(data, f"{option} from {path[:200]!r}")


def checked_argument(text: str, name: str) -> str:
    """An argument as text. Raises UsageError when the shell passed bytes that are no UTF-8, or nothing at all."""
    try:
        text = as_utf8(text)
    except ValueError:
        raise UsageError(f"{name} is not valid UTF-8") from None
    if not text.strip():
        raise UsageError(f"{name} is empty")
    return text


def as_utf8(argument: str) -> str:
    """An argument as the text that its bytes say in UTF-8, whatever the locale. Raises ValueError for other bytes."""
    try:
        argument.encode()
    except UnicodeEncodeError:  # Python could not decode it as the locale wants
        return os.fsencode(argument).decode()
    return argument


def _decoded(data: bytes, what: str) -> str:
    try:
        text = data.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"{what} is not valid UTF-8 at byte {error.start}") from None
    if "\0" in text:
        raise UsageError(f"{what} holds a NUL byte, so it is no text")
    return text
