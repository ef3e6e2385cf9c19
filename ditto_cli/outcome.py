"""How a command ended, before it is shown."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from ditto_cli.exits import COMPLETED
from ditto_core.contracts.events import RunFailure
from ditto_core.contracts.infer import ActionRequest, Usage
from ditto_core.contracts.stop_reason import StopReason


@dataclass(frozen=True, slots=True)
class Outcome:
    """`text` is what stdout gets in text mode; `result` is the same thing as JSON."""

    status: Literal["completed", "partial", "failed"] = "completed"
    exit_code: int = COMPLETED
    text: str = ""
    result: Any = None
    stop_reason: StopReason | None = None
    usage: Usage | None = None
    action_requests: tuple[ActionRequest, ...] = ()
    error: RunFailure | None = None


def speakable(value: Any) -> Any:
    """JSON without lone surrogates, which no JSON reader has to accept; each becomes a question mark."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.loads(text.encode("utf-8", "replace"))
    return value
