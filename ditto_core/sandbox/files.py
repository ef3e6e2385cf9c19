"""The files of one workspace, each opened beneath its root descriptor and only as the policy allows."""

from __future__ import annotations

import errno
import os
import stat
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, TypeAlias

from ditto_core.errors import ConfigError, DittoError, InvalidInputError, PermissionDeniedError, SandboxFileError
from ditto_core.sandbox.file_errors import LEAVES_HINT, not_a_file, open_error
from ditto_core.sandbox.listing import EntryKind, FileTree, FolderListing, list_folder
from ditto_core.sandbox.opened import (
    FOLDER_FLAGS,
    PLACE_FLAGS,
    READ_FLAGS,
    Opened,
    Opener,
    descriptor_path,
    process_device,
)
from ditto_core.sandbox.paths import PathRefusedError, relative_path
from ditto_core.sandbox.policy import Decision, SandboxPolicy, decide
from ditto_core.sandbox.reading import ALL_LINES, FileText, LineRange, read_file_text
from ditto_core.sandbox.text import clean_line
from ditto_core.sandbox.walk import WalkOpener
from ditto_core.sandbox.writing import WrittenFile, parent_folder, replace_file
from ditto_core.settings.rules import Kind

FileBackend: TypeAlias = Literal["auto", "openat2", "walk"]
NOT_SEARCHED = frozenset({".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv"})
"""Folder names that `walk` leaves out by default: their content is not what a person wrote there."""

_MAX_FOLDER = 10_000
_MAX_FOLDERS = 20_000
"""Entries of one folder and folders of one walk. An abandoned walk ends, too."""
_DELETED = " (deleted)"


class WorkspaceFiles:
    """Synchronous file access for work that runs in a thread of its own; `Sandbox` wraps it for async code.

    Every method checks the policy before it touches the file system, and again with the real name of what it opened.
    Raises PermissionDeniedError, or SandboxFileError with NOT_FOUND, NOT_A_FILE, NOT_TEXT, TOO_LARGE or IO_ERROR.
    """

    def __init__(
        self, workspace: str | os.PathLike[str], policy: SandboxPolicy, *, backend: FileBackend = "auto"
    ) -> None:
        path = os.path.abspath(os.fspath(workspace))  # noqa: PTH100  # Path.resolve would follow links, absolute keeps `..`
        try:
            self._root = os.open(path, PLACE_FLAGS)
        except OSError as error:
            reason = os.strerror(error.errno or 0)
            raise ConfigError(f"the workspace {clean_line(path)} cannot be opened: {reason}") from None
        weakref.finalize(self, os.close, self._root)
        self._roots = tuple(dict.fromkeys((path, os.path.realpath(path))))
        self._policy = policy
        self._opener = _opener(backend)

    @property
    def path(self) -> str:
        """The workspace as it was given, made absolute."""
        return self._roots[0]

    @property
    def backend(self) -> str:
        """How files are opened: `openat2` or `walk`."""
        return self._opener.name

    def decide(self, kind: Kind, path: str) -> Decision:
        """Decides on a path as a caller wrote it: relative, or absolute under the workspace. Opens nothing."""
        try:
            return decide(self._policy, kind, relative_path(path, self._roots))
        except PathRefusedError as error:
            return Decision(False, kind, path, str(error), "built-in", hint=LEAVES_HINT)

    def read_text(self, path: str, max_bytes: int, lines: LineRange = ALL_LINES) -> FileText:
        """Reads at most `max_bytes` of UTF-8 text. Relative links that stay in the workspace are followed."""
        _positive(max_bytes=max_bytes, first=lines.first)
        name = self._permitted("read", path)
        with self._opened(name, READ_FLAGS) as descriptor:
            mode = os.fstat(descriptor).st_mode
            if not stat.S_ISREG(mode):
                raise not_a_file(name, mode)
            return read_file_text(descriptor, name, max_bytes, lines)

    def list_dir(self, path: str, max_entries: int) -> FolderListing:
        """Lists one folder. Names of secret files are listed; what is in them stays shut."""
        _positive(max_entries=max_entries)
        name = self._permitted("read", path)
        with self._opened(name, FOLDER_FLAGS) as descriptor:
            return list_folder(descriptor, name, max_entries)

    def walk(self, path: str, max_files: int, skip: frozenset[str] = NOT_SEARCHED) -> FileTree:
        """Finds the readable regular files below a folder; a path of a file gives that file. Follows no link below it.

        Folders are opened one at a time and never by absolute path, so depth costs no descriptors.
        """
        _positive(max_files=max_files)
        start = self._permitted("read", path)
        if self._is_file(start):
            return FileTree((start,), truncated=False, skipped=0)
        return self._tree(start, max_files, skip)

    def write_text(self, path: str, text: str) -> WrittenFile:
        """Replaces or creates a file as a whole, in UTF-8, line ends as given. Missing folders are created.

        No link is followed, neither at the end nor on the way.
        """
        name = self._permitted("write", path)
        if name == "." or path.endswith("/"):
            raise not_a_file(name, stat.S_IFDIR)
        try:
            data = text.encode()
        except UnicodeEncodeError as error:
            at = error.start
            raise SandboxFileError("NOT_TEXT", f"character {at} of the text cannot be written as UTF-8") from None
        *folders, last = name.split("/")
        with _reported("write", name), parent_folder(self._root, folders) as folder:
            self._require_real("write", name, f"{self._real_name(folder, '/'.join(folders) or '.')}/{last}")
            return WrittenFile(name, len(data), replace_file(folder, last, data))

    def _permitted(self, kind: Kind, path: str) -> str:
        decision = self.decide(kind, path)
        decision.require()
        return decision.name

    @contextmanager
    def _opened(self, name: str, flags: int) -> Iterator[int]:
        with _reported("read", name):
            opened = self._opener.open(self._root, name, flags)
            try:
                self._check(name, opened)
                yield opened.descriptor
            finally:
                os.close(opened.descriptor)

    def _check(self, name: str, opened: Opened) -> None:
        self._require_real("read", name, opened.real)
        if opened.real.endswith(_DELETED):  # the kernel's word for a name that was removed since
            self._require_real("read", name, opened.real.removesuffix(_DELETED))
        if os.fstat(opened.descriptor).st_dev == process_device():
            rule = "/proc shows other processes and their keys, built-in"
            raise PermissionDeniedError("read", clean_line(name), rule=rule, hint="Nothing can grant this.")

    def _require_real(self, kind: Kind, name: str, real: str) -> None:
        decision = decide(self._policy, kind, real)
        if not decision.allowed:
            rule = (
                decision.rule if decision.name == name else f"it leads to {clean_line(decision.name)}: {decision.rule}"
            )
            Decision(False, kind, name, rule, decision.source, hint=decision.hint).require()

    def _real_name(self, folder: int, fallback: str) -> str:
        try:
            root, real = descriptor_path(self._root), descriptor_path(folder)
        except OSError:
            return fallback  # no /proc: the folder was reached without a link, so it has the name it was given
        try:
            return relative_path(real, (root,))
        except PathRefusedError:  # it was moved out of the workspace in the meantime
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV)) from None

    def _is_file(self, name: str) -> bool:
        with self._opened(name, READ_FLAGS) as descriptor:
            mode = os.fstat(descriptor).st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
            raise not_a_file(name, mode)
        return stat.S_ISREG(mode)

    def _tree(self, start: str, max_files: int, skip: frozenset[str]) -> FileTree:
        files: list[str] = []
        pending = [start]
        truncated, skipped, visited = False, 0, 0
        while pending and len(files) <= max_files and visited < _MAX_FOLDERS:
            folder = pending.pop()
            visited += 1
            try:
                listing = self.list_dir(folder, _MAX_FOLDER)
            except DittoError:
                if folder == start:
                    raise
                skipped += 1
                continue
            found = _paths(listing, "file")
            readable = [path for path in found if self.decide("read", path).allowed]
            files += readable
            skipped += len(found) - len(readable)
            truncated = truncated or listing.truncated
            pending += [path for path in reversed(_paths(listing, "folder")) if path.rpartition("/")[2] not in skip]
        return FileTree(tuple(files[:max_files]), truncated or bool(pending) or len(files) > max_files, skipped)


def _paths(listing: FolderListing, kind: EntryKind) -> list[str]:
    prefix = "" if listing.path == "." else f"{listing.path}/"
    return [prefix + entry.name for entry in listing.entries if entry.kind == kind]


def _opener(backend: FileBackend) -> Opener:
    if backend == "walk":
        return WalkOpener()
    from ditto_core.sandbox.openat2 import KernelOpener, openat2_available  # loads ctypes

    if openat2_available():
        return KernelOpener()
    if backend == "openat2":
        raise ConfigError("this system has no working openat2", hint="Leave the file backend to be chosen by itself.")
    return WalkOpener()


@contextmanager
def _reported(kind: Kind, name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise open_error(kind, name, error) from None


def _positive(**numbers: object) -> None:
    for name, number in numbers.items():
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise InvalidInputError("a whole number from 1 on is needed here", path=name)
