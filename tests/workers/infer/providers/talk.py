"""A conversation with a provider over a folder that exists only in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ditto_core.contracts.infer import (
    ActionDescriptor,
    ActionRequest,
    ModelConfig,
    ModelMessage,
    SampleInput,
    SampleOutput,
)
from ditto_core.workers.infer.providers.offline.provider import OfflineProvider

MODEL = ModelConfig(model="offline")


def action(name: str, required: Sequence[str] = (), **properties: str) -> ActionDescriptor:
    schema = {
        "type": "object",
        "properties": {key: {"type": kind} for key, kind in properties.items()},
        "required": list(required),
        "additionalProperties": False,
    }
    return ActionDescriptor(name=name, input_schema=schema)


READ = action("read_text", ["path"], path="string")
LIST = action("list_dir", [], path="string")
SEARCH = action("search_text", ["text"], text="string", paths="array", ignoreCase="boolean")


def user(text: str) -> ModelMessage:
    return ModelMessage(role="user", content=text)


def sample(*messages: ModelMessage, actions: Sequence[ActionDescriptor] = (READ, LIST, SEARCH)) -> SampleInput:
    return SampleInput(messages=messages, model=MODEL, actions=tuple(actions))


@dataclass
class Folder:
    """Answers actions from `files`; `other` maps an action's name to what it says."""

    files: Mapping[str, str] = field(default_factory=dict)
    other: Mapping[str, str] = field(default_factory=dict)
    denied: frozenset[str] = frozenset()

    def run(self, request: ActionRequest) -> tuple[str, str]:
        if request.name in self.other:
            return "success", self.other[request.name]
        path = request.arguments.get("path", ".")
        if path in self.denied:
            return "failed", f"read {path} is not permitted (not granted)"
        if request.name == "list_dir":
            return self._list(path)
        if request.name == "read_text":
            return self._read(path)
        return "failed", f"{request.name} failed"

    def _list(self, path: str) -> tuple[str, str]:
        prefix = "" if path == "." else f"{path}/"
        inside = [name.removeprefix(prefix) for name in self.files if name.startswith(prefix)]
        names = dict.fromkeys(name.split("/")[0] + ("/" if "/" in name else "") for name in inside)
        return ("success", "\n".join(names)) if names else ("failed", f"{path} was not found")

    def _read(self, path: str) -> tuple[str, str]:
        if path in self.files:
            return "success", self.files[path]
        if any(name.startswith(f"{path}/") for name in self.files):
            return "failed", f"{path} is a folder"
        return "failed", f"{path} was not found"


@dataclass
class Run:
    """What a conversation came to: the requests turn by turn and the last output."""

    turns: list[list[tuple[str, dict[str, Any]]]]
    output: SampleOutput

    @property
    def text(self) -> str:
        assert isinstance(self.output.message.content, str)
        return self.output.message.content

    @property
    def first(self) -> list[tuple[str, dict[str, Any]]]:
        return self.turns[0] if self.turns else []

    @property
    def code(self) -> str | None:
        return self.output.error.code if self.output.error else None


async def ask(
    prompt: str,
    files: Mapping[str, str] | Folder | None = None,
    *,
    before: Sequence[ModelMessage] = (),
    actions: Sequence[ActionDescriptor] = (READ, LIST, SEARCH),
) -> Run:
    """The whole loop, as the ReAct flow does it."""
    folder = files if isinstance(files, Folder) else Folder(files or {})
    messages = [*before, user(prompt)]
    turns: list[list[tuple[str, dict[str, Any]]]] = []
    for _ in range(6):
        output = await OfflineProvider().invoke(sample(*messages, actions=actions))
        if output.finish_reason != "action_request":
            return Run(turns, output)
        turns.append([(request.name, dict(request.arguments)) for request in output.action_requests])
        messages += answered(output, [folder.run(request) for request in output.action_requests])
    raise AssertionError(f"no answer after {turns}")


def answered(output: SampleOutput, results: Sequence[tuple[str, str]]) -> list[ModelMessage]:
    """The assistant's requests and the tool messages that answer them."""
    asked = [request.to_wire() for request in output.action_requests]
    messages = [ModelMessage(role="assistant", content="", metadata={"actionRequests": asked})]
    for request, (status, text) in zip(output.action_requests, results, strict=True):
        metadata = {"actionRequestId": request.id, "name": request.name, "status": status}
        messages.append(ModelMessage(role="tool", content=text, metadata=metadata))
    return messages
