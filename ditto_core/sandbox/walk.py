"""Opening beneath a folder one component at a time, for systems without openat2."""

from __future__ import annotations

import errno
import os
import stat
from collections import deque
from contextlib import ExitStack

from ditto_core.sandbox.opened import PLACE_FLAGS, Opened, process_device

_MAX_LINKS = 40
"""As many as Linux follows in one lookup. Also bounds how often a changing component is tried again."""


class WalkOpener:
    """Opener that follows links by hand: each component is opened with O_NOFOLLOW in the folder opened before it.

    `..` goes back to a folder that is already open, never to what the file system calls the parent by now.
    """

    name = "walk"

    def open(self, root: int, path: str, flags: int) -> Opened:
        """Opens `path`; the caller closes the descriptor."""
        with ExitStack() as folders:
            return _Lookup(root, path, flags, folders).run()


class _Lookup:
    def __init__(self, root: int, path: str, flags: int, folders: ExitStack) -> None:
        self._flags = flags | os.O_NOFOLLOW
        self._to_close = folders
        self._folders = [root]
        self._names: list[str] = []
        self._pending = deque(_components(path))
        self._links = 0

    def run(self) -> Opened:
        while self._pending:
            name = self._pending.popleft()
            if name == "..":
                self._go_up()
            elif self._pending:
                self._go_down(name)
            elif (descriptor := self._open(name, self._flags)) is not None:
                return Opened(descriptor, "/".join((*self._names, name)))
        # Nothing is left to open: the path was `.` or ended in `..`, so it is the folder reached last.
        return Opened(os.open(".", self._flags, dir_fd=self._folders[-1]), "/".join(self._names) or ".")

    def _go_up(self) -> None:
        if not self._names:
            raise _refusal(errno.EXDEV)
        self._names.pop()
        self._folders.pop()  # closed at the end: a lookup has few of them

    def _go_down(self, name: str) -> None:
        folder = self._open(name, PLACE_FLAGS | os.O_NOFOLLOW)
        if folder is not None:
            self._to_close.callback(os.close, folder)
            self._folders.append(folder)
            self._names.append(name)

    def _open(self, name: str, flags: int) -> int | None:
        """Opens one component, or puts the target of a link in its place and returns None."""
        try:
            return os.open(name, flags, dir_fd=self._folders[-1])
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.ENOTDIR, errno.EMLINK):
                raise
            self._follow(name, error)
            return None

    def _follow(self, name: str, refused: OSError) -> None:
        self._links += 1
        if self._links > _MAX_LINKS:
            raise _refusal(errno.ELOOP)
        try:
            target = os.readlink(name, dir_fd=self._folders[-1])
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            if refused.errno == errno.ENOTDIR and not self._is_folder(name):
                raise refused from None
            target = name  # a link a moment ago, now a file or folder: try the component again
        if os.fstat(self._folders[-1]).st_dev == process_device():
            raise _refusal(errno.ELOOP)  # links of /proc may lead anywhere, whatever their text says
        if target.startswith("/"):
            raise _refusal(errno.EXDEV)
        self._pending.extendleft(reversed(_components(target)))

    def _is_folder(self, name: str) -> bool:
        return stat.S_ISDIR(os.stat(name, dir_fd=self._folders[-1], follow_symlinks=False).st_mode)


def _components(path: str) -> list[str]:
    return [name for name in path.split("/") if name not in ("", ".")]


def _refusal(code: int) -> OSError:
    return OSError(code, os.strerror(code))
