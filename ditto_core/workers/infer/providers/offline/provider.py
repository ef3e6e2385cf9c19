"""The offline provider: one turn of the loop, by extraction."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from ditto_core.contracts.events import TextDelta
from ditto_core.contracts.infer import (
    ActionRequest,
    ModelFailure,
    ModelMessage,
    SampleInput,
    SampleOutput,
    Usage,
)
from ditto_core.contracts.ports import SampleResult, StreamItem
from ditto_core.workers.infer.providers.offline.reply import failures, write_reply
from ditto_core.workers.infer.providers.offline.talk import Talk, read_talk
from ditto_core.workers.infer.providers.offline.turn import Wanted, next_requests
from ditto_core.workers.infer.providers.offline.words import clip

_HELP = (
    'the offline provider is no language model; it can summarize files ("summarize README.md"), answer from them '
    '("what does README.md say about proxies"), list folders ("list docs") and search ("search for "TODO" in src")'
)
"""What a person without an answer needs to know, on one line: a command line shows the error's message only."""


class OfflineProvider:
    """Deterministic answers by extraction. Usage is zeros; generation settings mean nothing here and are ignored.

    A request that names nothing it can do ends with finishReason `error`, OFFLINE_UNSUPPORTED; one whose inputs could
    not be read at all with OFFLINE_NO_INPUT.
    """

    async def invoke(self, request: SampleInput) -> SampleOutput:
        """The action requests of this turn, or the answer."""
        talk = read_talk(request)
        wanted = next_requests(talk)
        return _requesting(wanted, request.messages) if wanted else _answer(talk)

    @asynccontextmanager
    async def stream(self, request: SampleInput) -> AsyncIterator[AsyncIterator[StreamItem]]:
        """The same, line by line."""
        yield _lines(await self.invoke(request))


async def _lines(output: SampleOutput) -> AsyncIterator[StreamItem]:
    for line in str(output.message.content).splitlines(keepends=True):
        yield TextDelta(text=line)
    yield SampleResult(output)


def _no_usage() -> Usage:
    return Usage(input_tokens=0, output_tokens=0, total_tokens=0)


def _requesting(wanted: Sequence[Wanted], messages: Sequence[ModelMessage]) -> SampleOutput:
    before = sum(len((message.metadata or {}).get("actionRequests", ())) for message in messages)
    requests = tuple(
        ActionRequest(id=f"offline-{before + at}", name=name, arguments=given)
        for at, (name, given) in enumerate(wanted, 1)
    )
    return SampleOutput(
        message=ModelMessage(role="assistant", content=""),
        action_requests=requests,
        finish_reason="action_request",
        usage=_no_usage(),
    )


def _answer(talk: Talk) -> SampleOutput:
    text = write_reply(talk)
    if not text:
        return _nothing(talk)
    return SampleOutput(message=ModelMessage(role="assistant", content=text), finish_reason="stop", usage=_no_usage())


def _nothing(talk: Talk) -> SampleOutput:
    """Why there is no answer: all that was asked for failed, or nothing could be asked for."""
    wishes = talk.request.wishes
    why = "; ".join(failures(talk))
    if talk.seen:
        failed = "nothing could be read" if all(seen.kind for seen in talk.seen) else "the call failed"
        return _refusal("OFFLINE_NO_INPUT", f"{failed}: {why}" if why else failed)
    if any(wish.intent == "beyond" for wish in wishes):
        why = f"that takes a language model: {_HELP}"
    elif tool := next((wish.tool for wish in wishes if wish.tool), ""):
        why = f"the tool {tool[:64]} is not offered, or the request lacks its arguments: {_HELP}"
    return _refusal("OFFLINE_UNSUPPORTED", clip(why, 480) or _HELP)


def _refusal(code: str, reason: str) -> SampleOutput:
    return SampleOutput(
        message=ModelMessage(role="assistant", content=f"Not answered: {reason}.\n"),
        finish_reason="error",
        usage=_no_usage(),
        error=ModelFailure(code=code, message=reason),
    )
