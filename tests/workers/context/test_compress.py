"""CONTEXT.COMPRESS: what is needed least goes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ditto_core.contracts.context import Context
from ditto_core.contracts.nodes import CONTEXT_COMPRESS
from ditto_core.errors import DittoError, InvalidInputError
from ditto_core.workers.context.size import estimate_tokens
from ditto_core.workers.context.trait import is_protected
from tests.workers.context.stage import code_of, compress, context, finished, ids, invoke, item, items

pytestmark = pytest.mark.anyio


async def test_a_context_that_fits_comes_back_as_it_is() -> None:
    given = items("a", "b")
    assert await compress(given, maxItems=2, maxTokens=1000) == given
    assert await compress(given) == given


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        (item("weaker", priority=1, relevance=9), item("stronger", priority=2)),
        (item("weaker", relevance=0.1), item("stronger", relevance=0.2, retrievable=True)),
        (item("weaker", retrievable=True), item("stronger")),
    ],
)
async def test_low_priority_then_low_relevance_then_what_can_be_retrieved_goes_first(
    weaker: Any, stronger: Any
) -> None:
    assert ids(await compress(context(weaker, stronger), maxItems=1)) == ["stronger"]
    assert ids(await compress(context(stronger, weaker), maxItems=1)) == ["stronger"]


async def test_of_equals_the_old_ones_go_first_and_the_rest_keeps_its_order() -> None:
    assert ids(await compress(items("a", "b", "c", "d"), maxItems=2)) == ["c", "d"]


@pytest.mark.parametrize(
    "said", [{"protected": True}, {"safety": True}, {"currentGoal": True}, {"pending": True}, {"role": "system"}]
)
async def test_what_is_protected_stays(said: dict[str, Any]) -> None:
    given = context(item("kept", priority=-9, retrievable=True, **said), item("b", priority=9))
    assert ids(await compress(given, maxItems=1)) == ["kept"]


async def test_no_more_goes_than_has_to() -> None:
    given = context(item("a", "x" * 100), item("b"), item("c"))
    room = sum(map(estimate_tokens, given.items[1:]))
    assert ids(await compress(given, maxTokens=room)) == ["b", "c"]


async def test_what_must_stay_and_does_not_fit_is_told() -> None:
    given = context(item("a", protected=True), item("b", role="system"), item("c"))
    assert await code_of(compress(given, maxItems=1)) == "BUDGET_UNSATISFIABLE"
    assert await code_of(compress(given, maxTokens=1)) == "BUDGET_UNSATISFIABLE"
    assert ids(await compress(given, maxItems=2)) == ["a", "b"]


async def test_items_of_one_call_go_together() -> None:
    given = context(item("ask", callId="1"), item("b"), item("answer", callId="1"), item("d"))
    assert ids(await compress(given, maxItems=3)) == ["ask", "answer", "d"]
    assert ids(await compress(given, maxItems=1)) == ["d"]


async def test_one_protected_item_of_a_call_holds_the_others() -> None:
    given = context(item("ask", callId="1", pending=True), item("answer", callId="1"), item("c", priority=9))
    assert ids(await compress(given, maxItems=2)) == ["ask", "answer"]
    assert await code_of(compress(given, maxItems=1)) == "BUDGET_UNSATISFIABLE"


async def test_a_call_counts_as_its_best_and_newest_item() -> None:
    given = context(item("ask", callId="1"), item("b", priority=1), item("answer", callId="1", priority=2))
    assert ids(await compress(given, maxItems=2)) == ["ask", "answer"]


async def test_the_policy_holds_without_a_limit_in_the_request_and_against_a_wider_one() -> None:
    assert ids(await compress(items("a", "b"), {"maxItems": 1})) == ["b"]
    assert ids(await compress(items("a", "b"), {"maxItems": 1}, maxItems=9)) == ["b"]
    one = estimate_tokens(item("a"))
    assert ids(await compress(items("a", "b"), {"maxTokens": one}, maxTokens=999)) == ["b"]


async def test_an_item_that_no_context_may_hold_is_refused() -> None:
    assert await code_of(compress(items("12345"), {"maxInlineBytes": 4})) == "INLINE_LIMIT_EXCEEDED"


async def test_an_injected_estimate_counts_instead() -> None:
    after = await compress(items("a", "b"), maxTokens=1, services={"token_estimator": lambda each: 1})
    assert ids(after) == ["b"]


traits = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["system", "user"]),
        "safety": st.booleans(),
        "pending": st.booleans(),
        "retrievable": st.booleans(),
        "callId": st.sampled_from(["1", "2"]),
        "priority": st.integers(-2, 2),
        "relevance": st.floats(0, 1),
    },
)
contexts = st.lists(st.tuples(st.text("ab é", max_size=30), traits), max_size=8).map(
    lambda given: context(*(item(str(index), text, **said) for index, (text, said) in enumerate(given)))
)


@given(contexts, st.none() | st.integers(0, 8), st.none() | st.integers(0, 120))
@settings(max_examples=100, deadline=None)
def test_compressing_keeps_what_is_protected_and_whole_calls_and_doing_it_again_changes_nothing(
    of: Context, most: int | None, tokens: int | None
) -> None:
    limits: dict[str, Any] = {"maxItems": most, "maxTokens": tokens}
    held = {each.id for each in of.items if is_protected(each)}
    calls = {(each.metadata or {}).get("callId") for each in of.items if each.id in held} - {None}
    held |= {each.id for each in of.items if (each.metadata or {}).get("callId") in calls}
    try:
        after = finished(lambda: compress(of, **limits))
    except DittoError as error:
        must = [each for each in of.items if each.id in held]
        fits = (most is None or len(must) <= most) and (tokens is None or sum(map(estimate_tokens, must)) <= tokens)
        assert (error.code, fits) == ("BUDGET_UNSATISFIABLE", False)  # noqa: PT017  # failing is one of two right ends
        return
    assert most is None or len(after.items) <= most
    assert tokens is None or sum(map(estimate_tokens, after.items)) <= tokens
    assert held <= set(ids(after))
    assert [each for each in of.items if each.id in ids(after)] == list(after.items)
    for call in ("1", "2"):
        group = {each.id for each in of.items if (each.metadata or {}).get("callId") == call}
        assert group & set(ids(after)) in (set(), group)
    assert finished(lambda: compress(after, **limits)) == after
    assert finished(lambda: compress(of, **limits)) == after


def compressor(answer: Any) -> dict[str, Any]:
    async def shorten(*given: Any) -> Any:
        return answer(*given) if callable(answer) else answer

    return {"compressor": shorten}


BEFORE = context(item("goal", currentGoal=True), item("ask", callId="1"), item("answer", callId="1"), item("d"))
SUMMARY = {"id": "summary", "content": "said before"}


async def test_an_injected_compressor_may_replace_items_by_a_summary() -> None:
    heard: list[Any] = []

    def shorten(*given: Any) -> Any:
        heard.append(given)
        return [given[0][0], SUMMARY]

    after = await compress(BEFORE, maxItems=2, maxTokens=500, services=compressor(shorten))
    assert ids(after) == ["goal", "summary"]
    assert heard == [(BEFORE.items, 2, 500)]


async def test_an_injected_compressor_is_not_asked_when_everything_fits_or_nothing_can() -> None:
    def never(*_: Any) -> Any:
        raise AssertionError("must not be asked")

    assert await compress(BEFORE, maxItems=4, services=compressor(never)) == BEFORE
    assert await code_of(compress(BEFORE, maxItems=0, services=compressor(never))) == "BUDGET_UNSATISFIABLE"


@pytest.mark.parametrize(
    "answer",
    [
        None,
        "text",
        [SUMMARY],
        [{"id": "goal", "content": "changed"}],
        [BEFORE.items[0], SUMMARY, SUMMARY],
        [BEFORE.items[0], BEFORE.items[1]],
        [BEFORE.items[0], BEFORE.items[3], SUMMARY],
        [BEFORE.items[0], {"id": ""}],
    ],
    ids=["nothing", "text", "no goal", "changed goal", "twice", "torn call", "too much", "no item"],
)
async def test_an_answer_of_a_compressor_that_breaks_the_rules_is_refused(answer: Any) -> None:
    call = compress(BEFORE, maxItems=2, services=compressor(answer))
    assert await code_of(call) == "INVALID_PROVIDER_OUTPUT"


async def test_a_compressor_that_breaks_is_unavailable() -> None:
    call = compress(BEFORE, maxItems=2, services=compressor(lambda *_: 1 // 0))
    assert await code_of(call) == "STRATEGY_UNAVAILABLE"


@pytest.mark.parametrize(
    "given",
    [{}, {"context": {"items": []}, "maxItems": -1}, {"context": {"items": []}, "expectedVersion": 1}],
)
async def test_invalid_input_is_refused(given: Any) -> None:
    with pytest.raises(InvalidInputError):
        await invoke(CONTEXT_COMPRESS, given)
