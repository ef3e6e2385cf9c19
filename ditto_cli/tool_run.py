"""What `ditto tool NAME` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ditto_cli.assembly import Assembly
from ditto_cli.bounded import StoppedError, bounded
from ditto_cli.exits import exit_of_result
from ditto_cli.failure import outcome_of
from ditto_cli.outcome import Outcome
from ditto_cli.run_start import started, warn_of
from ditto_cli.session import Session
from ditto_core.contracts.context import Context
from ditto_core.contracts.events import ActionDenied, ActionRequested, ActionStarted, ObservationMade, RunFailure
from ditto_core.contracts.infer import ActionRequest
from ditto_core.contracts.interaction import ExternalResult, ToolCall
from ditto_core.contracts.text import content_text
from ditto_core.errors import DeadlineError, PermissionDeniedError
from ditto_core.flows.tool import ToolFlowResult, run_tool_call_flow
from ditto_core.sandbox.text import clean_line

if TYPE_CHECKING:
    import anyio

_CALL_ID = "call-1"
_SUMMARY = 400
"""Characters of an observation that its event carries."""


def call_body(session: Session, assembly: Assembly, name: str, arguments: dict[str, Any]) -> Outcome:
    """The outcome of one tool call."""
    call = ToolCall.parse({"id": _CALL_ID, "name": name, "arguments": arguments}, what="arguments")
    limit_ms = assembly.config.settings.runtime.timeout_ms
    session.observe(started(session.command, assembly, None, {"timeoutMs": limit_ms}))
    warn_of(session, assembly)
    session.observe(ActionRequested(id=call.id, name=call.name, arguments=call.arguments))

    async def main(stop: anyio.Event) -> Outcome:
        async with assembly.runtime(session.observe) as runtime:
            session.observe(ActionStarted(id=call.id, name=call.name, target=call.name))
            flow = run_tool_call_flow(runtime, {"context": Context(items=()), "call": call})
            return _outcome(session, *await bounded(flow, stop, limit_ms))

    try:
        return session.wait(main, limit_ms)
    except (DeadlineError, StoppedError) as error:
        under_way = ActionRequest(id=call.id, name=call.name, arguments=call.arguments)
        return outcome_of(error, under_way)
    except PermissionDeniedError as error:
        session.observe(ActionDenied(id=call.id, kind=error.kind, name=error.name, rule=error.rule))
        raise


def _outcome(session: Session, flow: ToolFlowResult, duration_ms: int) -> Outcome:
    output, read = flow.output, content_text(flow.observation.message.content)
    session.observe(
        ObservationMade(
            call_id=output.call_id,
            source=output.source,
            status=output.status,
            summary=read[:_SUMMARY],
            truncated=len(read) > _SUMMARY,
            duration_ms=duration_ms,
        )
    )
    failure = output.error
    return Outcome(
        status="completed" if output.status == "success" else "failed",
        exit_code=exit_of_result(output.status),
        text=_answer(output, read) if output.status == "success" else "",
        result=output.to_wire(),
        error=RunFailure(code=failure.code, message=clean_line(failure.message, 600)) if failure else None,
    )


def _answer(output: ExternalResult, read: str) -> str:
    """What a model would read, but nothing stays nothing: an empty file is not what is known about it."""
    has_nothing = output.content is None and output.structured_content is None and not output.references
    return "" if has_nothing or output.content == "" else read
