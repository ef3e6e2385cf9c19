"""The scripted provider says what it was told to."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path
from typing import Any

import pytest

from ditto_core.contracts.events import TextDelta, ThinkingDelta
from ditto_core.contracts.ports import SampleResult, StreamingProvider, StreamItem
from ditto_core.errors import ConfigError, InferError, InvalidInputError, ProviderError
from ditto_core.workers.infer.providers import scripted
from ditto_core.workers.infer.providers.scripted import ScriptedProvider, load_script
from tests.workers.infer.providers.talk import sample, user

pytestmark = pytest.mark.anyio
REQUEST = sample(user("hello"))


async def streamed(provider: StreamingProvider) -> list[StreamItem]:
    async with provider.stream(REQUEST) as items:
        return [item async for item in items]


async def test_it_streams_thinking_then_text_then_one_result() -> None:
    items = await streamed(ScriptedProvider([{"thinking": "hm", "text": ["a", "b"]}]))
    assert [type(item) for item in items] == [ThinkingDelta, TextDelta, TextDelta, SampleResult]
    result = items[-1]
    assert isinstance(result, SampleResult)
    assert result.output.message.content == "ab"
    assert result.output.finish_reason == "stop"


async def test_the_turns_come_in_order_and_the_requests_are_kept() -> None:
    provider = ScriptedProvider(["one", "two"])
    first, second = await provider.invoke(REQUEST), await provider.invoke(sample(user("again")))
    assert (first.message.content, second.message.content) == ("one", "two")
    assert [request.messages[0].content for request in provider.requests] == ["hello", "again"]
    assert provider.remaining == 0


async def test_a_spent_script_says_so() -> None:
    provider = ScriptedProvider(["one"])
    await provider.invoke(REQUEST)
    with pytest.raises(InferError, match="1 turns and is spent; this is request 2"):
        await provider.invoke(REQUEST)


async def test_actions_get_ids_that_differ_over_the_whole_script() -> None:
    turn = {"actions": [{"name": "read_text", "arguments": {"path": "a"}}, {"name": "pwd"}]}
    provider = ScriptedProvider([turn, turn])
    outputs = [await provider.invoke(REQUEST), await provider.invoke(REQUEST)]
    ids = [request.id for output in outputs for request in output.action_requests]
    assert ids == ["call-1", "call-2", "call-3", "call-4"]
    assert {output.finish_reason for output in outputs} == {"action_request"}


async def test_usage_finish_reason_and_metadata_are_as_scripted_and_usage_is_zeros_otherwise() -> None:
    said = {"text": "x", "finishReason": "length", "usage": {"inputTokens": 7}, "metadata": {"signature": "s"}}
    provider = ScriptedProvider([said, "y"])
    output = await provider.invoke(REQUEST)
    assert (output.finish_reason, output.message.metadata) == ("length", {"signature": "s"})
    assert output.usage is not None
    assert (output.usage.input_tokens, output.usage.total_tokens) == (7, None)
    silent = (await provider.invoke(REQUEST)).usage
    assert silent is not None
    assert silent.total_tokens == 0


async def test_a_failure_comes_with_the_finish_reason_error() -> None:
    failure = {"code": "MODEL_ERROR", "message": "refusal"}
    output = await ScriptedProvider([{"finishReason": "error", "failure": failure}]).invoke(REQUEST)
    assert output.error is not None
    assert output.error.code == "MODEL_ERROR"


async def test_an_error_is_raised_after_the_text_that_came_before_it() -> None:
    turn = {"text": "half", "error": {"code": "PROVIDER_OVERLOADED", "message": "busy", "status": 529}}
    provider = ScriptedProvider([turn, turn])
    async with provider.stream(REQUEST) as items:
        assert await anext(items) == TextDelta(text="half")
        with pytest.raises(ProviderError) as caught:
            await anext(items)
    assert (caught.value.code, caught.value.status) == ("PROVIDER_OVERLOADED", 529)
    with pytest.raises(ProviderError, match="busy"):
        await provider.invoke(REQUEST)


@pytest.mark.parametrize("answer", [None, 5, "text", [], {"message": {"role": "user", "content": 5}}])
async def test_a_malformed_answer_is_given_back_unchecked(answer: Any) -> None:
    provider = ScriptedProvider([{"answer": answer}, {"answer": answer}])
    given: Any = await provider.invoke(REQUEST)
    assert given == answer
    [result] = await streamed(provider)
    assert isinstance(result, SampleResult)
    assert result.output == answer


async def test_a_stream_can_end_without_a_result() -> None:
    provider = ScriptedProvider([{"text": "x", "noResult": True}, {"noResult": True}])
    assert [type(item) for item in await streamed(provider)] == [TextDelta]
    with pytest.raises(ProviderError) as caught:
        await provider.invoke(REQUEST)
    assert caught.value.code == "INVALID_MODEL_OUTPUT"


async def test_a_delay_comes_before_the_turn() -> None:
    output = await ScriptedProvider([{"text": "late", "delayMs": 1}]).invoke(REQUEST)
    assert output.message.content == "late"


@pytest.mark.parametrize(
    "turn",
    [
        {},
        {"delayMs": 5},
        {"text": "x", "delayMs": 60_001},
        {"txt": "x"},
        {"answer": 1, "actions": [{"name": "a"}]},
        {"actions": [{"name": ""}]},
        {"finishReason": "tired"},
        5,
    ],
)
def test_a_turn_that_makes_no_sense_is_refused_with_its_place(turn: Any) -> None:
    with pytest.raises(InvalidInputError, match=r"turns\[1\]"):
        ScriptedProvider(["fine", turn])


async def test_the_example_in_the_documentation_is_a_script(tmp_path: Path) -> None:
    example = textwrap.dedent((scripted.__doc__ or "").partition("    turns:")[2].partition("\n`metadata`")[0])
    file = tmp_path / "example.yaml"
    file.write_text("turns:" + example, encoding="utf-8")
    provider = load_script(file)
    assert provider.remaining == 6
    assert (await provider.invoke(REQUEST)).action_requests[0].arguments == {"path": "README.md"}
    assert (await provider.invoke(REQUEST)).message.content == "Ditto runs agents."


@pytest.mark.parametrize("data", [["hi"], {"turns": ["hi"]}])
async def test_a_json_script_is_read(tmp_path: Path, data: Any) -> None:
    file = tmp_path / "script.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    assert (await load_script(str(file)).invoke(REQUEST)).message.content == "hi"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.json", "{"),
        ("a.json", "[]"),
        ("a.json", '{"turns": [], "more": 1}'),
        ("a.json", "[" * 100_000),
        ("a.yaml", "turns: ["),
        ("a.yaml", "turns: 5"),
        ("a.yaml", ""),
        ("a.yaml", "turns:\n  - txt: x\n"),
    ],
)
def test_a_bad_script_is_a_configuration_error_that_names_the_file(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=name):
        load_script(file)


def test_a_script_that_is_not_there_or_a_folder_is_a_configuration_error(tmp_path: Path) -> None:
    for place in (tmp_path / "none.yaml", tmp_path):
        with pytest.raises(ConfigError):
            load_script(place)
