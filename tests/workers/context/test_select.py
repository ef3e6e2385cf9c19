"""CONTEXT.SELECT by the default strategy and by an injected selector."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ditto_core.contracts.context import Context, ContextItem
from ditto_core.contracts.nodes import CONTEXT_SELECT
from ditto_core.errors import ContextError, InvalidInputError
from ditto_core.workers.context.budget import budget_of
from ditto_core.workers.context.size import content_bytes, estimate_tokens
from tests.workers.context.stage import code_of, context, finished, ids, invoke, item, items, select

pytestmark = pytest.mark.anyio


async def test_without_anything_to_go_by_the_order_stays() -> None:
    chosen = await select(items("c", "a", "b"))
    assert chosen.to_wire() == {
        "purpose": "infer",
        "context": {"items": [{"id": each, "content": each} for each in "cab"]},
        "selectedItemIds": ["c", "a", "b"],
    }


async def test_for_a_model_leading_items_come_first_then_priority_relevance_overlap_and_position() -> None:
    given = context(
        item("plain"),
        item("words", "green tea"),
        item("more words", "green tea is steeped"),
        item("relevant", relevance=0.5),
        item("urgent", priority=1),
        item("urgent and relevant", priority=1, relevance=0.1),
        item("least", priority=-1),
        item("goal", currentGoal=True),
        item("system", role="system"),
        item("protected", protected=True, priority=9),
    )
    chosen = await select(given, query="Is GREEN tea steeped?")
    assert ids(chosen) == [
        "protected",
        "goal",
        "system",
        "urgent and relevant",
        "urgent",
        "relevant",
        "more words",
        "words",
        "plain",
        "least",
    ]


async def test_for_memory_what_is_worth_keeping_comes_first_and_private_things_are_left_out() -> None:
    given = context(
        item("system", role="system"),
        item("urgent", priority=5),
        item("stable", stable=True),
        item("private", private=True, memoryCandidate=True),
        item("not eligible", memoryEligible=False),
        item("candidate", memoryCandidate=True, priority=1),
        item("reusable", reusable=True),
        item("eligible", memoryEligible=True),
    )
    chosen = await select(given, purpose="memory")
    assert ids(chosen) == ["candidate", "stable", "reusable", "urgent", "system", "eligible"]
    assert chosen.purpose == "memory"


async def test_for_a_model_private_items_are_no_secret() -> None:
    assert ids(await select(context(item("private", private=True)))) == ["private"]


@pytest.mark.parametrize("value", [True, 1, "yes", "false"])
async def test_a_flag_is_set_by_any_value_that_says_something(value: Any) -> None:
    assert ids(await select(context(item("a", private=value)), purpose="memory")) == []
    assert ids(await select(context(item("b"), item("a", protected=value)))) == ["a", "b"]


@pytest.mark.parametrize("value", [False, None, 0, ""])
async def test_a_flag_is_not_set_by_a_value_that_says_nothing(value: Any) -> None:
    assert ids(await select(context(item("a", private=value)), purpose="memory")) == ["a"]
    assert ids(await select(context(item("b"), item("a", protected=value)))) == ["b", "a"]


async def test_a_priority_that_is_no_number_counts_as_none() -> None:
    given = context(item("text", priority="high"), item("true", priority=True), item("number", priority=0.5))
    assert ids(await select(given)) == ["number", "text", "true"]


async def test_items_that_say_the_same_are_taken_once_the_best_of_them() -> None:
    given = context(
        item("first", {"a": 1, "b": 2}),
        item("again", {"b": 2, "a": 1}, priority=1),
        item("another role", {"a": 1, "b": 2}, role="user"),
        item("another call", {"a": 1, "b": 2}, callId="c"),
    )
    assert ids(await select(given)) == ["again", "another role", "another call"]


async def test_an_item_that_does_not_fit_is_skipped_and_smaller_ones_after_it_are_taken() -> None:
    given = context(item("a", "x" * 40), item("b", "x" * 400), item("c", "y" * 40))
    room = estimate_tokens(given.items[0]) + estimate_tokens(given.items[2])
    assert ids(await select(given, maxTokens=room)) == ["a", "c"]
    assert ids(await select(given, maxTokens=room - 1)) == ["a"]


async def test_zero_is_a_limit() -> None:
    assert ids(await select(items("a"), limit=0)) == []
    assert ids(await select(items("a"), maxTokens=0)) == []


async def test_the_limits_of_a_request_narrow_the_policy_and_never_relax_it() -> None:
    given = items("a", "b", "c")
    assert ids(await select(given, {"maxItems": 2}, limit=1_000_000)) == ["a", "b"]
    assert ids(await select(given, {"maxItems": 2}, limit=1)) == ["a"]
    one = estimate_tokens(given.items[0])
    assert ids(await select(given, {"maxTokens": one}, maxTokens=1_000_000)) == ["a"]
    assert ids(await select(given, {"maxTokens": one * 2}, maxTokens=one)) == ["a"]
    large = context(item("large", "12345"), item("small", "1"))
    assert ids(await select(large, {"maxInlineBytes": 4})) == ["small"]


async def test_the_fallback_estimate_is_a_quarter_of_the_bytes_of_the_json() -> None:
    # {"id":"é","content":"é"} is 26 bytes
    assert estimate_tokens(item("é")) == 7
    assert ids(await select(items("é"), maxTokens=7)) == ["é"]
    assert ids(await select(items("é"), maxTokens=6)) == []


async def test_an_injected_estimate_counts_instead() -> None:
    given = items("a", "b", "c")
    chosen = await select(given, maxTokens=5, services={"token_estimator": lambda each: 4 if each.id == "b" else 2})
    assert ids(chosen) == ["a", "c"]


@pytest.mark.parametrize("answer", [-1, 1.5, True, None, "1"])
async def test_an_estimate_that_is_no_count_is_refused(answer: Any) -> None:
    call = select(items("a"), maxTokens=5, services={"token_estimator": lambda each: answer})
    assert await code_of(call) == "INVALID_PROVIDER_OUTPUT"


async def test_an_estimator_that_breaks_is_told() -> None:
    call = select(items("a"), maxTokens=5, services={"token_estimator": lambda each: 1 // 0})
    assert await code_of(call) == "INVALID_PROVIDER_OUTPUT"


async def test_what_was_given_stays_as_it_was() -> None:
    given = context(item("a"), item("b", priority=1))
    before = given.to_wire()
    await select(given, limit=1)
    assert given.to_wire() == before


traits = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["system", "user"]),
        "protected": st.booleans(),
        "private": st.booleans(),
        "stable": st.booleans(),
        "priority": st.integers(-2, 2),
        "relevance": st.floats(0, 1),
    },
)
contexts = st.lists(st.tuples(st.text("ab é", max_size=30), traits), max_size=8).map(
    lambda given: context(*(item(str(index), text, **said) for index, (text, said) in enumerate(given)))
)
limits = st.none() | st.integers(0, 60)


@given(contexts, limits, limits, st.sampled_from(["infer", "memory"]), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_a_selection_is_a_stable_part_of_the_context_within_every_limit(
    of: Context, limit: int | None, tokens: int | None, purpose: str, most: int
) -> None:
    policy = {"maxItems": most, "maxInlineBytes": 20}

    async def both() -> tuple[Any, Any]:
        asked = {"purpose": purpose, "query": "a", "limit": limit, "maxTokens": tokens}
        return await select(of, policy, **asked), await select(of, {"maxInlineBytes": 20}, **{**asked, "limit": None})

    chosen, wider = finished(both)
    kept = chosen.context.items
    assert chosen.selected_item_ids == tuple(ids(chosen))
    assert len(kept) <= min(most, most if limit is None else limit)
    assert tokens is None or sum(map(estimate_tokens, kept)) <= tokens
    assert all(content_bytes(each.content) <= 20 for each in kept)
    assert all(each in of.items for each in kept)
    order = ids(wider)
    assert ids(chosen) == order[: len(kept)]


def test_a_budget_takes_the_smaller_of_both() -> None:
    from ditto_core.settings.schema_workers import ContextPolicySettings

    policy = ContextPolicySettings.parse({"maxItems": 5, "maxTokens": 10})
    assert budget_of(9, 9, policy, None)[:2] == (5, 9)
    assert budget_of(None, None, policy, None)[:2] == (5, 10)


def selector(answer: Any, heard: list[Any] | None = None) -> dict[str, Any]:
    async def choose(*given: Any) -> Any:
        if heard is not None:
            heard.append(given)
        return answer(*given) if callable(answer) else answer

    return {"selector": choose}


PROVIDER = {"kind": "provider", "options": {"mode": "x"}}


async def test_a_provider_chooses_by_id_and_in_its_own_order() -> None:
    heard: list[Any] = []
    chosen = await select(
        items("a", "b", "c"),
        {"maxItems": 5},
        strategy=PROVIDER,
        query="q",
        limit=9,
        maxTokens=100,
        services=selector(["c", "a"], heard),
    )
    assert ids(chosen) == ["c", "a"]
    assert heard == [(items("a", "b", "c").items, "infer", "q", 5, 100, {"mode": "x"})]


async def test_a_provider_is_not_shown_what_may_not_be_remembered() -> None:
    def everything(offered: Any, *_: Any) -> list[str]:
        return [each.id for each in offered]

    given = context(item("a", private=True), item("b"))
    chosen = await select(given, purpose="memory", strategy=PROVIDER, services=selector(everything))
    assert ids(chosen) == ["b"]
    call = select(given, purpose="memory", strategy=PROVIDER, services=selector(["a"]))
    assert await code_of(call) == "INVALID_PROVIDER_OUTPUT"


@pytest.mark.parametrize("answer", [None, "a", ["a", "a"], ["ghost"], [1], [ContextItem(id="a", content="")], {"a": 1}])
async def test_an_answer_of_a_provider_that_is_no_choice_is_refused(answer: Any) -> None:
    call = select(items("a"), strategy=PROVIDER, services=selector(answer))
    assert await code_of(call) == "INVALID_PROVIDER_OUTPUT"


async def test_a_provider_that_chooses_too_much_is_refused_and_not_cut() -> None:
    services = selector(["a", "b"])
    assert await code_of(select(items("a", "b"), limit=1, strategy=PROVIDER, services=services)) == (
        "INVALID_PROVIDER_OUTPUT"
    )
    assert await code_of(select(items("a", "b"), maxTokens=8, strategy=PROVIDER, services=services)) == (
        "INVALID_PROVIDER_OUTPUT"
    )


@pytest.mark.parametrize(("kind", "service"), [("provider", "selector"), ("rag", "rag_strategy")])
async def test_a_strategy_that_was_not_injected_is_unavailable_and_the_hint_says_what_to_give(
    kind: str, service: str
) -> None:
    with pytest.raises(ContextError) as caught:
        await select(items("a"), strategy={"kind": kind})
    assert caught.value.code == "STRATEGY_UNAVAILABLE"
    assert service in str(caught.value.hint)


async def test_a_provider_that_breaks_is_unavailable() -> None:
    def breaks(*_: Any) -> None:
        raise KeyError("hunter2")

    with pytest.raises(ContextError) as caught:
        await select(items("a"), strategy=PROVIDER, services=selector(breaks))
    assert (caught.value.code, caught.value.message) == ("STRATEGY_UNAVAILABLE", "the selector raised KeyError")


@pytest.mark.parametrize(
    "given",
    [
        {"context": {"items": []}},
        {"purpose": "infer"},
        {"context": {"items": []}, "purpose": "think"},
        {"context": {"items": []}, "purpose": "infer", "limit": -1},
        {"context": {"items": []}, "purpose": "infer", "limit": 1_000_001},
        {"context": {"items": []}, "purpose": "infer", "maxTokens": 1.5},
        {"context": {"items": []}, "purpose": "infer", "strategy": {"kind": "magic"}},
        {"context": {"items": []}, "purpose": "infer", "strategy": {}},
        {"context": {"items": []}, "purpose": "infer", "strategy": {"kind": "default", "options": {}}},
        {"context": {"items": []}, "purpose": "infer", "strategy": {"kind": "rag", "options": []}},
    ],
)
async def test_invalid_input_is_refused(given: Any) -> None:
    with pytest.raises(InvalidInputError):
        await invoke(CONTEXT_SELECT, given)
