"""The rag strategy out of an application's own functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ditto_core.contracts.context import ContextSelection
from ditto_core.contracts.message import Reference
from ditto_core.errors import PermissionDeniedError
from ditto_core.workers.context.rag import RetrievedItem, create_rag_strategy
from ditto_core.workers.context.size import estimate_tokens
from tests.workers.context.stage import code_of, context, ids, item, items, select

pytestmark = pytest.mark.anyio

CORPUS = Reference(uri="kb:docs")


class Recorder:
    """The three functions: they write down how they were called and answer what they were told."""

    def __init__(self, found: Any, ranked: Any = None, embedding: Any = None) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self._answers = {"embed": embedding, "retrieve": found, "rank": ranked}

    async def embed(self, *given: Any) -> Any:
        return self._answer("embed", given)

    async def retrieve(self, *given: Any) -> Any:
        return self._answer("retrieve", given)

    async def rank(self, *given: Any) -> Any:
        return self._answer("rank", given)

    def _answer(self, name: str, given: tuple[Any, ...]) -> Any:
        self.calls.append((name, given))
        answer = self._answers[name]
        if isinstance(answer, Exception):
            raise answer
        return answer(*given) if callable(answer) else answer


def found(*names: str, **more: Any) -> list[dict[str, Any]]:
    return [{"item": {"id": name, "content": name}, **more} for name in names]


async def rag(pipeline: Any, given: Any = None, policy: Any = None, **asked: Any) -> ContextSelection:
    chosen = {"kind": "rag", "corpus": CORPUS, "options": {"k": 1}}
    services = {"rag_strategy": pipeline}
    return await select(given or items(), policy, **{"strategy": chosen, "query": "q", **asked, "services": services})


async def test_retrieve_alone_gets_everything_and_no_embedding() -> None:
    recorder = Recorder(found("b", "a"))
    chosen = await rag(create_rag_strategy(recorder.retrieve), items("x"), limit=5)
    assert ids(chosen) == ["b", "a"]
    assert recorder.calls == [("retrieve", (items("x").items, "q", CORPUS, 5, {"k": 1}, None))]


async def test_embed_comes_before_retrieve_and_rank_after_it() -> None:
    recorder = Recorder(found("a", "b", score=0.5), lambda retrieved, *_: retrieved[::-1], [0.1, 0.2])
    chosen = await rag(create_rag_strategy(recorder.retrieve, recorder.embed, recorder.rank), limit=5)
    assert ids(chosen) == ["b", "a"]
    asked = ("q", CORPUS, 5, {"k": 1})
    first, second, third = recorder.calls
    assert first == ("embed", ((), *asked))
    assert second == ("retrieve", ((), *asked, [0.1, 0.2]))
    assert third == ("rank", (third[1][0], *asked, [0.1, 0.2]))
    assert [(each.item.id, each.score) for each in third[1][0]] == [("a", 0.5), ("b", 0.5)]


async def test_the_first_item_per_id_wins_and_neither_score_nor_metadata_is_copied_into_it() -> None:
    first, again = item("a", "first"), {"id": "a", "content": "again"}
    answer = [
        RetrievedItem(item=first, score=0.1, metadata={"why": "x"}),
        {"item": again, "score": 0.9},
        {"item": item("b"), "score": 0.5, "surprise": 1},
    ]
    chosen = await rag(create_rag_strategy(Recorder(answer).retrieve))
    assert chosen.context.items == (first, item("b"))


async def test_the_worker_keeps_the_limits_and_skips_what_does_not_fit() -> None:
    answer = [{"item": item("long", "x" * 400)}, {"item": item("a")}, {"item": item("b")}, {"item": item("c")}]
    strategy = create_rag_strategy(Recorder(answer).retrieve)
    assert ids(await rag(strategy, limit=2)) == ["long", "a"]
    assert ids(await rag(strategy, maxTokens=2 * estimate_tokens(item("a")))) == ["a", "b"]
    assert ids(await rag(strategy, policy={"maxItems": 1}, limit=9)) == ["long"]
    assert ids(await rag(strategy, policy={"maxInlineBytes": 10}, limit=1)) == ["a"]


async def test_no_room_asks_nobody() -> None:
    recorder = Recorder(found("a"))
    assert ids(await rag(create_rag_strategy(recorder.retrieve), limit=0)) == []
    assert recorder.calls == []


async def test_without_options_and_query_they_are_empty() -> None:
    recorder = Recorder([])
    await rag(create_rag_strategy(recorder.retrieve), query=None, strategy={"kind": "rag"})
    assert recorder.calls == [("retrieve", ((), None, None, 256, {}, None))]


async def test_private_things_stay_out_of_memory_whoever_finds_them() -> None:
    recorder = Recorder([{"item": item("found", private=True)}, {"item": item("b")}])
    given = context(item("hidden", private=True), item("shown"))
    chosen = await rag(create_rag_strategy(recorder.retrieve), given, purpose="memory")
    assert ids(chosen) == ["b"]
    assert [each.id for each in recorder.calls[0][1][0]] == ["shown"]


BAD: Mapping[str, Any] = {
    "nothing": None,
    "text": "a",
    "an object": {"item": {"id": "a", "content": ""}},
    "a bare item": [item("a")],
    "an item without id": [{"item": {"content": ""}}],
    "a score that is no number": [{"item": item("a"), "score": "high"}],
    "an endless score": [{"item": item("a"), "score": float("inf")}],
    "metadata that is a list": [{"item": item("a"), "metadata": []}],
}


@pytest.mark.parametrize("answer", BAD.values(), ids=BAD)
async def test_what_is_no_list_of_found_items_is_refused(answer: Any) -> None:
    assert await code_of(rag(create_rag_strategy(Recorder(answer).retrieve))) == "INVALID_PROVIDER_OUTPUT"
    recorder = Recorder(found("a"), answer)
    assert await code_of(rag(create_rag_strategy(recorder.retrieve, rank=recorder.rank))) == "INVALID_PROVIDER_OUTPUT"
    recorder = Recorder(answer, found("a"))
    assert await code_of(rag(create_rag_strategy(recorder.retrieve, rank=recorder.rank))) == "INVALID_PROVIDER_OUTPUT"


@pytest.mark.parametrize("broken", ["embed", "retrieve", "rank"])
async def test_a_part_that_breaks_makes_the_strategy_unavailable(broken: str) -> None:
    answers: dict[str, Any] = {"found": found("a"), "ranked": found("a"), "embedding": 1}
    name = {"embed": "embedding", "retrieve": "found", "rank": "ranked"}[broken]
    recorder = Recorder(**{**answers, name: ValueError("hunter2")})
    strategy = create_rag_strategy(recorder.retrieve, recorder.embed, recorder.rank)
    assert await code_of(rag(strategy)) == "STRATEGY_UNAVAILABLE"


async def test_what_ditto_itself_refused_passes_as_it_is() -> None:
    recorder = Recorder(PermissionDeniedError("read", "a.md"))
    with pytest.raises(PermissionDeniedError):
        await rag(create_rag_strategy(recorder.retrieve))
