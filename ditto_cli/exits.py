"""The exit codes: one table, printed by `ditto --help` and the README, and the same number is in the JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

EXITS: Final[Mapping[int, str]] = {
    0: "completed",
    1: "unexpected error (a bug)",
    2: "usage, invalid tool arguments",
    3: "a limit ended the run (steps, actions, tokens, length, repetition)",
    4: "permission denied, or sandbox below its minimum",
    5: "provider error (HTTP, protocol, model, empty answer)",
    6: "configuration, environment or trust; a policy test or skill check that does not hold",
    7: "authentication missing or refused",
    8: "a dependency failed: MCP server, tool infrastructure, missing program, outcome unknown",
    9: "the answer does not match --schema",
    10: "the tool or the MCP tool reported failure, or the offline provider could not answer",
    124: "timeout",
    129: "SIGHUP",
    130: "SIGINT",
    141: "the reader of stdout went away",
    143: "SIGTERM",
}

COMPLETED: Final = 0
BUG: Final = 1
USAGE: Final = 2
LIMIT: Final = 3
DENIED: Final = 4
PROVIDER: Final = 5
CONFIG: Final = 6
AUTH: Final = 7
DEPENDENCY: Final = 8
TOOL_FAILED: Final = 10
TIMEOUT: Final = 124
READER_GONE: Final = 141

_BY_CODE: Final[Mapping[str, int]] = {
    "USAGE": USAGE,
    "INVALID_ARGUMENTS": USAGE,
    "INVALID_INPUT": USAGE,
    "PERMISSION_DENIED": DENIED,
    "CONFIG_INVALID": CONFIG,
    "PROVIDER_NOT_FOUND": CONFIG,
    "ENDPOINT_MISMATCH": CONFIG,
    "PROVIDER_AUTH_ERROR": AUTH,
    "REPEATED_ACTION": LIMIT,
    "INLINE_LIMIT_EXCEEDED": LIMIT,
    "ITEM_LIMIT_EXCEEDED": LIMIT,
    "OFFLINE_NO_INPUT": TOOL_FAILED,
    "OFFLINE_UNSUPPORTED": TOOL_FAILED,
    "TIMEOUT": TIMEOUT,
    "EXECUTION_FAILED": BUG,
}

_BY_STOP: Final[Mapping[str, int]] = {
    "completed": COMPLETED,
    "max_steps": LIMIT,
    "max_action_calls": LIMIT,
    "max_tokens": LIMIT,
    "timeout": TIMEOUT,
    "dependency_failed": DEPENDENCY,
}

_BY_STATUS: Final[Mapping[str, int]] = {
    "success": COMPLETED,
    "failed": TOOL_FAILED,
    "timeout": TIMEOUT,
    "cancelled": DEPENDENCY,
    "unknown": DEPENDENCY,
}


def exit_of_direct(code: str) -> int:
    """The exit code of an error that ended a command before or instead of a result."""
    return _BY_CODE.get(code, DEPENDENCY)


def exit_of_run(stop_reason: str, error_code: str | None, *, length: bool, signal: int | None) -> int:
    """The exit code of a ReAct run. `length` says that the last sample hit its output limit."""
    if stop_reason == "completed":
        return LIMIT if length else COMPLETED
    if stop_reason == "cancelled":
        return 128 + signal if signal else DEPENDENCY
    if stop_reason == "error":
        if error_code == "INCOMPLETE_MODEL_OUTPUT" and length:
            return LIMIT
        return _BY_CODE.get(error_code or "", PROVIDER)
    return _BY_STOP[stop_reason]


def exit_of_result(status: str) -> int:
    """The exit code of one tool's result."""
    return _BY_STATUS[status]
