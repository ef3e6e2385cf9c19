"""The port through which commands run; a launcher implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class CommandResult(NamedTuple):
    """How a command ended. `truncated` says that the cap over both streams was reached, which ended the process."""

    stdout: str
    stderr: str
    exit_code: int
    truncated: bool = False


class SandboxExecutor(Protocol):
    """Runs one argument vector without a shell."""

    async def run(self, argv: Sequence[str]) -> CommandResult:
        """Runs `argv`; `argv[0]` is the program. A non-zero exit code is a result, not an error."""
