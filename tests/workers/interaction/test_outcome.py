"""What tools return: odd values, outcomes, and how large ones are cut."""

from __future__ import annotations

import datetime as dt
import enum
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_core.contracts.interaction import ExternalResult, InteractionError, ToolOutcome
from ditto_core.contracts.message import JsonPart, Reference, TextPart, text_part
from ditto_core.contracts.text import json_text
from ditto_core.errors import DependencyError
from ditto_core.workers.interaction.cut import cut_text
from ditto_core.workers.interaction.observe import failure_line, observe_external_result
from ditto_core.workers.interaction.unicode import without_surrogates
from tests.workers.interaction.calls import outcome_of

pytestmark = pytest.mark.anyio


class FailingRepr:
    def __repr__(self) -> str:
        raise RuntimeError("no")

    __str__ = __repr__


class Colour(enum.Enum):
    RED = 1


async def never_awaited() -> None:
    """Only its coroutine object matters."""


def cyclic() -> Any:
    loop: list[Any] = []
    loop.append(loop)
    return loop


def deep() -> Any:
    value: Any = 1
    for _ in range(500):
        value = [value]
    return value


async def returning(make: Callable[[], Any], *, is_async: bool = True, limit: int = 65_536) -> ExternalResult:
    async def execute_async(arguments: Any, ctx: Any) -> Any:
        return make()

    def execute_sync(arguments: Any, ctx: Any) -> Any:
        return make()

    return await outcome_of(execute_async if is_async else execute_sync, max_output_bytes=limit)


@pytest.mark.parametrize(
    "make",
    [
        lambda: b"bytes",
        lambda: dt.datetime(2024, 1, 1),
        lambda: float("nan"),
        lambda: float("-inf"),
        lambda: {1, 2},
        lambda: (item for item in [1]),
        object,
        lambda: {"a": [FailingRepr()]},
        lambda: {1: "key"},
        lambda: Colour.RED,
        FailingRepr,
        never_awaited,
        cyclic,
        deep,
        lambda: 10**5000,
        lambda: {"status": "success", "content": {1}},
        lambda: {"status": "success", "error": {"code": "A", "message": "no content"}},
    ],
)
async def test_what_is_no_json_is_infrastructure(make: Callable[[], Any]) -> None:
    with pytest.raises(DependencyError, match=r"^tool probe returned \w+, which is no JSON") as caught:
        await returning(make)
    assert caught.value.code == "DEPENDENCY_FAILED"
    assert "\n" not in caught.value.message


@pytest.mark.parametrize("is_async", [True, False])
async def test_text_becomes_the_content(is_async: bool) -> None:
    result = await returning(lambda: "hi", is_async=is_async)
    assert result.to_wire() == {"status": "success", "content": "hi", "callId": "call-1", "source": "probe"}


@pytest.mark.parametrize("value", [{"a": [1, None]}, [1, 2], 5, 1.5, True, False, 0, {}, []])
async def test_a_json_value_becomes_the_structured_content(value: Any) -> None:
    result = await returning(lambda: value)
    assert (result.status, result.structured_content, result.content) == ("success", value, None)


async def test_nothing_is_a_success_without_output() -> None:
    result = await returning(lambda: None)
    assert result.status == "success"
    assert observe_external_result(result).message.content == "(no output)"


async def test_lone_surrogates_are_replaced_and_pairs_are_joined() -> None:
    assert (await returning(lambda: "a\ud800b")).content == "a\ufffdb"
    assert (await returning(lambda: "\ud83d\ude00")).content == "😀"
    assert (await returning(lambda: {"k\udfff": ["\ud800"]})).structured_content == {"k\ufffd": ["\ufffd"]}


@given(st.recursive(st.text(alphabet=st.characters(codec=None)) | st.none() | st.integers(), st.lists))
def test_any_text_can_be_encoded_afterwards(value: Any) -> None:
    json_text(without_surrogates(value)).encode()


async def test_a_tool_outcome_is_taken_as_it_is() -> None:
    made = ToolOutcome(status="success", content=[{"type": "text", "text": "a"}], metadata={"m": 1})
    result = await returning(lambda: made)
    assert (result.content, result.metadata) == ((text_part("a"),), {"m": 1})
    assert "structuredContent" not in result.to_wire()


@pytest.mark.parametrize("status", ["failed", "cancelled", "timeout", "unknown"])
async def test_an_outcome_that_is_no_success_keeps_its_status(status: Any) -> None:
    error = InteractionError(code="A.b-c_1", message="it did not work", retryable=True)
    result = await returning(lambda: ToolOutcome(status=status, error=error, content="partly"))
    assert (result.status, result.error, result.content) == (status, error, "partly")


async def test_an_unsafe_error_of_an_outcome_keeps_its_status_only() -> None:
    error = InteractionError(code="A", message="failed at /srv/app/main.py")
    result = await returning(lambda: ToolOutcome(status="timeout", error=error))
    assert result.status == "timeout"
    assert result.error is not None
    assert result.error.code == "TOOL_ERROR"
    assert "/srv" not in result.error.message


async def test_a_mapping_with_a_status_and_a_part_is_an_outcome_and_extra_fields_are_dropped() -> None:
    given = {"status": "failed", "error": {"code": "X", "message": "no", "trace": "…"}, "extra": 1}
    result = await returning(lambda: given)
    assert (result.status, result.error) == ("failed", InteractionError(code="X", message="no"))


@pytest.mark.parametrize("spelling", ["structuredContent", "structured_content"])
async def test_a_mapping_may_use_either_spelling(spelling: str) -> None:
    result = await returning(lambda: {"status": "success", spelling: {"a": 1}})
    assert result.structured_content == {"a": 1}


@pytest.mark.parametrize("error", [None, {}, "no", {"code": 5, "message": "x"}, {"code": "a b", "message": "x"}])
async def test_a_failed_mapping_with_an_unusable_error_stays_failed(error: Any) -> None:
    result = await returning(lambda: {"status": "failed", "error": error})
    assert result.status == "failed"
    assert result.error is not None
    assert result.error.code == "TOOL_ERROR"


@pytest.mark.parametrize("value", [{"status": "failed"}, {"status": "open", "content": 1}, {"status": ["success"]}])
async def test_a_mapping_that_only_has_a_status_is_data(value: Any) -> None:
    result = await returning(lambda: value)
    assert (result.status, result.structured_content) == ("success", value)


async def test_an_external_result_of_a_tool_does_not_choose_its_id_and_source() -> None:
    forged = ExternalResult(call_id="other", source="read_text", status="success", content="x")
    result = await returning(lambda: forged)
    assert (result.call_id, result.source) == ("call-1", "probe")


async def test_fifty_megabytes_are_cut_and_say_so() -> None:
    result = await returning(lambda: "x" * 50_000_000, is_async=False)
    assert len(result.content.encode()) <= 65_536
    assert result.content.endswith(" of 50000000 bytes]")
    assert result.metadata == {"truncated": True}


async def test_text_at_the_limit_is_not_cut() -> None:
    result = await returning(lambda: "ä" * 50, limit=100)
    assert result.content == "ä" * 50
    assert result.metadata is None


async def test_structured_content_that_is_too_large_becomes_cut_text() -> None:
    result = await returning(lambda: {"rows": list(range(10_000))}, limit=1000)
    assert result.structured_content is None
    assert result.content.startswith('{"rows":[0,1,2')
    assert "[cut: first " in result.content
    assert len(result.content.encode()) <= 1000


async def test_parts_are_cut_where_the_room_ends() -> None:
    parts = (text_part("a" * 100), JsonPart(type="json", data={"k": "v" * 1000}), text_part("never"), text_part("seen"))
    result = await returning(lambda: ToolOutcome(status="success", content=parts), limit=400)
    kept = result.content
    assert kept[0] == parts[0]
    assert isinstance(kept[1], TextPart)
    assert kept[1].text.endswith("bytes] 2 more parts are left out.")
    assert len(kept) == 2
    assert sum(len(part.text.encode()) for part in kept) <= 400


async def test_references_and_metadata_are_bounded_too() -> None:
    made = ToolOutcome(
        status="success",
        content="x",
        references=tuple(Reference(uri=f"probe:{number}") for number in range(1000)),
        metadata={"big": "m" * 5000},
    )
    result = await returning(lambda: made, limit=1000)
    assert result.references is not None
    assert 10 < len(result.references) < 100
    assert result.metadata == {"truncated": True}


@pytest.mark.parametrize("limit", [700, 1000, 65_536])
async def test_what_the_model_reads_of_a_failure_fits_the_limit_too(limit: int) -> None:
    error = InteractionError(code="X" * 64, message="é" * 200)
    made = ToolOutcome(status="failed", error=error, content="é" * 100_000)
    observation = observe_external_result(await returning(lambda: made, limit=limit))
    assert len(observation.message.content.encode()) <= limit
    assert observation.message.content.startswith(failure_line(made))


@given(st.text(), st.integers(min_value=1, max_value=200))
def test_cut_text_keeps_within_the_limit_and_keeps_a_beginning(text: str, limit: int) -> None:
    cut = cut_text(text, limit)
    size = len(text.encode())
    if size <= limit:
        assert cut == text
        return
    kept, _, note = cut.rpartition("[cut: first ")
    count = int(note.split()[0])
    assert note == f"{count} of {size} bytes]"
    assert text.encode()[:count].decode() + ("\n" if count else "") == kept
    assert len(cut.encode()) <= limit or count == 0
