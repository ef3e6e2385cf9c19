"""Opening beneath a folder by the kernel: openat2(2), Linux 5.6."""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform

from ditto_core.sandbox.opened import PLACE_FLAGS, Opened, descriptor_path

_SYSCALL_NUMBERS = {"x86_64": 437, "aarch64": 437}
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_BENEATH = 0x08
_ATTEMPTS = 8
"""The kernel answers EAGAIN when a rename ran beside a lookup of `..`; an attacker could keep that up for ever."""


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


class KernelOpener:
    """Opener by openat2 with RESOLVE_BENEATH and RESOLVE_NO_MAGICLINKS."""

    name = "openat2"

    def open(self, root: int, path: str, flags: int) -> Opened:
        """Opens `path`; the caller closes the descriptor."""
        descriptor = _openat2(root, path, flags)
        try:
            return Opened(descriptor, _relative(descriptor_path(root), descriptor_path(descriptor)))
        except BaseException:
            os.close(descriptor)
            raise


@functools.cache
def openat2_available() -> bool:
    """Whether this kernel, and the filter around this process, let openat2 work. Really tried, once per process."""
    if platform.system() != "Linux" or platform.machine() not in _SYSCALL_NUMBERS:
        return False
    try:
        root = os.open("/", PLACE_FLAGS)
    except OSError:
        return False
    try:
        os.close(KernelOpener().open(root, ".", PLACE_FLAGS).descriptor)
    except OSError:
        return False  # ENOSYS, EPERM or EINVAL of the call, or no /proc to learn real names from
    finally:
        os.close(root)
    return True


@functools.cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.argtypes = (ctypes.c_long, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_size_t)
    libc.syscall.restype = ctypes.c_long
    return libc


def _openat2(root: int, path: str, flags: int) -> int:
    how = _OpenHow(flags=flags, mode=0, resolve=_RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS)
    number = _SYSCALL_NUMBERS[platform.machine()]
    name = path.encode("utf-8", "surrogateescape")  # file names are UTF-8 here, whatever the locale says
    code = errno.EAGAIN
    for _ in range(_ATTEMPTS):
        descriptor = int(_libc().syscall(number, root, name, ctypes.byref(how), ctypes.sizeof(how)))
        if descriptor >= 0:
            return descriptor
        code = ctypes.get_errno()
        if code not in (errno.EAGAIN, errno.EINTR):
            break
    raise OSError(code, os.strerror(code), path)


def _relative(root: str, path: str) -> str:
    if path == root:
        return "."
    prefix = root.rstrip("/") + "/"
    if not path.startswith(prefix):  # it was moved out of the workspace after the kernel had found it
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
    return path[len(prefix) :]
