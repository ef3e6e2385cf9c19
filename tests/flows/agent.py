"""An agent for the tests: a model that says what it is told, a few tools, and what a test sees of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import anyio

from ditto_core.contracts.events import Event
from ditto_core.contracts.infer import ActionRequest, ModelFailure, ModelMessage, SampleInput, SampleOutput, Usage
from ditto_core.contracts.interaction import InteractionError, ToolOutcome
from ditto_core.contracts.nodes import NodeType
from ditto_core.contracts.ports import ModelProvider
from ditto_core.contracts.react import ReactResult
from ditto_core.errors import ToolError
from ditto_core.flows.react import run_react_flow
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import WorkerContext, WorkerDefinition
from ditto_core.sandbox.policy import SandboxPolicy
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.schema import Settings
from ditto_core.workers.infer.worker import create_infer_worker
from ditto_core.workers.interaction.tools.registry import ToolRegistry
from ditto_core.workers.interaction.tools.tool import RegisteredTool
from ditto_core.workers.interaction.worker import create_interaction_worker

Turn: TypeAlias = SampleOutput | Exception | Callable[[SampleInput], Any] | Mapping[str, Any]

ANY_OBJECT: Mapping[str, Any] = {"type": "object"}
TEXT_ARGUMENT: Mapping[str, Any] = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}


class Script:
    """A provider that says one turn after the other, and the registry that holds it."""

    def __init__(self, *turns: Turn) -> None:
        self._turns = list(turns)
        self.requests: list[SampleInput] = []

    def get(self, name: str | None = None) -> ModelProvider:
        return self

    def names(self) -> tuple[str, ...]:
        return ("script",)

    async def invoke(self, request: SampleInput) -> Any:
        self.requests.append(request)
        await anyio.lowlevel.checkpoint()
        turn = self._turns.pop(0) if len(self._turns) > 1 else self._turns[0]
        if isinstance(turn, Exception):
            raise turn
        if callable(turn):
            answer = turn(request)
            return await answer if hasattr(answer, "__await__") else answer
        return turn


def says(text: str, finish: Any = "stop", **fields: Any) -> SampleOutput:
    """A turn of text."""
    fields.setdefault("usage", Usage(input_tokens=0, output_tokens=0, total_tokens=0))
    return SampleOutput(message=ModelMessage(role="assistant", content=text), finish_reason=finish, **fields)


def asks(*requests: ActionRequest, text: str = "", **fields: Any) -> SampleOutput:
    """A turn that asks for actions."""
    fields.setdefault("finish", "action_request")
    return says(text, action_requests=requests, **fields)


def request(name: str, call_id: str = "a1", **arguments: Any) -> ActionRequest:
    return ActionRequest(id=call_id, name=name, arguments=arguments)


def failure(code: str, message: str) -> ModelFailure:
    return ModelFailure(code=code, message=message)


class Tools:
    """Tools that log their calls."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.started = anyio.Event()
        self.count = 0

    async def echo(self, arguments: Mapping[str, Any], _: WorkerContext) -> Any:
        self.calls.append(("echo", dict(arguments)))
        return str(arguments["text"])

    async def counter(self, arguments: Mapping[str, Any], _: WorkerContext) -> Any:
        self.calls.append(("counter", dict(arguments)))
        self.count += 1
        return f"count {self.count}"

    async def refuses(self, arguments: Mapping[str, Any], _: WorkerContext) -> Any:
        self.calls.append(("refuses", dict(arguments)))
        raise ToolError("NO_SUCH_THING", "there is no such thing")

    async def crashes(self, arguments: Mapping[str, Any], _: WorkerContext) -> Any:
        self.calls.append(("crashes", dict(arguments)))
        raise RuntimeError("secret inner detail")

    async def hangs(self, arguments: Mapping[str, Any], _: WorkerContext) -> Any:
        self.calls.append(("hangs", dict(arguments)))
        self.started.set()
        await anyio.sleep_forever()

    async def ends(self, arguments: Mapping[str, Any], _: WorkerContext) -> Any:
        self.calls.append(("ends", dict(arguments)))
        error = InteractionError(code="GONE", message="the outcome is open")
        return ToolOutcome(status=arguments["status"], error=error)

    def registered(self) -> list[RegisteredTool]:
        plain = {"counter": self.counter, "refuses": self.refuses, "crashes": self.crashes, "hangs": self.hangs}
        made = [
            RegisteredTool(name=name, description=name, input_schema=ANY_OBJECT, execute=function)
            for name, function in (*plain.items(), ("ends", self.ends))
        ]
        return [
            RegisteredTool(name="echo", description="echo", input_schema=TEXT_ARGUMENT, execute=self.echo),
            *made,
        ]


TOOL_NAMES = ("echo", "counter", "refuses", "crashes", "hangs", "ends")


class Agent:
    """A runtime with a script, tools and a list of events."""

    def __init__(
        self,
        *turns: Turn,
        tools: Sequence[str] = TOOL_NAMES,
        settings: Mapping[str, Any] | None = None,
        workers: Sequence[WorkerDefinition] = (),
        node_types: Mapping[str, NodeType] | None = None,
    ) -> None:
        self.script = Script(*turns)
        self.tools = Tools()
        self.events: list[Event] = []
        self._allowed = tools
        self._settings = settings or {}
        self._workers = workers
        self._node_types = node_types

    def runtime(self) -> Ditto:
        registry = ToolRegistry(self.tools.registered())
        return Ditto(
            config=RuntimeConfig(settings=Settings.parse({"runtime": self._settings})),
            sandbox=Sandbox(".", SandboxPolicy(tools=self._allowed)),
            providers=self.script,
            workers=[create_infer_worker(), create_interaction_worker(tools=registry), *self._workers],
            events=self.events.append,
            node_types=self._node_types,
        )

    async def run(
        self,
        *,
        actions: Sequence[Mapping[str, Any]] | None = None,
        timeout: float | None = None,
        stop: anyio.Event | None = None,
        generation: Mapping[str, Any] | None = None,
        **constraints: Any,
    ) -> ReactResult:
        """One flow on one user message."""
        body: dict[str, Any] = {
            "messages": [{"role": "user", "content": "go"}],
            "model": {"model": "m"},
            "actions": actions if actions is not None else [declared(name) for name in TOOL_NAMES],
            "constraints": constraints,
        }
        if generation is not None:
            body["generation"] = generation
        with anyio.fail_after(20):
            async with self.runtime() as runtime:
                return await run_react_flow(runtime, body, timeout=timeout, stop=stop)

    def of_type(self, tag: str) -> list[Any]:
        """The events with that tag."""
        return [event for event in self.events if event.type == tag]


def declared(action_name: str, schema: Mapping[str, Any] = ANY_OBJECT, **target: Any) -> dict[str, Any]:
    """An action descriptor."""
    action: dict[str, Any] = {"name": action_name, "inputSchema": schema}
    return {**action, "target": target} if target else action


def tool_messages(request: SampleInput) -> list[Any]:
    """What the model was told of its actions."""
    return [message for message in request.messages if message.role == "tool"]
