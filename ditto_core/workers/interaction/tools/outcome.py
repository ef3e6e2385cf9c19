"""What a tool returned, as a ToolOutcome that is JSON, bounded and safe to pass on."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, get_args

from ditto_core.contracts.interaction import InteractionError, Status, ToolOutcome
from ditto_core.errors import DependencyError, InvalidInputError
from ditto_core.sandbox.safe_error import safe_error
from ditto_core.sandbox.text import clean_line
from ditto_core.workers.interaction.cut import capped
from ditto_core.workers.interaction.unicode import without_surrogates

TOOL_ERROR = "TOOL_ERROR"
_UNSAFE = "the tool failed; its own words are not safe to show"
_STATUSES = frozenset(get_args(Status))
_PARTS = ("content", "structuredContent", "structured_content", "references", "error")


def failed(code: object, message: object) -> ToolOutcome:
    """A failed outcome with this error, or with the fixed one when it is not safe to pass on."""
    return ToolOutcome(status="failed", error=_error(code, message))


def safe_message(error: BaseException, otherwise: str) -> str:
    """The words of an error on one line when they are safe to pass on, else `otherwise`."""
    try:
        words = str(error)
    except Exception:  # noqa: BLE001  # `__str__` of a foreign exception
        return otherwise
    safe = safe_error(TOOL_ERROR, words)
    return safe[1] if safe else otherwise


def as_outcome(returned: Any, tool: str, limit: int) -> ToolOutcome:
    """What `tool` returned, with text and data of at most `limit` bytes each.

    A ToolOutcome is taken as it is, a mapping with a `status` and one of its parts is read as one. Text becomes the
    content, None an empty content, any other JSON value the structured content. Lone surrogates are replaced. Raises
    DependencyError for what is no JSON.
    """
    try:
        return capped(_outcome(returned), limit)
    except (InvalidInputError, ValueError, RecursionError) as error:
        if inspect.iscoroutine(returned):
            returned.close()  # else Python warns later, far from here
        kind = clean_line(type(returned).__name__, 80)
        reason = error.message if isinstance(error, InvalidInputError) else "a number is too long"
        raise DependencyError(f"tool {tool} returned {kind}, which is no JSON ({clean_line(reason)})") from None


def _outcome(returned: Any) -> ToolOutcome:
    if isinstance(returned, ToolOutcome):
        return _with_safe_error(returned)
    value = without_surrogates(returned)
    if isinstance(value, Mapping) and _is_outcome(value):
        return _read(value)
    if value is None or isinstance(value, str):
        return ToolOutcome(status="success", content=value)
    return ToolOutcome.parse({"status": "success", "structured_content": value}, what="value")


def _is_outcome(value: Mapping[Any, Any]) -> bool:
    status = value.get("status")
    return isinstance(status, str) and status in _STATUSES and any(part in value for part in _PARTS)


def _read(value: Mapping[str, Any]) -> ToolOutcome:
    given = dict(value)
    if "structured_content" in given:
        given.setdefault("structuredContent", given.pop("structured_content"))
    error = given.pop("error", None)
    if given["status"] != "success":
        told = error if isinstance(error, Mapping) else {}
        given["error"] = _error(told.get("code"), told.get("message"), told.get("retryable"))
    return ToolOutcome.project(given, what="outcome")


def _with_safe_error(outcome: ToolOutcome) -> ToolOutcome:
    error = outcome.error
    if error is None or safe_error(error.code, error.message):
        return outcome
    return outcome.model_copy(update={"error": _error(None, None)})


def _error(code: object, message: object, retryable: object = None) -> InteractionError:
    safe = safe_error(code, message) or (TOOL_ERROR, _UNSAFE)
    if isinstance(retryable, bool):
        return InteractionError(code=safe[0], message=safe[1], retryable=retryable)
    return InteractionError(code=safe[0], message=safe[1])
