"""The ReAct flow: SAMPLE → actions → observations → SAMPLE … (Yao et al., ReAct, ICLR 2023).

It composes existing Nodes; every SAMPLE and every action is a graph run of its own. Invalid input raises; whatever goes
wrong while it runs ends in the result.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

import anyio

from ditto_core.contracts.events import ActionDenied, ActionRequested, ActionStarted, Event, ObservationMade
from ditto_core.contracts.infer import ActionRequest, ModelFailure, NodeResult, SampleInput, SampleOutput
from ditto_core.contracts.interaction import Observation
from ditto_core.contracts.nodes import SAMPLE
from ditto_core.contracts.react import ReactInput, ReactResult
from ditto_core.contracts.stop_reason import StopReason
from ditto_core.contracts.text import content_text, public_text
from ditto_core.errors import DittoError, PermissionDeniedError
from ditto_core.flows.action import Action, actions_by_name, observation_of, observe_plan
from ditto_core.flows.budget import Budget, limits_of
from ditto_core.flows.transcript import Transcript
from ditto_core.runtime.graph import Graph, graph
from ditto_core.runtime.services import Services
from ditto_core.sandbox.safe_error import safe_error

_SUMMARY = 400
"""Characters of an observation that its event carries."""


class ReactRuntime(Protocol):
    """A Ditto, a WorkerContext, or anything else that runs graphs and has services."""

    @property
    def services(self) -> Services:
        """Configuration, sandbox, providers."""
        ...

    async def run(self, graph: Graph, input: Any) -> Mapping[str, Any]:  # noqa: A002  # the field's word
        """Runs a graph."""
        ...

    def observe(self, event: Event) -> None:
        """Tells whoever watches the run."""
        ...


class _End(NamedTuple):
    """Why a flow stops."""

    reason: StopReason
    error: ModelFailure | None = None


async def run_react_flow(
    runtime: ReactRuntime,
    input: Any,  # noqa: A002  # the field's word
    *,
    graph_id: str = "react",
    timeout: float | None = None,  # noqa: ASYNC109  # the public contract; a cancel scope inside
    stop: anyio.Event | None = None,
) -> ReactResult:
    """Runs the loop until the model answers or a limit, a failure or `stop` ends it.

    `input` is a ReactInput or its JSON. `timeout` (seconds) replaces `runtime.timeoutMs`; the smaller of it and
    `constraints.timeoutMs` holds. Setting `stop` ends the flow as `cancelled`; an action under way stays in
    `actionRequests`, since its outcome is unknown. Raises InvalidInputError; nothing that may have an outside effect
    is ever retried.
    """
    request = ReactInput.parse(input)
    budget = Budget(limits_of(request.constraints, runtime.services.config, timeout))
    flow = _Flow(runtime, request, budget, graph_id)
    end = await _bounded(flow, budget.limits.seconds, stop)
    return flow.transcript.result(end.reason, end.error)


async def _bounded(flow: _Flow, seconds: float, stop: anyio.Event | None) -> _End:
    """The flow's end, under its deadline and the stop event."""
    end: _End | None = None
    with anyio.move_on_after(seconds) as scope:
        async with anyio.create_task_group() as tasks:
            if stop is not None:
                tasks.start_soon(_cancel_when, stop, tasks.cancel_scope)
            end = await flow.run()
            tasks.cancel_scope.cancel()
    if end is not None and not scope.cancel_called:
        return end
    if scope.cancel_called:
        message = f"the run took longer than {seconds:g} s"
        return _End("timeout", ModelFailure(code="TIMEOUT", message=message))
    return _End("cancelled", ModelFailure(code="CANCELLED", message="the run was stopped"))


async def _cancel_when(stop: anyio.Event, scope: anyio.CancelScope) -> None:
    await stop.wait()
    scope.cancel()


class _Flow:
    """One run of the loop."""

    def __init__(self, runtime: ReactRuntime, request: ReactInput, budget: Budget, graph_id: str) -> None:
        self._runtime = runtime
        self._request = request
        self._budget = budget
        self._graph_id = graph_id
        self._actions = actions_by_name(request.actions)
        self.transcript = Transcript(request.messages)

    async def run(self) -> _End:
        while True:
            if reason := self._budget.stops_sampling():
                return _End(reason)
            sample = await self._sample()
            if isinstance(sample, _End):
                return sample
            if not sample.action_requests:
                return _answered(sample)
            if end := await self._act(sample):
                return end

    async def _sample(self) -> SampleOutput | _End:
        self._budget.steps += 1
        plan = graph(self._graph_id).node("sample", SAMPLE, [], lambda request, _: request)
        try:
            envelope: NodeResult[SampleOutput] = (await self._runtime.run(plan, self._next_request()))["sample"]
        except DittoError as error:
            return _End("error", ModelFailure(code=error.code, message=error.message))
        except Exception as error:  # noqa: BLE001  # a crashing provider must not lose what the flow has so far
            message = f"the model provider raised {type(error).__name__}"
            return _End("error", ModelFailure(code="EXECUTION_FAILED", message=message))
        if envelope.output is not None:
            self.transcript.add_sample(envelope.output)
            if not self._budget.spend(envelope.output.usage):
                message = "the token budget needs usage counters, and the provider gave none"
                return _End("error", ModelFailure(code="USAGE_UNAVAILABLE", message=message))
        return _ended(envelope) or envelope.output or _End("error", _EMPTY)

    def _next_request(self) -> SampleInput:
        """Made of checked parts. Checking them again would make every step cost as much as all before it."""
        default = self._runtime.services.config.settings.workers.infer.generation
        return SampleInput.model_construct(
            messages=tuple(self.transcript.messages),
            model=self._request.model,
            generation=self._budget.capped(self._request.generation, default),
            actions=self._request.actions,
            metadata=self._request.metadata,
        )

    async def _act(self, sample: SampleOutput) -> _End | None:
        """Runs the turn's actions one after another, in order."""
        for request in sample.action_requests:
            self._runtime.observe(ActionRequested(id=request.id, name=request.name, arguments=request.arguments))
        for request in sample.action_requests:
            if reason := self._budget.stops_acting():
                return _End(reason)
            if end := await self._act_once(request):
                return end
        return None

    async def _act_once(self, request: ActionRequest) -> _End | None:
        self._budget.action_calls += 1
        target, schema = self._actions[request.name]
        action = Action(request, target, schema)
        started = anyio.current_time()
        try:
            observation = await self._attempt(action)
        except Exception as error:  # noqa: BLE001  # a crashing tool or a lost server ends in the result
            self.transcript.unresolved.popleft()
            return _End("dependency_failed", _safe_failure(error, action.source))
        self.transcript.add_observation(request, observation)
        self._runtime.observe(_event(observation, anyio.current_time() - started))
        return self._judged(request, observation)

    async def _attempt(self, action: Action) -> Observation:
        """The observation of one attempt; a known failure is one too."""
        try:
            action.schema.check(action.request.arguments)
            plan = action.plan(self._graph_id)
            self._runtime.observe(ActionStarted(id=action.request.id, name=action.request.name, target=action.source))
            return observation_of(await self._runtime.run(plan, None))
        except Exception as error:
            failed = action.known_failure(error)
            if failed is None:
                raise
            if isinstance(error, PermissionDeniedError):
                self._runtime.observe(
                    ActionDenied(id=action.request.id, kind=error.kind, name=error.name, rule=error.rule)
                )
            return observation_of(await self._runtime.run(observe_plan(self._graph_id, failed), None))

    def _judged(self, request: ActionRequest, observation: Observation) -> _End | None:
        if observation.status not in ("success", "failed"):
            error = observation.error
            code = error.code if error else "DEPENDENCY_FAILED"
            message = error.message if error else f"{observation.source}: {observation.status}"
            return _End("dependency_failed", ModelFailure(code=code, message=message))
        repeats = self.transcript.count_repeat(request, observation)
        if self._budget.limits.repeats and repeats >= self._budget.limits.repeats:
            message = f"{request.name} was called {repeats} times in a row with the same arguments and result"
            return _End("error", ModelFailure(code="REPEATED_ACTION", message=message))
        return None


_INVISIBLE = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff"))
"""Characters without a shape: an answer of nothing else is empty."""

_EMPTY = ModelFailure(code="INVALID_MODEL_OUTPUT", message="the model gave no answer")


def _ended(envelope: NodeResult[SampleOutput]) -> _End | None:
    """The end that an envelope or its output asks for, if it does."""
    match envelope.status:
        case "success" if envelope.output is not None and envelope.output.finish_reason == "error":
            return _End("error", envelope.output.error)
        case "success" if envelope.output is not None and envelope.output.finish_reason == "cancelled":
            return _End("cancelled", ModelFailure(code="CANCELLED", message="the model call was cancelled"))
        case "success":
            return None
        case "timeout":
            return _End("timeout", envelope.error)
        case "cancelled":
            return _End("cancelled", envelope.error)
        case "failed":
            return _End("error", envelope.error)


def _answered(sample: SampleOutput) -> _End:
    visible = public_text(sample.message).translate(_INVISIBLE).strip()
    return _End("completed") if visible else _End("error", _EMPTY)


def _safe_failure(error: Exception, source: str) -> ModelFailure:
    if not isinstance(error, DittoError):
        return ModelFailure(code="DEPENDENCY_FAILED", message=f"{source} raised {type(error).__name__}")
    safe = safe_error(error.code, error.message) or (error.code, f"{source} could not be used")
    return ModelFailure(code=safe[0], message=safe[1])


def _event(observation: Observation, seconds: float) -> ObservationMade:
    text = content_text(observation.message.content)
    return ObservationMade(
        call_id=observation.call_id,
        source=observation.source,
        status=observation.status,
        summary=text[:_SUMMARY],
        truncated=len(text) > _SUMMARY,
        duration_ms=round(seconds * 1000),
    )
