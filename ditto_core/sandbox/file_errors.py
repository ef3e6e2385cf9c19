"""What the operating system refused, in the words of the sandbox."""

from __future__ import annotations

import errno
import stat

from ditto_core.errors import DittoError, PermissionDeniedError, SandboxFileError
from ditto_core.sandbox.text import clean_line

LEAVES = "the path leaves the workspace"
LEAVES_HINT = "Name a path inside the workspace; nothing can grant others."

_CODES = {
    errno.ENOENT: ("NOT_FOUND", "does not exist"),
    errno.ENOTDIR: ("NOT_FOUND", "is not a folder, or a part of it is not"),
    errno.EISDIR: ("NOT_A_FILE", "is not a regular file"),
    errno.ENXIO: ("NOT_A_FILE", "is a socket or a device, not a regular file"),
    errno.ENODEV: ("NOT_A_FILE", "is a device, not a regular file"),
    errno.EFBIG: ("TOO_LARGE", "would be larger than the system allows"),
    errno.EAGAIN: ("IO_ERROR", "kept changing while it was opened"),
}


def not_a_file(name: str, mode: int) -> SandboxFileError:
    """Returns the error of a target that is no regular file; `mode` is its `st_mode`."""
    if stat.S_ISDIR(mode):
        return SandboxFileError("NOT_A_FILE", f"{clean_line(name)} is a folder, not a file")
    what = "a pipe" if stat.S_ISFIFO(mode) else "a device or a socket"
    return SandboxFileError("NOT_A_FILE", f"{clean_line(name)} is {what}, not a regular file")


def file_error(name: str, error: OSError) -> SandboxFileError:
    """Returns the error of a permitted path; the reason is the system's own short text, never a path of the system."""
    code, reason = _CODES.get(error.errno or 0, ("IO_ERROR", f"cannot be used: {error.strerror or 'unknown reason'}"))
    return SandboxFileError(code, f"{clean_line(name)} {reason}")


def open_error(kind: str, name: str, error: OSError) -> DittoError:
    """Returns what to raise when opening `name` failed: a denial where a link leads out, else a file error."""
    if error.errno == errno.EXDEV:
        return PermissionDeniedError(kind, clean_line(name), rule=f"{LEAVES}, built-in", hint=LEAVES_HINT)
    if error.errno == errno.ELOOP:
        return link_refused(kind, name)
    return file_error(name, error)


def link_refused(kind: str, name: str) -> PermissionDeniedError:
    """A link that is not followed: any link when writing; a loop or a magic link when reading."""
    rule = "links are not followed when writing" if kind == "write" else "this link cannot be followed safely"
    hint = "Name the file itself, without a link on the way."
    return PermissionDeniedError(kind, clean_line(name), rule=f"{rule}, built-in", hint=hint)
