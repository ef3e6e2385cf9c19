"""The sandbox that Workers and tools are given: one workspace, one policy."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ditto_core.errors import InvalidInputError, PermissionDeniedError
from ditto_core.sandbox.daemon_thread import run_in_daemon_thread
from ditto_core.sandbox.executor import CommandResult, SandboxExecutor
from ditto_core.sandbox.files import NOT_SEARCHED, FileBackend, WorkspaceFiles
from ditto_core.sandbox.listing import FileTree, FolderListing
from ditto_core.sandbox.policy import Decision, SandboxPolicy, decide
from ditto_core.sandbox.reading import FileText, LineRange
from ditto_core.sandbox.rules import as_kind
from ditto_core.sandbox.text import clean_line
from ditto_core.sandbox.writing import WrittenFile
from ditto_core.settings.rules import PATH_KINDS

DEFAULT_MAX_BYTES = 65536
DEFAULT_MAX_ENTRIES = 1000
DEFAULT_MAX_FILES = 10_000


class Sandbox:
    """Who may do what in `workspace`. Without a policy everything is denied.

    The policy and the folder behind `workspace` are fixed at construction; a folder that cannot be opened is a
    ConfigError. Paths are relative to the workspace, or absolute under it. File methods run in a thread of their own
    and raise PermissionDeniedError, or SandboxFileError with NOT_FOUND, NOT_A_FILE, NOT_TEXT, TOO_LARGE or IO_ERROR.
    Cancelling one abandons it: a write that was under way may still happen, but only as a whole.
    """

    def __init__(
        self,
        workspace: str | os.PathLike[str],
        policy: SandboxPolicy | None = None,
        executor: SandboxExecutor | None = None,
        *,
        file_backend: FileBackend = "auto",
    ) -> None:
        self._policy = policy if policy is not None else SandboxPolicy()
        self._executor = executor
        self._files = WorkspaceFiles(workspace, self._policy, backend=file_backend)

    @property
    def workspace(self) -> Path:
        """The workspace, absolute."""
        return Path(self._files.path)

    @property
    def policy(self) -> SandboxPolicy:
        """The policy that decides."""
        return self._policy

    @property
    def files(self) -> WorkspaceFiles:
        """The same guarded file access for code that runs in a thread already, such as a search over many files."""
        return self._files

    def decide(self, kind: str, name: str = "") -> Decision:
        """Decides one action and says by which rule. Kinds: read, write, execute, tool, mcp, skill, network."""
        known = as_kind(kind)
        return self._files.decide(known, name) if known in PATH_KINDS else decide(self._policy, known, name)

    def allows(self, kind: str, name: str = "") -> bool:
        """Whether the action is allowed. Without a name: whether read, write or execute is granted at all."""
        return self.decide(kind, name).allowed

    def require(self, kind: str, name: str = "") -> None:
        """Raises PermissionDeniedError, whose hint says what would grant it, unless the action is allowed."""
        self.decide(kind, name).require()

    async def read_text(
        self,
        path: str,
        max_bytes: int = DEFAULT_MAX_BYTES,
        *,
        first_line: int = 1,
        last_line: int | None = None,
    ) -> FileText:
        """Reads UTF-8 text, at most `max_bytes` of it; the result says when it was cut and how large the file is.

        `first_line` and `last_line` (from 1, both included) choose lines; a range behind the end is an empty text.
        Memory stays near `max_bytes`, whatever the file's size.
        """
        lines = LineRange(first_line, last_line)
        return await run_in_daemon_thread(self._files.read_text, path, max_bytes, lines)

    async def write_text(self, path: str, text: str) -> WrittenFile:
        """Replaces or creates a file as a whole, in UTF-8, line ends as given. Missing parent folders are created.

        The old file stays whole until the new one is on disk. A file marked read-only is not replaced, no link is
        followed, and what runs or grants something later (`.git/`, `ditto.yaml`, …) is never written.
        """
        return await run_in_daemon_thread(self._files.write_text, path, text)

    async def list_dir(self, path: str = ".", max_entries: int = DEFAULT_MAX_ENTRIES) -> FolderListing:
        """Lists one folder, sorted by name."""
        return await run_in_daemon_thread(self._files.list_dir, path, max_entries)

    async def walk(
        self, path: str = ".", max_files: int = DEFAULT_MAX_FILES, skip: frozenset[str] = NOT_SEARCHED
    ) -> FileTree:
        """Finds the files below a folder that may be read, without secret ones and without folders named in `skip`."""
        return await run_in_daemon_thread(self._files.walk, path, max_files, skip)

    async def run(self, argv: Sequence[str]) -> CommandResult:
        """Runs a program without a shell, through the executor the sandbox was built with.

        Needs execute; without an executor it is denied, because nothing could confine the program.
        """
        if isinstance(argv, str) or not argv:
            raise InvalidInputError("a command is a list: the program, then its arguments")
        self.require("execute", argv[0])
        if self._executor is None:
            rule = "no launcher level is available, so the program could not be confined"
            hint = "Give the Sandbox an executor; no permission setting replaces it."
            raise PermissionDeniedError("execute", clean_line(argv[0]), rule=rule, hint=hint)
        return await self._executor.run(tuple(argv))
