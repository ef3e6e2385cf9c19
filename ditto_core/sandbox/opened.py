"""A descriptor that was opened beneath the workspace root, and how it is opened."""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import NamedTuple, Protocol

O_PATH = getattr(os, "O_PATH", os.O_RDONLY)
"""A descriptor that only stands for a place. Systems without it open the folder for reading instead."""

READ_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""O_NONBLOCK: opening a FIFO must not wait for a writer. O_NOCTTY: a terminal must not become ours."""

FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
PLACE_FLAGS = O_PATH | os.O_DIRECTORY | os.O_CLOEXEC


class Opened(NamedTuple):
    """An open descriptor and the relative name it really has, after every link; `.` is the root itself."""

    descriptor: int
    real: str


class Opener(Protocol):
    """Opens `path` beneath the folder `root`, so that no link, `..` or rename leads out of it.

    Relative links that stay beneath are followed. Raises OSError: EXDEV when the path leaves, ELOOP for a loop or a
    magic link of /proc, EAGAIN when the folders kept changing.
    """

    name: str

    def open(self, root: int, path: str, flags: int) -> Opened:
        """Opens; the caller closes the descriptor."""


def descriptor_path(descriptor: int) -> str:
    """Returns the absolute path the kernel knows for an open descriptor. Raises OSError where it does not say."""
    if sys.platform == "darwin":
        import fcntl

        return os.fsdecode(fcntl.fcntl(descriptor, fcntl.F_GETPATH, bytes(1024)).rstrip(b"\0"))
    return str(Path(f"/proc/self/fd/{descriptor}").readlink())


@functools.cache
def process_device() -> int | None:
    """Returns the device number of /proc, where there is one."""
    try:
        return Path("/proc/self").stat().st_dev
    except OSError:
        return None
