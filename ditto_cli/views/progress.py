"""What stderr says of a run, line by line; the views add colour or not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from ditto_core.contracts.events import (
    ActionDenied,
    ActionRequested,
    Event,
    ObservationMade,
    Retry,
    RunCompleted,
    Warned,
)
from ditto_core.sandbox.text import clean_line, clean_text

Detail: TypeAlias = Literal["quiet", "normal", "verbose"]
Role: TypeAlias = Literal["note", "call", "good", "bad", "detail", "end"]

_FIRST_LINES: dict[Detail, int] = {"quiet": 0, "normal": 3, "verbose": 20}

_LIMITS: Final[Mapping[str, tuple[str, str, str]]] = {
    "max_steps": ("maxSteps", "model call", "--max-steps N or runtime.maxTurns"),
    "max_action_calls": ("maxActionCalls", "action", "--max-action-calls N or runtime.react.maxActionCalls"),
    "max_tokens": ("maxTotalTokens", "token", "--max-total-tokens N or runtime.react.maxTotalTokens"),
}
"""Stop reason → the limit as `run.started` calls it, what it counts, and what raises it."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line, safe for a terminal, and what it is."""

    text: str
    role: Role


def progress(event: Event, detail: Detail, *, sole: bool = False) -> list[Line]:
    """The lines of an event. Notes are shown even to those who want quiet.

    `sole`: the command is this one action, so its result or denial is what the command ends with, and not shown here.
    """
    if isinstance(event, Warned):
        return [Line(f"note: {clean_line(event.message, 600)}", "note")]
    if detail == "quiet":
        return []
    match event:
        case ActionRequested(name=name, arguments=arguments):
            lines = [Line(clean_line(f"-> {name} {json.dumps(dict(arguments), ensure_ascii=False)}", 300), "call")]
        case ActionDenied(kind=kind, name=name, rule=rule) if not sole:
            lines = [Line(clean_line(f"   denied: {kind} {name} ({rule})", 600), "bad")]
        case ObservationMade(source=source, status=status, duration_ms=duration):
            head = clean_line(f"<- {source}: {status}, {duration} ms", 300)
            preview = [] if sole else _first_lines(event, _FIRST_LINES[detail])
            lines = [Line(head, "good" if status == "success" else "bad"), *preview]
        case Retry(attempt=attempt, wait_ms=wait, reason=reason):
            lines = [Line(f"   try {attempt} failed ({clean_line(reason)}); the next follows in {wait} ms", "note")]
        case _:
            lines = []
    return lines


def closing(event: RunCompleted, detail: Detail, seconds: float, limits: Mapping[str, Any]) -> list[Line]:
    """The last lines: what went wrong and how to mend it, else what it took. `limits` are those of `run.started`."""
    if event.error is not None:
        hint = [Line(f"hint: {clean_line(event.error.hint, 600)}", "bad")] if event.error.hint else []
        return [Line(f"error: {clean_line(event.error.message, 600)}", "bad"), *hint]
    if event.status != "completed" or event.exit_code:
        return [Line(clean_line(f"stopped: {_stopped(event, limits)}", 600), "bad")]
    if detail == "quiet" or event.stop_reason is None:
        return []
    return [Line(f"done: {_spent(event)}, {seconds:.1f} s", "end")]


def ended(text: str) -> str:
    """The text with a newline at its end, if there is any text."""
    return text if not text or text.endswith("\n") else f"{text}\n"


def _first_lines(event: ObservationMade, most: int) -> list[Line]:
    """The first non-empty lines of what came back, indented."""
    lines = [line for line in clean_text(event.summary).split("\n") if line.strip()]
    shown = [Line(f"   {clean_line(line.expandtabs(4), 160)}", "detail") for line in lines[:most]]
    return [*shown, Line("   …", "detail")] if len(lines) > most or event.truncated else shown


def _stopped(event: RunCompleted, limits: Mapping[str, Any]) -> str:
    """Which limit it was and how to raise it, else the reason and the exit code."""
    name, noun, ways = _LIMITS.get(event.stop_reason or "", ("", "", ""))
    value = limits.get(name)
    if not isinstance(value, int):
        reason = "the output limit cut the answer" if event.stop_reason == "completed" else event.stop_reason
        return f"{reason or event.status}, exit code {event.exit_code}"
    left = ", ".join(request.name for request in event.action_requests)
    reached = f"the limit of {_count(value, noun)} is reached ({name}); {ways} raises it"
    return f"{reached}; not run: {left}" if left else reached


def _spent(event: RunCompleted) -> str:
    result = event.result or {}
    tokens = event.usage.total_tokens if event.usage else None
    counts = [_count(len(result.get("samples", [])), "step"), _count(len(result.get("observations", [])), "action")]
    return ", ".join([*counts, *([_count(tokens, "token")] if tokens is not None else [])])


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
