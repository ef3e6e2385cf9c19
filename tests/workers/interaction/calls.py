"""One call of a tool through a real runtime."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from ditto_core.contracts.interaction import ExternalResult
from ditto_core.contracts.nodes import ACT_TOOL
from ditto_core.runtime.runtime import Ditto
from ditto_core.sandbox.policy import SandboxPolicy
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.schema import Settings
from ditto_core.workers.interaction.tools.registry import ToolRegistry
from ditto_core.workers.interaction.tools.tool import RegisteredTool
from ditto_core.workers.interaction.worker import create_interaction_worker

EVERY_TOOL = SandboxPolicy(read=True, write=True, tools={"*"})


def config(max_output_bytes: int = 65_536) -> RuntimeConfig:
    """The library's defaults with this cap on a tool's text."""
    return RuntimeConfig(settings=Settings.parse({"runtime": {"sandbox": {"maxOutputBytes": max_output_bytes}}}))


@asynccontextmanager
async def running(
    tools: ToolRegistry | Sequence[RegisteredTool],
    *,
    workspace: Path | str = ".",
    policy: SandboxPolicy = EVERY_TOOL,
    max_output_bytes: int = 65_536,
) -> AsyncIterator[Ditto]:
    """A runtime with one INTERACTION Worker."""
    runtime = Ditto(
        config=config(max_output_bytes),
        sandbox=Sandbox(os.fspath(workspace), policy),
        workers=[create_interaction_worker(tools=tools)],
    )
    async with runtime:
        yield runtime


async def act(
    runtime: Ditto, name: str, arguments: Mapping[str, Any] | None = None, *, timeout: float = 20
) -> ExternalResult:
    """The result of INTERACTION.ACT.TOOL."""
    call = {"id": "call-1", "name": name, "arguments": dict(arguments or {})}
    result = await runtime.invoke(ACT_TOOL, {"call": call}, timeout=timeout)
    assert isinstance(result, ExternalResult)
    return result


def plain_tool(execute: Any, **more: Any) -> RegisteredTool:
    """A tool named `probe` that takes any arguments."""
    return RegisteredTool(
        **{"name": "probe", "description": "A probe.", "input_schema": {"type": "object"}, "execute": execute, **more}
    )


async def outcome_of(execute: Any, *, max_output_bytes: int = 65_536, timeout: float = 20) -> ExternalResult:
    """The result of a tool that does `execute`."""
    async with running([plain_tool(execute)], max_output_bytes=max_output_bytes) as runtime:
        return await act(runtime, "probe", timeout=timeout)
