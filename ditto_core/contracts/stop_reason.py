"""Why a run ended. Apart from the ReAct contracts, because the events of every command carry it."""

from typing import Literal, TypeAlias

StopReason: TypeAlias = Literal[
    "completed",
    "max_steps",
    "max_action_calls",
    "max_tokens",
    "timeout",
    "cancelled",
    "dependency_failed",
    "error",
]
