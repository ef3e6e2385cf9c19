"""The scripted provider: a model that says what it was told to, for tests and examples.

A script is a list of turns; each SAMPLE takes the next one. `--model scripted/FILE` reads it from YAML, or from JSON
where the name ends with `.json`:

    turns:
      - actions:                          # ask for actions; `id` defaults to call-1, call-2 … over the whole script
          - { name: read_text, arguments: { path: README.md } }
      - thinking: [The person wants, " a summary."]
        text: [Ditto runs, " agents."]    # a string, or a list of streamed pieces
        usage: { inputTokens: 12, outputTokens: 3, totalTokens: 15 }
        delayMs: 5                        # before the turn, at most 60000
      - text: and so
        finishReason: length              # stop, or action_request with actions, unless said otherwise
      - error: { code: PROVIDER_RATE_LIMITED, message: slow down, status: 429 }    # raised, after any `text`
      - answer: { message: { role: user, content: 5 } }    # any JSON, given back unchecked, for malformed answers
      - text: [It ends]
        noResult: true                    # a stream that ends without a result

`metadata` (an object to replay) goes with the message. Usage is zeros where a turn says nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import Field, model_validator

from ditto_core.contracts.contract import Contract, Identifier, Seq
from ditto_core.contracts.events import TextDelta, ThinkingDelta
from ditto_core.contracts.infer import (
    ActionRequest,
    FinishReason,
    ModelFailure,
    ModelMessage,
    SampleInput,
    SampleOutput,
    Usage,
)
from ditto_core.contracts.json import JsonObject, JsonValue
from ditto_core.contracts.ports import SampleResult, StreamItem
from ditto_core.errors import ConfigError, InferError, InvalidInputError, ProviderError

MAX_DELAY_MS = 60_000
"""A longer pause is a mistake in a script: tests bound their waits."""

_MAX_BYTES = 1024 * 1024


class ScriptedAction(Contract):
    """An action that a turn asks for."""

    id: Identifier | None = None
    name: Identifier
    arguments: JsonObject = Field(default_factory=dict)


class ScriptedError(Contract):
    """The ProviderError that a turn raises."""

    code: Identifier
    message: str = "the script says so"
    status: int | None = None
    error_type: str | None = None
    hint: str | None = None


class ScriptedTurn(Contract):
    """One turn; the module's docstring shows every field."""

    text: str | Seq[str] = ()
    thinking: str | Seq[str] = ()
    actions: Seq[ScriptedAction] = ()
    finish_reason: FinishReason | None = None
    failure: ModelFailure | None = None
    usage: Usage | None = None
    metadata: JsonObject | None = None
    error: ScriptedError | None = None
    answer: JsonValue = None
    no_result: bool = False
    delay_ms: Annotated[int, Field(ge=0, le=MAX_DELAY_MS)] = 0

    @model_validator(mode="after")
    def _says_something(self) -> ScriptedTurn:
        if not self.model_fields_set - {"delay_ms", "usage", "metadata"}:
            raise ValueError("a turn needs text, actions, an error, an answer, a finishReason or noResult")
        if "answer" in self.model_fields_set and (self.actions or self.error):
            raise ValueError("an answer stands for the whole output; leave actions and error out")
        return self


class ScriptedProvider:
    """Plays the turns in order and keeps the requests it saw in `requests`.

    Turns may be ScriptedTurn, objects in the file's format, or plain text. Raises InvalidInputError for a bad turn when
    it is made, and InferError (`MODEL_ERROR`) when a SAMPLE asks for more than the script has.
    """

    def __init__(self, turns: Sequence[ScriptedTurn | Mapping[str, Any] | str]) -> None:
        self._turns = [_turn(turn, index) for index, turn in enumerate(turns)]
        self._calls = 0
        self.requests: list[SampleInput] = []

    @property
    def remaining(self) -> int:
        """How many turns are left."""
        return max(0, len(self._turns) - len(self.requests))

    async def invoke(self, request: SampleInput) -> SampleOutput:
        """The next turn as one answer. One that ends without a result is a ProviderError INVALID_MODEL_OUTPUT here."""
        turn = self._next(request)
        await _pause(turn)
        if turn.error is not None:
            raise _raised(turn.error)
        if turn.no_result:
            raise ProviderError("the script ends this turn without a result", code="INVALID_MODEL_OUTPUT")
        return self._output(turn)

    @asynccontextmanager
    async def stream(self, request: SampleInput) -> AsyncIterator[AsyncIterator[StreamItem]]:
        """The next turn in pieces: thinking, text, then its result, its error or nothing."""
        yield self._items(self._next(request))

    async def _items(self, turn: ScriptedTurn) -> AsyncIterator[StreamItem]:
        await _pause(turn)
        for piece in _pieces(turn.thinking):
            yield ThinkingDelta(text=piece)
        for piece in _pieces(turn.text):
            yield TextDelta(text=piece)
        if turn.error is not None:
            raise _raised(turn.error)
        if not turn.no_result:
            yield SampleResult(self._output(turn))

    def _next(self, request: SampleInput) -> ScriptedTurn:
        at = len(self.requests)
        self.requests.append(request)
        if at >= len(self._turns):
            raise InferError(
                f"the script has {len(self._turns)} turns and is spent; this is request {at + 1}",
                code="MODEL_ERROR",
                hint="Add a turn to the script, or end its last turn without actions.",
            )
        return self._turns[at]

    def _output(self, turn: ScriptedTurn) -> SampleOutput:
        if "answer" in turn.model_fields_set:
            return cast("SampleOutput", turn.answer)
        requests = tuple(self._request(action) for action in turn.actions)
        text = "".join(_pieces(turn.text))
        return SampleOutput(
            message=ModelMessage(role="assistant", content=text, metadata=turn.metadata),
            action_requests=requests,
            finish_reason=turn.finish_reason or ("action_request" if requests else "stop"),
            usage=turn.usage or Usage(input_tokens=0, output_tokens=0, total_tokens=0),
            error=turn.failure,
        )

    def _request(self, action: ScriptedAction) -> ActionRequest:
        self._calls += 1
        return ActionRequest(id=action.id or f"call-{self._calls}", name=action.name, arguments=action.arguments)


def load_script(path: str | Path) -> ScriptedProvider:
    """The provider of a script file. Every trouble with the file is a ConfigError that names it and the turn."""
    file = Path(path)
    data = _read_json(file) if file.suffix.lower() == ".json" else _read_yaml(file)
    turns = data.get("turns") if isinstance(data, Mapping) and set(data) <= {"turns"} else data
    if not isinstance(turns, list | tuple) or not turns:
        raise ConfigError("a script has one key, `turns`, a list with at least one turn", where=str(file))
    try:
        return ScriptedProvider(turns)
    except InvalidInputError as error:
        raise ConfigError(error.message, where=str(file), hint="docs/cli.md shows a script.") from None


def _turn(turn: object, index: int) -> ScriptedTurn:
    value = {"text": turn} if isinstance(turn, str) else turn
    return ScriptedTurn.parse(value, what=f"turns[{index}]")


def _pieces(text: str | Sequence[str]) -> Sequence[str]:
    return [text] if isinstance(text, str) else text


def _raised(error: ScriptedError) -> ProviderError:
    return ProviderError(
        error.message, code=error.code, hint=error.hint, status=error.status, error_type=error.error_type
    )


async def _pause(turn: ScriptedTurn) -> None:
    if turn.delay_ms:
        import anyio  # only a script with delays needs it

        await anyio.sleep(turn.delay_ms / 1000)


def _read_yaml(file: Path) -> Any:
    from ditto_core.settings.yaml_file import load_yaml

    return load_yaml(_read(file), str(file)).data


def _read_json(file: Path) -> Any:
    import json

    try:
        return json.loads(_read(file))
    except (ValueError, RecursionError) as error:
        line = f":{error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise ConfigError("is not JSON", where=f"{file}{line}") from None


def _read(file: Path) -> str:
    from ditto_core.settings.source_file import read_source

    text = read_source(file, _MAX_BYTES)
    if text is None:
        raise ConfigError("there is no such script", where=str(file))
    return text
