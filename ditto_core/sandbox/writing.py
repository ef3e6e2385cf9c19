"""Replacing a file as a whole, beneath an open root descriptor, without following any link."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from ditto_core.sandbox.opened import PLACE_FLAGS

_LINK = errno.ELOOP


class WrittenFile(NamedTuple):
    """What was written: the relative path, its size in bytes, and whether the file is new."""

    path: str
    size: int
    created: bool


@contextmanager
def parent_folder(root: int, folders: Sequence[str]) -> Iterator[int]:
    """Opens the folder, and creates what is missing of it (mode 0777 less the umask). Created folders stay.

    Raises OSError: ELOOP where a component is a link, ENOTDIR where it is a file.
    """
    descriptor = os.dup(root)
    try:
        for name in folders:
            deeper = _folder(descriptor, name)
            os.close(descriptor)
            descriptor = deeper
        yield descriptor
    finally:
        os.close(descriptor)


def replace_file(folder: int, name: str, data: bytes) -> bool:
    """Writes `data` to a temporary file in `folder`, then renames it to `name`. Returns whether the file is new.

    Until the rename the old file is whole; afterwards the new one is, also after a crash. Permission bits and, where
    allowed, the owner are kept; a hard link is broken. On any failure the temporary file is removed. Raises OSError:
    ELOOP where the target is a link, EISDIR where it is no regular file, EACCES where it is marked read-only.
    """
    old = _old_file(folder, name)
    with _temporary(folder, 0o666 if old is None else 0o600) as (temporary, descriptor):
        _fill(descriptor, data)
        if old is not None:
            _keep_owner_and_mode(descriptor, old)
        os.fsync(descriptor)
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    return old is None


def _folder(parent: int, name: str) -> int:
    flags = PLACE_FLAGS | os.O_NOFOLLOW
    try:
        return os.open(name, flags, dir_fd=parent)
    except FileNotFoundError:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
        return os.open(name, flags, dir_fd=parent)
    except NotADirectoryError:
        _refuse_link(os.stat(name, dir_fd=parent, follow_symlinks=False))
        raise


def _old_file(folder: int, name: str) -> os.stat_result | None:
    try:
        old = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None
    _refuse_link(old)
    if not stat.S_ISREG(old.st_mode):
        raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
    if old.st_mode & 0o222 == 0:  # a rename would ignore the mark that the owner has put there
        raise OSError(errno.EACCES, "it is marked read-only")
    return old


def _refuse_link(found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise OSError(_LINK, os.strerror(_LINK))


@contextmanager
def _temporary(folder: int, mode: int) -> Iterator[tuple[str, int]]:
    name = f".ditto-{secrets.token_hex(8)}.tmp"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, mode, dir_fd=folder)
    unfinished = (folder, name)
    _unfinished.add(unfinished)
    try:
        yield name, descriptor
    except BaseException:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
        raise
    finally:
        _unfinished.discard(unfinished)
        os.close(descriptor)


_unfinished: set[tuple[int, str]] = set()
"""Folder descriptor and name of the temporary files that writes of this process have open."""


def remove_unfinished() -> None:
    """Removes the temporary files of writes that were abandoned, for a process that leaves now.

    A write that goes on after this finds its file gone and fails; the old file stays as it is.
    """
    for folder, name in tuple(_unfinished):
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)


def _fill(descriptor: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _keep_owner_and_mode(descriptor: int, old: os.stat_result) -> None:
    new = os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(PermissionError):
            os.fchown(descriptor, old.st_uid, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode) & 0o777)  # set-user-id bits do not survive new content
