"""What a ReAct flow has said, asked, done and seen."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from typing import Literal

from ditto_core.contracts.infer import ActionRequest, ModelFailure, ModelMessage, SampleOutput, Usage
from ditto_core.contracts.interaction import Observation
from ditto_core.contracts.message import Message
from ditto_core.contracts.react import ReactResult
from ditto_core.contracts.stop_reason import StopReason
from ditto_core.contracts.text import content_text, public_text


class Transcript:
    """The history of one flow; two flows never share one."""

    def __init__(self, messages: Sequence[ModelMessage]) -> None:
        self.messages = list(messages)
        self.samples: list[SampleOutput] = []
        self.observations: list[Observation] = []
        self.unresolved: deque[ActionRequest] = deque()
        self._last_action: tuple[str, str] | None = None
        self._repeats = 0

    def add_sample(self, output: SampleOutput) -> None:
        """Keeps an answer. Its message is replayed with its metadata untouched, and the requests beside it."""
        self.samples.append(output)
        self.unresolved = deque(output.action_requests)
        message = output.message
        if output.action_requests:
            requests = [request.to_wire() for request in output.action_requests]
            metadata = {"actionRequests": requests, **(message.metadata or {})}
            message = ModelMessage(role=message.role, content=message.content, metadata=metadata)
        self.messages.append(message)

    def add_observation(self, request: ActionRequest, observation: Observation) -> None:
        """Keeps a result as the tool message that answers `request`, which is resolved by it."""
        self.observations.append(observation)
        self.unresolved.popleft()
        self.messages.append(
            ModelMessage(
                role="tool",
                content=content_text(observation.message.content),
                metadata={"actionRequestId": request.id, "name": request.name, "status": observation.status},
            )
        )

    def count_repeat(self, request: ActionRequest, observation: Observation) -> int:
        """How many times in a row this action, with these arguments, had this result."""
        arguments = json.dumps(request.arguments, sort_keys=True)
        seen = (f"{request.name} {arguments}", f"{observation.status} {content_text(observation.message.content)}")
        self._repeats = self._repeats + 1 if seen == self._last_action else 1
        self._last_action = seen
        return self._repeats

    def result(self, stop_reason: StopReason, error: ModelFailure | None) -> ReactResult:
        """The end of the flow."""
        good = [sample for sample in self.samples if sample.finish_reason != "error"]
        text = public_text(good[-1].message) if good else ""
        unfinished: Literal["partial", "failed"] = "partial" if good else "failed"
        return ReactResult(
            result=Message(role="assistant", content=text),
            samples=tuple(self.samples),
            observations=tuple(self.observations),
            action_requests=tuple(self.unresolved),
            status="completed" if stop_reason == "completed" else unfinished,
            stop_reason=stop_reason,
            usage=_sum([sample.usage for sample in self.samples if sample.usage is not None]),
            error=error,
        )


def _sum(usages: Sequence[Usage]) -> Usage:
    """Counter by counter over the samples that have it; a counter that none has stays missing."""
    totals: dict[str, int] = {}
    for usage in usages:
        for name, count in usage.model_dump(exclude_none=True, by_alias=False).items():
            totals[name] = totals.get(name, 0) + count
    return Usage(**totals)
