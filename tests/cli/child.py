"""A command line whose tools and model are the tests' own; it runs as a process of its own.

python child.py OUTPUT tool NAME       one call of a tool below, as `ditto tool NAME`
python child.py OUTPUT react SCRIPT    the agent loop with these tools and a script
python child.py OUTPUT stream          the agent loop with a model that stops talking in the middle
python child.py OUTPUT bug             a command that has a bug
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Any

import anyio

from ditto_cli.assembly import Assembly
from ditto_cli.options import Globals, Output
from ditto_cli.outcome import Outcome
from ditto_cli.react_options import ReactOptions
from ditto_cli.react_run import react_body
from ditto_cli.session import Session, conclude
from ditto_cli.tool_run import call_body
from ditto_core.contracts.events import TextDelta
from ditto_core.contracts.infer import SampleInput, SampleOutput
from ditto_core.contracts.ports import StreamItem
from ditto_core.errors import ConfigError
from ditto_core.sandbox.policy import SandboxPolicy
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.schema import Settings
from ditto_core.workers.interaction.tools.registry import ToolRegistry
from ditto_core.workers.interaction.tools.tool import RegisteredTool

HOSTILE = "\x1b]52;c;cm0K\x07\x1b[2J\x1b[38;5;123m\x9b31m \rALLOWED \x08\x00 \u202etxt.exe\u2066 [red]x[/nope] [link=http://x]y"
"""Text that would write the clipboard, clear the screen, overwrite a line or show a name backwards."""


def blocks(_: Any, __: Any) -> str:
    """A plain function that does not come back."""
    time.sleep(60)
    return "late"


async def swallows(_: Any, __: Any) -> str:
    """Refuses to be cancelled."""
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        with contextlib.suppress(BaseException):
            await anyio.sleep(60)
    return "late"


def prints(_: Any, __: Any) -> str:
    """Writes to stdout in every way there is."""
    print("from print")
    os.write(1, b"from write\n")
    subprocess.run(["echo", "from a child"], check=True)
    libc = ctypes.CDLL(None)
    libc.printf(b"from C, in a buffer that is written when the process ends\n")
    return "the answer"


def shouts(_: Any, __: Any) -> str:
    """Prints where nobody may be."""
    print("from print")
    return "the answer"


def stops(_: Any, __: Any) -> str:
    """Tries to end the process as if all was well."""
    raise SystemExit(0)


def crashes(_: Any, __: Any) -> str:
    """Fails with a secret in its message."""
    raise RuntimeError(os.environ["CANARY_TOKEN"])


TOOLS: Mapping[str, Callable[..., Any]] = {
    "blocks": blocks,
    "swallows": swallows,
    "prints": prints,
    "shouts": shouts,
    "stops": stops,
    "crashes": crashes,
    "hostile": lambda _, __: HOSTILE,
    "surrogates": lambda _, __: "a\ud800b",
    "nothing": lambda _, __: None,
    "data": lambda _, __: {"n": 1},
    "no_json": lambda _, __: {1, 2},
    "unknown": lambda _, __: {"status": "unknown", "error": {"code": "GONE", "message": "the outcome is open"}},
}


class Talks:
    """A model that says half a sentence and then nothing for a long time."""

    async def invoke(self, request: SampleInput) -> SampleOutput:
        """Not used: somebody watches."""
        raise NotImplementedError

    @contextlib.asynccontextmanager
    async def stream(self, request: SampleInput) -> AsyncIterator[AsyncIterator[StreamItem]]:
        """The half sentence, in two pieces."""
        yield self._items()

    async def _items(self) -> AsyncIterator[StreamItem]:
        yield TextDelta(text="half a ")
        yield TextDelta(text="sentence")
        await anyio.sleep(60)


def assembly() -> Assembly:
    """The tools above, all granted."""
    tools = [
        RegisteredTool(name=name, description=name, input_schema={"type": "object"}, execute=function)
        for name, function in TOOLS.items()
    ]
    timeout = int(os.environ.get("TIMEOUT_MS", "30000"))
    config = RuntimeConfig(settings=Settings.parse({"runtime": {"timeoutMs": timeout}}))
    return Assembly(config, Sandbox(Path.cwd(), SandboxPolicy(tools={"*"}, read=True)), ToolRegistry(tools))


def stream_body(session: Session) -> Outcome:
    """The loop with the model that stops talking."""
    from ditto_cli.react_run import Run
    from ditto_core.contracts.react import ReactInput
    from ditto_core.workers.infer.providers.registry import ProviderRegistry

    request = ReactInput.parse(
        {"messages": [{"role": "user", "content": "go"}], "model": {"provider": "talks", "model": "m"}}
    )
    providers = ProviderRegistry({"talks": Talks()})
    made = assembly()
    return session.wait(
        Run(session, made, providers, request, shows_thinking=False).main,
        made.config.settings.runtime.timeout_ms,
    )


def buggy_body(session: Session) -> Outcome:
    """A bug with a secret in a local variable, in its message and in its cause."""
    token = os.environ["CANARY_TOKEN"]
    try:
        _fail(token)
    except ConfigError as error:
        raise ExceptionGroup(token, [ValueError(token), KeyError(token)]) from error
    return Outcome()


def _fail(token: str) -> None:
    raise ConfigError(f"inner {token}")


def main(output: str, command: str, *words: str) -> int:
    """Runs it; the exit code."""
    options = Globals(output=Output(output))
    if command == "tool":
        arguments = {"text": HOSTILE} if words[0] == "hostile" else {}
        return conclude("tool", options, lambda session: call_body(session, assembly(), words[0], arguments))
    if command == "react":
        asked = ReactOptions(prompt="go", model=words[0], show_thinking=True)
        return conclude("react", options, lambda session: react_body(session, assembly(), asked))
    return conclude("react", options, stream_body if command == "stream" else buggy_body)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
