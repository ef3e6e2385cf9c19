"""Reading a configuration file as text, without hanging on what is no file."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ditto_core.errors import ConfigError

_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0)


def read_source(path: Path, limit: int) -> str | None:
    """The text of a regular UTF-8 file of at most `limit` bytes, without its BOM; None where no such file is.

    A FIFO, device, folder, link to nowhere, unreadable, oversize or non-UTF-8 file is a ConfigError, at once: the
    file is opened without waiting and its type is checked on the open descriptor.
    """
    try:
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        if path.is_symlink():
            raise ConfigError("the link leads nowhere", where=str(path)) from None
        return None
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=str(path)) from None
    except ValueError:
        raise ConfigError("this is no usable file name") from None
    try:
        raw = _regular(descriptor, path, limit)
    finally:
        os.close(descriptor)
    return decode(raw, str(path), limit)


def _regular(descriptor: int, path: Path, limit: int) -> bytes:
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise ConfigError("is not a regular file", where=str(path))
    parts: list[bytes] = []
    left = limit + 1
    try:
        while left > 0 and (part := os.read(descriptor, left)):
            parts.append(part)
            left -= len(part)
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", where=str(path)) from None
    return b"".join(parts)


def decode(raw: bytes, where: str, limit: int) -> str:
    """Bytes as text: at most `limit` of them, UTF-8, no NUL. A leading BOM is dropped."""
    if len(raw) > limit:
        raise ConfigError(f"is larger than {limit} bytes", where=where)
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ConfigError("is UTF-16", where=where, hint="Save the file as UTF-8.")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"is not UTF-8 (byte {error.start})", where=f"{where}:{line}") from None
    if "\0" in text:
        raise ConfigError("holds a NUL character", where=f"{where}:{line_of(text, text.index(chr(0)))}")
    return text.removeprefix("\ufeff")


def line_of(text: str, index: int) -> int:
    """The line, from 1, of a character."""
    return text.count("\n", 0, index) + 1
