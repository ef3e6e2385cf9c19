"""CONTEXT.LOAD: sources become items."""

from __future__ import annotations

from typing import Any

import pytest

from ditto_core.contracts.context import ContextItem
from ditto_core.contracts.message import Message, Reference
from ditto_core.contracts.nodes import CONTEXT_LOAD
from ditto_core.errors import ContextError, InvalidInputError
from tests.workers.context.stage import code_of, ids, invoke, load

pytestmark = pytest.mark.anyio

POINTER = {"uri": "https://example.org/a.md", "mediaType": "text/markdown"}


async def test_a_message_becomes_an_item_with_role_and_name_as_metadata() -> None:
    loaded = await load({"role": "tool", "content": "42", "name": "count"}, {"role": "user", "content": {"n": 1}})
    first, second = loaded.items
    assert (first.content, first.metadata, first.source) == ("42", {"role": "tool", "name": "count"}, None)
    assert (second.content, second.metadata) == ({"n": 1}, {"role": "user"})


async def test_a_reference_is_kept_and_not_fetched() -> None:
    async def resolver(reference: Reference) -> str:
        raise AssertionError("nobody asked for it")

    loaded = await load(POINTER, resolver=resolver)
    assert loaded.items[0].source == Reference.parse(POINTER)
    assert loaded.items[0].to_wire()["content"] == [{"type": "reference", "reference": POINTER}]


async def test_an_item_stays_as_it_is_and_sources_keep_their_order() -> None:
    given = ContextItem(id="x", content="1", metadata={"priority": 2})
    loaded = await load({"role": "user", "content": "a"}, given, POINTER, {"id": "y", "content": None})
    assert loaded.items[1] is given
    assert [each.partition(":")[0] for each in ids(loaded)] == ["message", "x", "reference", "y"]


async def test_the_id_is_the_hash_of_the_canonical_json() -> None:
    loaded = await load({"role": "user", "content": "é"}, {"uri": "a:b"})
    # printf '{"content":"é","role":"user"}' | sha256sum, and the same of {"uri":"a:b"}
    assert ids(loaded) == ["message:e0db42f8f45e84d5254bd009b6846314", "reference:ac780b91009c7666e2d385234395f6ff"]


@pytest.mark.parametrize(
    "twin",
    [
        {"content": {"b": 2, "a": [1, "é"]}, "role": "user"},
        {"role": "user", "content": {"a": [1, "é"], "b": 2}, "name": None},
        Message(role="user", content={"b": 2, "a": (1, "é")}),
    ],
)
async def test_equal_messages_have_equal_ids_however_they_are_written(twin: Any) -> None:
    given = {"role": "user", "content": {"a": [1, "é"], "b": 2}}
    assert ids(await load(twin)) == ids(await load(given))


@pytest.mark.parametrize(
    "other",
    [
        {"role": "assistant", "content": "a"},
        {"role": "user", "content": "a", "name": "n"},
        {"role": "user", "content": ["a"]},
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {"role": "user", "content": None},
        {"uri": "a"},
    ],
)
async def test_whatever_differs_has_another_id(other: Any) -> None:
    assert ids(await load(other)) != ids(await load({"role": "user", "content": "a"}))


async def test_equal_sources_meet_the_policy_for_duplicates() -> None:
    twice = ({"id": "a", "content": "old"}, {"id": "b", "content": "2"}, {"id": "a", "content": "new"})
    assert [each.content for each in (await load(*twice)).items] == ["new", "2"]
    kept = await load(*twice, policy={"duplicate": "keep-first"})
    assert [each.content for each in kept.items] == ["old", "2"]
    assert await code_of(load(*twice, policy={"duplicate": "reject"})) == "DUPLICATE_ITEM"


async def test_what_is_loaded_stays_within_the_policy() -> None:
    assert await code_of(load({"uri": "a"}, {"uri": "b"}, policy={"maxItems": 1})) == "ITEM_LIMIT_EXCEEDED"
    long = {"role": "user", "content": "12345"}
    assert await code_of(load(long, policy={"maxInlineBytes": 4})) == "INLINE_LIMIT_EXCEEDED"


async def test_nothing_is_loaded_from_nothing() -> None:
    assert ids(await load()) == []


async def resolve(*sources: Any, policy: dict[str, Any] | None = None, **services: Any) -> Any:
    return await invoke(CONTEXT_LOAD, {"sources": list(sources), "resolveReferences": True}, policy, **services)


async def test_a_resolved_reference_keeps_its_id_and_its_source() -> None:
    asked = []

    async def resolver(reference: Reference) -> Any:
        asked.append(reference.uri)
        return [{"type": "text", "text": "fetched"}]

    loaded = await resolve(POINTER, {"id": "x", "content": "c", "source": {"uri": "kept"}}, resolver=resolver)
    assert asked == [POINTER["uri"]]
    assert ids(loaded) == [*ids(await load(POINTER)), "x"]
    assert loaded.items[0].to_wire()["content"] == [{"type": "text", "text": "fetched"}]
    assert loaded.items[0].source == Reference.parse(POINTER)


async def test_resolving_without_a_resolver_is_refused_only_when_there_is_something_to_resolve() -> None:
    assert await code_of(resolve(POINTER)) == "RESOLVER_UNAVAILABLE"
    assert len((await resolve({"role": "user", "content": "a"})).items) == 1


@pytest.mark.parametrize("answer", [None, float("nan"), b"bytes", object()])
async def test_a_resolver_that_gives_no_content_is_told(answer: Any) -> None:
    async def resolver(reference: Reference) -> Any:
        return answer

    assert await code_of(resolve(POINTER, resolver=resolver)) == "INVALID_PROVIDER_OUTPUT"


async def test_a_resolver_that_breaks_is_unavailable_and_its_words_stay_inside() -> None:
    async def resolver(reference: Reference) -> Any:
        raise OSError("password hunter2 refused")

    with pytest.raises(ContextError) as caught:
        await resolve(POINTER, resolver=resolver)
    assert (caught.value.code, caught.value.message) == ("RESOLVER_UNAVAILABLE", "the resolver raised OSError")
    assert isinstance(caught.value.__cause__, OSError)


async def test_resolved_content_stays_within_the_policy() -> None:
    async def resolver(reference: Reference) -> str:
        return "12345"

    code = await code_of(resolve(POINTER, policy={"maxInlineBytes": 4}, resolver=resolver))
    assert code == "INLINE_LIMIT_EXCEEDED"


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({}, "one of sources and scope"),
        ({"scope": {}}, "a scope needs"),
        ({"scope": {"sessionId": "s"}, "resolveReferences": True}, "needs sources"),
        ({"sources": "text"}, "sources: a list is needed"),
        ({"sources": ["text"]}, r"sources\[0\]: needs a role \(Message\), a uri \(Reference\) or an id"),
        ({"sources": [{"uri": 5}]}, r"sources\[0\].reference.uri"),
        ({"sources": [{"role": "robot", "content": ""}]}, r"sources\[0\].message.role"),
        ({"sources": [{"role": "user", "content": "", "extra": 1}]}, r"sources\[0\].message.extra"),
    ],
)
async def test_invalid_input_is_refused_with_its_path(given: Any, path: str) -> None:
    with pytest.raises(InvalidInputError, match=path):
        await invoke(CONTEXT_LOAD, given)
