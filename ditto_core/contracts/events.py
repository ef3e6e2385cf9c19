"""What happened, in order: the log, the NDJSON lines and the assertions of tests are these types.

Messages go to the model; events go to the person. A tag is added, never changed.
"""

from collections.abc import Callable
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from ditto_core.contracts.contract import Contract, Seq
from ditto_core.contracts.infer import ActionRequest, FinishReason, Usage
from ditto_core.contracts.interaction import Status
from ditto_core.contracts.json import JsonObject, JsonValue
from ditto_core.contracts.stop_reason import StopReason


class RunStarted(Contract):
    """A command begins. `sandbox_level` is `not-probed` when nothing granted can launch a program."""

    type: Literal["run.started"] = "run.started"
    command: str
    model: str | None = None
    limits: JsonObject
    grants: JsonObject
    sandbox_level: str


class SampleStarted(Contract):
    """A model call begins."""

    type: Literal["sample.started"] = "sample.started"
    execution_id: str
    model: str


class TextDelta(Contract):
    """Public text of a model, as it comes."""

    type: Literal["text.delta"] = "text.delta"
    text: str
    execution_id: str | None = None


class ThinkingDelta(Contract):
    """Reasoning of a model, as it comes; shown only on request."""

    type: Literal["thinking.delta"] = "thinking.delta"
    text: str
    execution_id: str | None = None


class SampleCompleted(Contract):
    """A model call ended with a usable output. `duration_ms` is wall time."""

    type: Literal["sample.completed"] = "sample.completed"
    execution_id: str
    finish_reason: FinishReason
    usage: Usage | None = None
    duration_ms: int


class ActionRequested(Contract):
    """The model, or a person at the command line, asks for an action."""

    type: Literal["action.requested"] = "action.requested"
    id: str
    name: str
    arguments: JsonObject


class ActionDenied(Contract):
    """The sandbox refused an action; `rule` is what decided."""

    type: Literal["action.denied"] = "action.denied"
    id: str
    kind: str
    name: str
    rule: str


class ActionStarted(Contract):
    """An action begins; `target` is the tool, `server:tool` or Node type it goes to."""

    type: Literal["action.started"] = "action.started"
    id: str
    name: str
    target: str


class ObservationMade(Contract):
    """A result came back. `summary` is the beginning of what the model will read; `truncated` says if it is cut."""

    type: Literal["observation"] = "observation"
    call_id: str
    source: str
    status: Status
    summary: str
    truncated: bool
    duration_ms: int


class Retry(Contract):
    """A request will be sent again; `attempt` counts the tries so far, `wait_ms` is the pause before the next."""

    type: Literal["retry"] = "retry"
    attempt: int
    wait_ms: int
    reason: str


class Warned(Contract):
    """Something the person should know that did not stop the run."""

    type: Literal["warning"] = "warning"
    message: str


class Denial(Contract):
    """What was refused in a run, and by which rule."""

    kind: str
    name: str
    rule: str


class RunFailure(Contract):
    """Why a run failed: a stable code, one line, and how to mend it."""

    code: str
    message: str
    hint: str | None = None


class RunCompleted(Contract):
    """A command ended; always the last event. Its payload is the document of `-o json`."""

    type: Literal["run.completed"] = "run.completed"
    command: str
    status: Literal["completed", "partial", "failed"]
    stop_reason: StopReason | None = None
    exit_code: int
    result: JsonValue = None
    usage: Usage | None = None
    action_requests: Seq[ActionRequest] = ()
    denied: Seq[Denial] = ()
    warnings: Seq[str] = ()
    error: RunFailure | None = None


Event: TypeAlias = (
    RunStarted
    | SampleStarted
    | TextDelta
    | ThinkingDelta
    | SampleCompleted
    | ActionRequested
    | ActionDenied
    | ActionStarted
    | ObservationMade
    | Retry
    | Warned
    | RunCompleted
)

TaggedEvent: TypeAlias = Annotated[Event, Field(discriminator="type")]

Observer: TypeAlias = Callable[[Event], None]
"""Takes every event of a run, synchronously and in order. It must not raise."""


def no_observer(event: Any) -> None:
    """The observer of a run that nobody watches."""
