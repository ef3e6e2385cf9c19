"""CONTEXT.UPDATE on an explicit context."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_core.contracts.context import Context, ContextItem, ContextUpdateInput
from ditto_core.contracts.nodes import CONTEXT_UPDATE
from ditto_core.errors import ContextError, InvalidInputError
from ditto_core.runtime.runtime import Ditto
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.settings.schema import Settings
from ditto_core.settings.schema_workers import ContextPolicySettings
from ditto_core.workers.context.size import content_bytes
from ditto_core.workers.context.update import update_context
from ditto_core.workers.context.worker import create_context_worker


def context(**items: Any) -> Context:
    return Context(items=tuple(ContextItem(id=name, content=content) for name, content in items.items()))


def update(before: Context, policy: dict[str, Any] | None = None, **given: Any) -> Context:
    return update_context(
        before,
        ContextUpdateInput.parse({"context": before, **given}),
        ContextPolicySettings.parse(policy or {}),
    )


def pairs(after: Context) -> list[tuple[str, Any]]:
    return [(item.id, item.content) for item in after.items]


def code_of(before: Context, policy: dict[str, Any] | None = None, **given: Any) -> str:
    unchanged = before.to_wire()
    with pytest.raises(ContextError) as caught:
        update(before, policy, **given)
    assert before.to_wire() == unchanged
    return caught.value.code


def test_items_are_removed_then_added_then_taken_in() -> None:
    after = update(
        context(a="1", b="2", c="3"),
        removeIds=["a"],
        add=[{"id": "d", "content": "4"}, {"id": "a", "content": "again"}],
        ingress=[{"id": "e", "sourceNode": "INTERACTION.OBSERVE", "content": "5"}],
    )
    assert pairs(after) == [("b", "2"), ("c", "3"), ("d", "4"), ("a", "again"), ("e", "5")]


def test_an_update_of_nothing_changes_nothing() -> None:
    before = context(a="1")
    assert update(before) == before
    assert update(Context(items=())) == Context(items=())


def test_the_old_context_stays_as_it_was() -> None:
    before = context(a="1")
    update(before, removeIds=["a"], add=[{"id": "b", "content": "2"}])
    assert pairs(before) == [("a", "1")]


def test_ingress_records_its_node_whatever_its_metadata_says() -> None:
    after = update(
        context(),
        ingress=[
            {
                "id": "observation:1",
                "sourceNode": "INTERACTION.OBSERVE",
                "content": "x",
                "reference": {"uri": "probe:1"},
                "metadata": {"callId": "1", "sourceNode": "forged"},
            }
        ],
    )
    assert after.items[0].to_wire() == {
        "id": "observation:1",
        "content": "x",
        "source": {"uri": "probe:1"},
        "metadata": {"callId": "1", "sourceNode": "INTERACTION.OBSERVE"},
    }


def test_a_duplicate_replaces_and_keeps_the_position_by_default() -> None:
    after = update(context(a="1", b="2"), add=[{"id": "a", "content": "new"}, {"id": "a", "content": "newest"}])
    assert pairs(after) == [("a", "newest"), ("b", "2")]


def test_keep_first_leaves_what_is_there() -> None:
    after = update(
        context(a="1"),
        {"duplicate": "keep-first"},
        add=[{"id": "a", "content": "new"}, {"id": "b", "content": "2"}],
        ingress=[{"id": "b", "sourceNode": "N", "content": "late"}],
    )
    assert pairs(after) == [("a", "1"), ("b", "2")]


def test_reject_refuses_duplicates_also_between_add_and_ingress() -> None:
    policy = {"duplicate": "reject"}
    assert code_of(context(a="1"), policy, add=[{"id": "a", "content": "x"}]) == "DUPLICATE_ITEM"
    both = {"add": [{"id": "b", "content": "x"}], "ingress": [{"id": "b", "sourceNode": "N", "content": "y"}]}
    assert code_of(context(), policy, **both) == "DUPLICATE_ITEM"
    assert pairs(update(context(a="1"), policy, removeIds=["a"], add=[{"id": "a", "content": "x"}])) == [("a", "x")]


def test_removing_what_is_not_there_is_ignored_or_rejected() -> None:
    assert pairs(update(context(a="1"), removeIds=["b"])) == [("a", "1")]
    policy = {"missingRemoval": "reject"}
    assert code_of(context(a="1"), policy, removeIds=["b"]) == "MISSING_ITEM"
    assert code_of(context(), policy, removeIds=["b"], add=[{"id": "b", "content": "x"}]) == "MISSING_ITEM"
    assert pairs(update(context(a="1"), policy, removeIds=["a", "a"])) == []


def test_more_items_than_the_policy_allows_are_refused() -> None:
    policy = {"maxItems": 2}
    assert len(update(context(a="1"), policy, add=[{"id": "b", "content": "2"}]).items) == 2
    assert code_of(context(a="1", b="2"), policy, add=[{"id": "c", "content": "3"}]) == "ITEM_LIMIT_EXCEEDED"
    swapped = update(context(a="1", b="2"), policy, removeIds=["a"], add=[{"id": "c", "content": "3"}])
    assert pairs(swapped) == [("b", "2"), ("c", "3")]


@pytest.mark.parametrize(
    ("content", "size"),
    [
        ("é\n", 3),
        ({"k": "é"}, 10),
        ([{"type": "text", "text": "é"}, {"type": "json", "data": [1]}], 5),
        ([{"type": "reference", "reference": {"uri": "a:b"}}], 13),
        (None, 4),
    ],
)
def test_content_is_measured_in_bytes_of_utf8(content: Any, size: int) -> None:
    item = ContextItem(id="a", content=content)
    assert content_bytes(item.content) == size
    given = {"add": [{"id": "a", "content": content}]}
    assert len(update(context(), {"maxInlineBytes": size}, **given).items) == 1
    assert code_of(context(), {"maxInlineBytes": size - 1}, **given) == "INLINE_LIMIT_EXCEEDED"


def test_ingress_is_measured_too() -> None:
    given = {"ingress": [{"id": "a", "sourceNode": "N", "content": "12345"}]}
    assert code_of(context(), {"maxInlineBytes": 4}, **given) == "INLINE_LIMIT_EXCEEDED"


def test_a_number_too_long_to_write_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="more than 1024 bits"):
        update(context(), add=[{"id": "a", "content": {"n": 10**5000}}])


def test_a_message_quotes_no_content_and_cuts_the_id() -> None:
    with pytest.raises(ContextError) as caught:
        update(context(), {"maxInlineBytes": 8}, add=[{"id": "i" * 500, "content": "hunter2hunter2"}])
    assert "hunter2" not in str(caught.value)
    assert len(str(caught.value)) < 200
    assert caught.value.hint


ids = st.sampled_from("abcde")


@given(st.lists(ids, unique=True), st.lists(ids), st.lists(ids), st.lists(ids))
def test_an_update_agrees_with_a_plain_dictionary(start: Any, removed: Any, added: Any, taken: Any) -> None:
    before = context(**dict.fromkeys(start, "old"))
    after = update(
        before,
        removeIds=removed,
        add=[{"id": name, "content": f"add {index}"} for index, name in enumerate(added)],
        ingress=[{"id": name, "sourceNode": "N", "content": f"in {index}"} for index, name in enumerate(taken)],
    )
    expected = {name: "old" for name in start if name not in removed}
    expected |= {name: f"add {index}" for index, name in enumerate(added)}
    expected |= {name: f"in {index}" for index, name in enumerate(taken)}
    assert pairs(after) == list(expected.items())


@pytest.mark.anyio
async def test_the_node_uses_the_policy_of_the_configuration() -> None:
    settings = Settings.parse({"workers": {"context": {"policy": {"maxItems": 1}}}})
    config = RuntimeConfig(settings=settings)
    async with Ditto(config=config, workers=[create_context_worker()]) as runtime:
        given = {"context": {"items": []}, "add": [{"id": "a", "content": "1"}]}
        after = await runtime.invoke(CONTEXT_UPDATE, given)
        assert pairs(after) == [("a", "1")]
        with pytest.raises(ContextError) as caught:
            await runtime.invoke(CONTEXT_UPDATE, {"context": after, "add": [{"id": "b", "content": "2"}]})
        assert caught.value.code == "ITEM_LIMIT_EXCEEDED"


@pytest.mark.anyio
@pytest.mark.parametrize("policy", [{"maxItems": 1}, ContextPolicySettings(max_items=1)])
async def test_a_policy_of_the_worker_replaces_the_configured_one(policy: Any) -> None:
    async with Ditto(workers=[create_context_worker(policy)]) as runtime:
        with pytest.raises(ContextError):
            await runtime.invoke(
                CONTEXT_UPDATE, {"context": {"items": []}, "add": [{"id": i, "content": ""} for i in "ab"]}
            )


def test_an_invalid_policy_is_refused_at_construction() -> None:
    with pytest.raises(InvalidInputError):
        create_context_worker({"maxItem": 1})


@pytest.mark.anyio
async def test_a_scope_without_a_store_is_refused() -> None:
    async with Ditto(workers=[create_context_worker()]) as runtime:
        with pytest.raises(ContextError) as caught:
            await runtime.invoke(CONTEXT_UPDATE, {"scope": {"sessionId": "s"}, "add": []})
    assert caught.value.code == "STATE_STORE_UNAVAILABLE"


@pytest.mark.anyio
@pytest.mark.parametrize("given", [{}, {"context": {"items": []}, "scope": {"sessionId": "s"}}, {"scope": {}}])
async def test_exactly_one_of_context_and_scope_is_needed(given: Any) -> None:
    async with Ditto(workers=[create_context_worker()]) as runtime:
        with pytest.raises(InvalidInputError):
            await runtime.invoke(CONTEXT_UPDATE, given)
