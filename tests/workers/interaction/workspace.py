"""A folder and the file tools on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ditto_core.contracts.interaction import ExternalResult
from ditto_core.workers.interaction.tools.builtin import create_file_tools
from tests.workers.interaction.calls import EVERY_TOOL, act, running


class Workspace:
    """A folder and the file tools on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.policy = EVERY_TOOL
        self.limit = 65_536

    def file(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    async def call(self, name: str, **arguments: Any) -> ExternalResult:
        tools = create_file_tools()
        async with running(tools, workspace=self.folder, policy=self.policy, max_output_bytes=self.limit) as runtime:
            return await act(runtime, name, arguments)

    async def code(self, name: str, **arguments: Any) -> str:
        """The error code of a failed result."""
        result = await self.call(name, **arguments)
        assert result.status == "failed"
        assert result.error is not None
        assert str(self.folder) not in result.error.message
        return result.error.code
