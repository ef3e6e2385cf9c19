"""The limits of a ReAct flow and what it has spent."""

from __future__ import annotations

from typing import NamedTuple

from ditto_core.contracts.infer import GenerationConfig, Usage
from ditto_core.contracts.react import ReactConstraints
from ditto_core.contracts.stop_reason import StopReason
from ditto_core.settings.runtime_config import RuntimeConfig


class Limits(NamedTuple):
    """What a flow may spend. `tokens` None is unlimited; `repeats` 0 is off."""

    steps: int
    action_calls: int
    tokens: int | None
    repeats: int
    seconds: float


def limits_of(constraints: ReactConstraints | None, config: RuntimeConfig, timeout: float | None) -> Limits:
    """Constraints of the request, else the configuration. `timeout` (seconds) replaces `runtime.timeoutMs`."""
    own = constraints or ReactConstraints()
    runtime = config.settings.runtime
    seconds = runtime.timeout_ms / 1000 if timeout is None else timeout
    return Limits(
        steps=own.max_steps or runtime.max_turns,
        action_calls=runtime.react.max_action_calls if own.max_action_calls is None else own.max_action_calls,
        tokens=own.max_total_tokens or runtime.react.max_total_tokens,
        repeats=runtime.react.max_repeats,
        seconds=min(seconds, own.timeout_ms / 1000) if own.timeout_ms else seconds,
    )


class Budget:
    """Counts steps, action attempts and tokens of one flow."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.steps = 0
        self.action_calls = 0
        self.tokens = 0

    def stops_sampling(self) -> StopReason | None:
        """Why no further SAMPLE may start."""
        if self.limits.tokens is not None and self.tokens >= self.limits.tokens:
            return "max_tokens"
        return "max_steps" if self.steps >= self.limits.steps else None

    def stops_acting(self) -> StopReason | None:
        """Why no further action may start: none is left, or no SAMPLE is left to read its observation."""
        if self.action_calls >= self.limits.action_calls:
            return "max_action_calls"
        return self.stops_sampling()

    def spend(self, usage: Usage | None) -> bool:
        """Adds a sample's tokens: the total, else input + output. False when a budget needs counters it lacks."""
        total = _total(usage)
        self.tokens += total or 0
        return total is not None or self.limits.tokens is None

    def capped(self, generation: GenerationConfig | None, default: GenerationConfig | None) -> GenerationConfig | None:
        """The generation settings with maxTokens no larger than what is left."""
        if self.limits.tokens is None:
            return generation
        left = self.limits.tokens - self.tokens
        wanted = (generation and generation.max_tokens) or (default and default.max_tokens) or left
        own = generation or GenerationConfig()
        return own.model_copy(update={"max_tokens": min(wanted, left)})


def _total(usage: Usage | None) -> int | None:
    if usage is None:
        return None
    if usage.total_tokens is not None:
        return usage.total_tokens
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return usage.input_tokens + usage.output_tokens
