"""What `ditto react` was asked to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReactOptions:
    """The options of one run, as they were given; None and () mean not given."""

    prompt: str
    model: str | None = None
    tools: tuple[str, ...] = ()
    system: str | None = None
    files: tuple[str, ...] = ()
    rag: tuple[str, ...] = ()
    skills: tuple[str, ...] = ()
    max_steps: int | None = None
    max_action_calls: int | None = None
    max_total_tokens: int | None = None
    timeout: str | None = None
    dry_run: bool = False
    show_thinking: bool = False
