"""INTERACTION.OBSERVE: the result of an action as the message a model will read."""

from __future__ import annotations

from typing import Any

from ditto_core.contracts.interaction import ExternalResult, InteractionError, Observation, ObserveInput
from ditto_core.contracts.message import JsonPart, Message, ReferencePart, TextPart, text_part
from ditto_core.contracts.text import json_text
from ditto_core.runtime.worker import WorkerContext
from ditto_core.sandbox.safe_error import safe_error

NO_OUTPUT = "(no output)"
_UNSAFE = InteractionError(code="TOOL_ERROR", message="the action failed; its own words are not safe to show")
_KEPT = ("structured_content", "references", "error", "metadata")


def observe_external_result(result: ExternalResult) -> Observation:
    """The observation of a result; pure. Raises InvalidInputError for what is no ExternalResult.

    The message is the content; without one the JSON of the structured content, else the uris of the references, else
    `(no output)`. A null is no content; an empty text is content, and says `(no output)`; an empty list stays one. A
    single text part becomes its text. A result that is no success begins with its status, code and message, and keeps
    its status.
    """
    result = ExternalResult.parse(result)
    given: dict[str, Any] = {name: getattr(result, name) for name in _KEPT if name in result.model_fields_set}
    body = _body(result)
    if result.error is not None:
        given["error"] = _safe(result.error)
    if result.status != "success":
        body = _after(failure_line(result), body)
    message = Message(role="tool", content=NO_OUTPUT if body is None else body, name=result.source)
    return Observation(call_id=result.call_id, source=result.source, status=result.status, message=message, **given)


async def observe(given: ObserveInput, ctx: WorkerContext) -> Observation:
    """The Node: `observe_external_result`."""
    return observe_external_result(given.result)


def failure_line(result: Any) -> str:
    """`[failed] CODE: message` of a ToolOutcome that is no success."""
    error = _safe(result.error)
    return f"[{result.status}] {error.code}: {error.message}"


def _body(result: ExternalResult) -> Any:
    """What the result says, as message content, or None."""
    content = result.content
    if isinstance(content, tuple) and len(content) == 1 and isinstance(content[0], TextPart):
        content = content[0].text
    if content == "":
        return None
    if content is not None:
        return content
    if result.structured_content is not None:
        return json_text(result.structured_content)
    return "\n".join(reference.uri for reference in result.references or ()) or None


def _after(line: str, body: Any) -> Any:
    """The body below a first line; parts stay parts."""
    if body is None:
        return line
    if isinstance(body, tuple):
        parts: tuple[TextPart | JsonPart | ReferencePart, ...] = body
        return (text_part(line), *parts)
    return f"{line}\n{body if isinstance(body, str) else json_text(body)}"


def _safe(error: InteractionError) -> InteractionError:
    return error if safe_error(error.code, error.message) else _UNSAFE
