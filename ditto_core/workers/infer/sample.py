"""INFER.REASONING.SAMPLE: one call of one model, checked before anybody acts on it."""

from __future__ import annotations

from typing import Any, Literal, Protocol

import anyio

from ditto_core.contracts.events import Event, SampleCompleted, SampleStarted, TextDelta, ThinkingDelta
from ditto_core.contracts.infer import GenerationConfig, ModelFailure, NodeResult, SampleInput, SampleOutput
from ditto_core.contracts.nodes import SAMPLE
from ditto_core.contracts.ports import ModelProvider, SampleResult, StreamingProvider, StreamItem
from ditto_core.contracts.text import public_text
from ditto_core.errors import DittoError, InferError, InvalidInputError
from ditto_core.runtime.foreign import called
from ditto_core.runtime.services import Services
from ditto_core.runtime.worker import Execution


class SampleContext(Protocol):
    """What SAMPLE needs of a WorkerContext. `resources` are the model providers."""

    @property
    def services(self) -> Services:
        """The configuration."""
        ...

    @property
    def resources(self) -> Any:
        """The model providers, a `Providers`."""
        ...

    @property
    def execution(self) -> Execution:
        """Which call this is."""
        ...

    @property
    def observed(self) -> bool:
        """Whether anybody watches the pieces of an answer."""
        ...

    def observe(self, event: Event) -> None:
        """Tells whoever watches."""
        ...


class Sampler:
    """The SAMPLE handler."""

    def __init__(self, default_provider: str | None = None, generation: GenerationConfig | None = None) -> None:
        self._default = default_provider
        self._generation = generation

    async def __call__(self, request: SampleInput, ctx: SampleContext) -> NodeResult[SampleOutput]:
        """The envelope: whatever the model does and the time limit are data; only cancellation is raised."""
        limit_ms = ctx.services.config.settings.runtime.timeout_ms
        with anyio.move_on_after(limit_ms / 1000):
            try:
                return await self._sample(request, ctx)
            except DittoError as error:
                return envelope(ctx, "failed", error=ModelFailure(code=error.code, message=_text(error)))
        late = ModelFailure(
            code="TIMEOUT", message=f"the model did not answer within {limit_ms} ms (runtime.timeoutMs)"
        )
        return envelope(ctx, "timeout", error=late)

    async def _sample(self, request: SampleInput, ctx: SampleContext) -> NodeResult[SampleOutput]:
        started = anyio.current_time()
        ctx.observe(SampleStarted(execution_id=ctx.execution.id, model=request.model.model))
        provider = self._provider(request, ctx)
        request = request.model_copy(update={"generation": self._merged(request.generation, ctx)})
        output = checked_output(request, await _ask(provider, request, ctx))
        ctx.observe(
            SampleCompleted(
                execution_id=ctx.execution.id,
                finish_reason=output.finish_reason,
                usage=output.usage,
                duration_ms=round((anyio.current_time() - started) * 1000),
            )
        )
        if _is_incomplete(output):
            limit = request.generation.max_tokens if request.generation else None
            reached = f"output limit of {limit} tokens reached" if limit else "the model's output limit was reached"
            failure = ModelFailure(code="INCOMPLETE_MODEL_OUTPUT", message=f"{reached}; nothing of this turn was run")
            return envelope(ctx, "failed", output=output, error=failure)
        return envelope(ctx, "success", output=output)

    def _provider(self, request: SampleInput, ctx: SampleContext) -> ModelProvider:
        configured = ctx.services.config.model
        name = request.model.provider or self._default or (configured.provider if configured else None)
        provider: ModelProvider = ctx.resources.get(name)
        return provider

    def _merged(self, own: GenerationConfig | None, ctx: SampleContext) -> GenerationConfig:
        """Field by field: the request, then the Worker's default, then `workers.infer.generation`."""
        fields = ctx.services.config.settings.workers.infer.generation.model_dump(exclude_none=True, by_alias=False)
        for layer in (self._generation, own):
            if layer is not None:
                fields.update(layer.model_dump(exclude_none=True, by_alias=False))
        return GenerationConfig(**fields)


def envelope(
    ctx: SampleContext,
    status: Literal["success", "failed", "cancelled", "timeout"],
    *,
    output: SampleOutput | None = None,
    error: ModelFailure | None = None,
) -> NodeResult[SampleOutput]:
    """How this call ended."""
    return NodeResult[SampleOutput](
        execution_id=ctx.execution.id, node=SAMPLE, status=status, output=output, error=error
    )


_PROVIDER = "the model provider"


async def _ask(provider: ModelProvider, request: SampleInput, ctx: SampleContext) -> object:
    """The provider's output. Streams only when somebody watches."""
    try:
        if ctx.observed and isinstance(provider, StreamingProvider):
            return await called(_PROVIDER, _streamed(provider, request, ctx))
        output = _projected(await called(_PROVIDER, provider.invoke(request)))
    except DittoError:
        raise
    except Exception as error:
        # The border: a provider is not ours, and its words may hold anything.
        raise InferError(f"the model provider raised {type(error).__name__}", code="EXECUTION_FAILED") from error
    if ctx.observed and (text := public_text(output.message)):
        ctx.observe(TextDelta(text=text, execution_id=ctx.execution.id))
    return output


async def _streamed(provider: StreamingProvider, request: SampleInput, ctx: SampleContext) -> object:
    result: SampleResult | None = None
    async with provider.stream(request) as items:
        async for item in items:
            if result is not None:
                raise _invalid("the stream went on after its result")
            result = _observed(item, ctx)
    if result is None:
        raise _invalid("the stream ended without a result")
    return result.output


def _observed(item: StreamItem, ctx: SampleContext) -> SampleResult | None:
    match item:
        case SampleResult():
            return item
        case TextDelta(text=text):
            ctx.observe(TextDelta(text=text, execution_id=ctx.execution.id))
        case ThinkingDelta(text=text):
            ctx.observe(ThinkingDelta(text=text, execution_id=ctx.execution.id))
        case _:
            raise _invalid("the stream held something that is no delta and no result")
    return None


def checked_output(request: SampleInput, output: object) -> SampleOutput:
    """The output if a model may say it. Raises InferError INVALID_MODEL_OUTPUT or UNDECLARED_ACTION."""
    sample = _projected(output)
    requests, finish = sample.action_requests, sample.finish_reason
    if sample.message.role != "assistant":
        raise _invalid(f"the answer has the role {sample.message.role}")
    if (sample.error is not None) != (finish == "error"):
        raise _invalid("an error must come with the finish reason error, and only with it")
    if finish == "action_request" and not requests:
        raise _invalid("the finish reason is action_request, but no action is requested")
    if requests and finish not in ("action_request", "length"):
        raise _invalid(f"actions are requested, but the finish reason is {finish}")
    ids = [action.id for action in requests]
    if len(set(ids)) != len(ids):
        raise _invalid("two action requests of one turn have the same id")
    declared = {action.name for action in request.actions}
    for action in requests:
        if action.name not in declared:
            raise InferError(
                f"the model asked for {action.name[:80]!r}, which was not offered", code="UNDECLARED_ACTION"
            )
    return sample


def _projected(output: object) -> SampleOutput:
    if isinstance(output, SampleOutput):
        return output
    try:
        return SampleOutput.project(output, what="the model's output")
    except InvalidInputError as error:
        raise _invalid(error.message) from None


def _is_incomplete(output: SampleOutput) -> bool:
    return output.finish_reason == "length" and (
        bool(output.action_requests) or not public_text(output.message).strip()
    )


def _invalid(message: str) -> InferError:
    return InferError(message, code="INVALID_MODEL_OUTPUT")


def _text(error: DittoError) -> str:
    return f"{error.message}. {error.hint}" if error.hint else error.message
