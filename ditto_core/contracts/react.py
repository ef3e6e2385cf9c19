"""What the ReAct flow takes and gives."""

from typing import Annotated, Literal

from pydantic import Field

from ditto_core.contracts.contract import Contract, Seq
from ditto_core.contracts.infer import ActionRequest, ModelFailure, SampleInput, SampleOutput, Usage
from ditto_core.contracts.interaction import Observation
from ditto_core.contracts.message import Message
from ditto_core.contracts.stop_reason import StopReason as StopReason  # noqa: PLC0414  # a public name of this module, too


class ReactConstraints(Contract):
    """Limits of one flow; a missing one comes from the configuration.

    `max_steps` counts SAMPLE calls, `max_action_calls` attempts (0 runs none and keeps the requests),
    `max_total_tokens` limits the next sample by the usage so far, `timeout_ms` bounds the whole flow.
    """

    max_steps: Annotated[int, Field(ge=1)] | None = None
    max_action_calls: Annotated[int, Field(ge=0)] | None = None
    max_total_tokens: Annotated[int, Field(ge=1)] | None = None
    timeout_ms: Annotated[int, Field(ge=1, le=2_147_483_647)] | None = None


class ReactInput(SampleInput):
    """SAMPLE's input and the flow's limits."""

    constraints: ReactConstraints | None = None


class ReactResult(Contract):
    """How a flow ended. Everything that went wrong while it ran is in here, not raised.

    `result` is the public text of the last assistant message (empty without any SAMPLE); `action_requests` are the
    unresolved ones: not run, or under way when the flow was cut, so with an unknown outcome.
    """

    result: Message
    samples: Seq[SampleOutput]
    observations: Seq[Observation]
    action_requests: Seq[ActionRequest]
    status: Literal["completed", "partial", "failed"]
    stop_reason: StopReason
    usage: Usage
    error: ModelFailure | None = None
