"""What `ditto react` does: build the request, run the flow, say how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ditto_cli.assembly import Assembly, choose_provider
from ditto_cli.bounded import bounded
from ditto_cli.durations import milliseconds
from ditto_cli.exits import COMPLETED, LIMIT, exit_of_run
from ditto_cli.failure import UsageError
from ditto_cli.offer import named_tools, offered_actions
from ditto_cli.outcome import Outcome
from ditto_cli.prompt import messages_of
from ditto_cli.react_material import material, with_material
from ditto_cli.react_options import ReactOptions
from ditto_cli.run_start import started, warn_of
from ditto_cli.session import Session
from ditto_cli.skill_choice import Chosen, chosen_skills
from ditto_cli.undeclared import undeclared_hint
from ditto_core.contracts.events import (
    Event,
    RunFailure,
    SampleCompleted,
    SampleStarted,
    TextDelta,
    ThinkingDelta,
)
from ditto_core.contracts.infer import ModelConfig, ModelFailure
from ditto_core.contracts.react import ReactConstraints, ReactInput, ReactResult
from ditto_core.errors import SandboxFileError
from ditto_core.flows.budget import Limits, limits_of
from ditto_core.flows.react import run_react_flow
from ditto_core.runtime.services import Providers
from ditto_core.sandbox.text import clean_line

if TYPE_CHECKING:
    import anyio


def react_body(session: Session, assembly: Assembly, asked: ReactOptions) -> Outcome:
    """The outcome of one run. What the command line got wrong is said before anything else happens."""
    constraints = _constraints(asked)
    only = named_tools(assembly, asked.tools)
    messages = messages_of(asked, assembly.sandbox)
    chosen = _chosen(session, assembly, asked)
    assembly = chosen.assembly
    choice, providers = choose_provider(assembly.config, asked.model)
    limits = limits_of(constraints, assembly.config, None)
    session.observe(started(session.command, assembly, f"{choice.provider}/{choice.model}", limits_json(limits)))
    warn_of(session, assembly)
    for note in (*choice.notes, *chosen.notes):
        session.warn(note)
    request = ReactInput(
        messages=messages,
        model=ModelConfig(provider=choice.provider, model=choice.model),
        actions=offered_actions(assembly, only),
        constraints=constraints,
    )
    limit_ms = round(limits.seconds * 1000)

    async def main(stop: anyio.Event) -> Outcome:
        full = request
        if chosen.skills or asked.rag:
            found, spent = await bounded(material(session, chosen, asked, messages), stop, limit_ms, "the preparation")
            full = with_material(request, found, max(1, limit_ms - spent))
        if asked.dry_run:
            from ditto_cli.dry_run import plan

            return plan(full, choice, assembly, limits_json(limits))
        return await Run(session, assembly, providers, full, asked.show_thinking).main(stop)

    return session.wait(main, limit_ms)


@dataclass(slots=True)
class Run:
    """One run of the flow. `text` is what the sample that is under way has said so far."""

    session: Session
    assembly: Assembly
    providers: Providers
    request: ReactInput
    shows_thinking: bool
    text: list[str] = field(default_factory=list)

    async def main(self, stop: anyio.Event) -> Outcome:
        """The outcome. `stop` ends it early."""
        async with self.assembly.runtime(self._observe, self.providers) as runtime:
            result = await run_react_flow(runtime, self.request, stop=stop)
        hint = undeclared_hint(result.error, self.request.actions, self.assembly)
        return outcome_of_run(result, self.session.signals.received, "".join(self.text), hint)

    def _observe(self, event: Event) -> None:
        match event:
            case SampleStarted() | SampleCompleted():
                self.text.clear()
            case TextDelta(text=text):
                self.text.append(text)
            case ThinkingDelta() if not self.shows_thinking:
                return
            case _:
                pass
        self.session.observe(event)


def outcome_of_run(result: ReactResult, signal: int | None, unfinished: str = "", hint: str | None = None) -> Outcome:
    """The flow's result as the command's outcome.

    For people, what a sample had said when the time was over or somebody stopped the run counts as a partial answer,
    and after an error that is no limit there is none.
    """
    length = bool(result.samples) and result.samples[-1].finish_reason == "length"
    failure = result.error
    code = exit_of_run(result.stop_reason, failure.code if failure else None, length=length, signal=signal)
    was_cut = result.stop_reason in ("timeout", "cancelled")
    answer = unfinished if was_cut and unfinished.strip() else str(result.result.content)
    return Outcome(
        status=result.status,
        exit_code=code,
        text=answer if was_cut or code in (COMPLETED, LIMIT) else "",
        result=result.to_wire(),
        stop_reason=result.stop_reason,
        usage=result.usage,
        action_requests=result.action_requests,
        error=_failure(failure, hint) if failure else None,
    )


def _failure(failure: ModelFailure, hint: str | None) -> RunFailure:
    found = {"hint": clean_line(hint, 600)} if hint else {}
    return RunFailure(code=failure.code, message=clean_line(failure.message, 600), **found)


def _chosen(session: Session, assembly: Assembly, asked: ReactOptions) -> Chosen:
    try:
        return chosen_skills(assembly, session.options, asked.skills)
    except SandboxFileError as error:
        raise UsageError(f"--skill: {error.message}", hint=error.hint) from error


def _constraints(asked: ReactOptions) -> ReactConstraints:
    return ReactConstraints.parse(
        {
            "max_steps": asked.max_steps,
            "max_action_calls": asked.max_action_calls,
            "max_total_tokens": asked.max_total_tokens,
            "timeout_ms": milliseconds(asked.timeout, "--timeout") if asked.timeout is not None else None,
        },
        what="the limits",
    )


def limits_json(limits: Limits) -> dict[str, Any]:
    """The limits of a run as its first event shows them."""
    return {
        "maxSteps": limits.steps,
        "maxActionCalls": limits.action_calls,
        "maxTotalTokens": limits.tokens,
        "timeoutMs": round(limits.seconds * 1000),
    }
