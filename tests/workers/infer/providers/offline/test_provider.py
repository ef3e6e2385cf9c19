"""What the offline provider answers."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ditto_core.contracts.events import TextDelta
from ditto_core.contracts.infer import ModelMessage, SampleOutput, Usage
from ditto_core.contracts.ports import SampleResult, StreamingProvider
from ditto_core.workers.infer.providers.offline.provider import OfflineProvider
from tests.workers.infer.providers.offline import readmes
from tests.workers.infer.providers.talk import LIST, Folder, action, ask, sample, user

pytestmark = pytest.mark.anyio


async def summary(text: str, name: str = "README.md") -> str:
    run = await ask(f'Summarize "{name}"', {name: text})
    assert run.output.finish_reason == "stop"
    return run.text


@pytest.mark.parametrize(
    "header",
    ["File: a.md", "# File: a.md", "[a.md]", "--- a.md ---", '<file path="a.md">', "a.md", "a.md:", "Source: `a.md`"],
)
async def test_material_in_the_messages_is_used_without_reading(header: str) -> None:
    run = await ask("Summarize a.md", before=[user(f"{header}\n\n# Alpha\n\nAlpha keeps bees warm in the winter.")])
    assert run.turns == []
    assert run.text.startswith("# Alpha\n\nAlpha keeps bees warm")


async def test_a_passage_keeps_the_lines_of_its_file() -> None:
    run = await ask("What keeps bees warm?", before=[user("Passage: docs/a.md:40-42\n\nHives keep bees warm.")])
    assert "docs/a.md:40" in run.text


async def test_an_earlier_request_is_no_material() -> None:
    before = [user("hi " * 60), ModelMessage(role="assistant", content="hello")]
    assert (await ask("summarize this", before=before)).code == "OFFLINE_UNSUPPORTED"


async def test_pasted_text_is_summarised() -> None:
    run = await ask(f"Summarize this:\n\n{readmes.NO_HEADINGS}")
    assert run.turns == []
    assert "Quill turns a folder of notes" in run.text


async def test_a_text_without_a_request_is_summarised_and_the_answer_says_so() -> None:
    run = await ask(readmes.BADGES_FIRST)
    assert run.turns == []
    assert run.text.startswith("# Tidepool\n")
    assert "came without a request" in run.text


async def test_material_does_not_stand_in_for_a_named_file_that_could_not_be_read() -> None:
    run = await ask("Summarize missing.md", before=[user("File: a.md\n\n# Alpha\n")])
    assert run.code == "OFFLINE_NO_INPUT"


async def test_material_does_not_mix_into_a_listing() -> None:
    run = await ask("list the files in docs", {"docs/x.md": ""}, before=[user("File: a.md\n\n# Alpha\n")])
    assert "- x.md" in run.text
    assert "Alpha" not in run.text


async def test_text_blocks_of_a_message_are_read() -> None:
    blocks = ModelMessage(role="user", content=({"type": "text", "text": "Summarize a.md"},))
    output = await OfflineProvider().invoke(sample(blocks))
    assert output.action_requests[0].arguments == {"path": "a.md"}


@pytest.mark.parametrize(
    "mark", ["[truncated after 20 bytes]", "[cut: first 40 of 90000 bytes] Go on with startLine 4."]
)
async def test_a_truncated_file_is_noted(mark: str) -> None:
    text = await summary(f"# Alpha\n\nAlpha keeps bees warm in the winter.\n{mark}")
    assert "was cut by a limit; what comes after line 3 was not read" in text
    assert mark not in text


async def test_an_unreadable_input_beside_a_readable_one_is_reported() -> None:
    run = await ask("Summarize a.md and b.md", {"a.md": "# Alpha\n"})
    assert run.output.finish_reason == "stop"
    assert "# Alpha" in run.text
    assert "- b.md was not found" in run.text


async def test_nothing_readable_is_an_error_that_says_which_and_why() -> None:
    run = await ask("Summarize a.md and ../b.md", Folder(denied=frozenset({"../b.md"})))
    assert run.output.finish_reason == "error"
    assert run.output.error is not None
    assert run.code == "OFFLINE_NO_INPUT"
    assert run.output.error.message == (
        "nothing could be read: a.md was not found; read ../b.md is not permitted (not granted)"
    )
    assert "a.md was not found" in run.text


@pytest.mark.parametrize(
    "words",
    ["hello", "What is the capital of France?", "", "Fix the bug in a.md", "把 a.md 翻译成英文", "write a poem"],
)
async def test_what_takes_a_model_is_refused_with_what_can_be_done(words: str) -> None:
    run = await ask(words, {"a.md": "# Alpha"})
    assert (run.turns, run.code) == ([], "OFFLINE_UNSUPPORTED")
    assert "is no language model" in run.text
    assert run.output.error is not None
    assert "\n" not in run.output.error.message


async def test_a_tool_that_is_not_offered_is_named() -> None:
    run = await ask("use wc on a.md", {"a.md": "# Alpha"})
    assert (run.turns, run.code) == ([], "OFFLINE_UNSUPPORTED")
    assert "the tool wc is not offered" in run.text


async def test_a_tool_that_fails_is_an_error_with_its_reason() -> None:
    run = await ask("use boom on a.md", actions=[action("boom", ["path"], path="string")])
    assert (run.code, run.text) == ("OFFLINE_NO_INPUT", "Not answered: the call failed: a.md: boom failed.\n")


async def test_a_file_without_an_action_that_reads_is_refused_by_name() -> None:
    run = await ask("Summarize a.md", {"a.md": "# Alpha"}, actions=[LIST])
    assert run.code == "OFFLINE_UNSUPPORTED"
    assert "a.md was not read: the action read_text is not offered" in run.text


async def test_writing_a_summary_is_a_summary() -> None:
    assert (await ask("Write a summary of a.md", {"a.md": "# Alpha\n"})).text.startswith("# Alpha")


async def test_usage_is_zeros() -> None:
    run = await ask("Summarize a.md", {"a.md": "x"})
    assert run.output.usage == Usage(input_tokens=0, output_tokens=0, total_tokens=0)


async def test_the_same_request_gets_the_same_answer() -> None:
    runs = [await ask("Summarize README.md", {"README.md": readmes.BADGES_FIRST}) for _ in range(3)]
    assert len({run.text for run in runs}) == 1


async def test_a_stream_is_the_text_and_then_the_result() -> None:
    provider = OfflineProvider()
    assert isinstance(provider, StreamingProvider)
    async with provider.stream(sample(user("hello"))) as items:
        seen = [item async for item in items]
    last = seen.pop()
    assert isinstance(last, SampleResult)
    assert "".join(item.text for item in seen if isinstance(item, TextDelta)) == last.output.message.content


async def test_a_result_without_its_request_is_not_a_crash() -> None:
    lost = ModelMessage(role="tool", content="# Alpha", metadata={"name": "read_text"})
    output = await OfflineProvider().invoke(sample(user("Summarize a.md"), lost))
    assert isinstance(output, SampleOutput)


HARD = [
    "<",
    "[",
    "`",
    "*_",
    "<a ",
    "![",
    "[a](",
    "| ",
    "<!--",
    "# a\n",
    "a\n===\n",
    "。",
    "字",
    ". A",
    ">",
    "\t",
    "&amp",
    ".. x::\n",
    "#",
    "- ",
    "- a\n",
    "> ",
    "|a|b|\n",
    "~~~\n",
    "\0",
    "[a]: b\n",
    "(",
    "  - a\n",
    '"""\n',
    "def f(\n",
    "A\n\n",
]


@pytest.mark.parametrize("name", ["README.md", "a.rst", "hive.py", "hive.c"])
@pytest.mark.parametrize("piece", HARD)
async def test_a_file_of_one_repeated_mark_is_answered_shortly(piece: str, name: str) -> None:
    text = (piece * 65_536)[:65_536]
    shown = await summary(text, name)
    assert shown.count("\n") < 50
    assert len(shown) < 8_000


@pytest.mark.parametrize("piece", HARD)
async def test_a_question_about_one_repeated_mark_is_answered(piece: str) -> None:
    run = await ask("What does README.md say about bees?", {"README.md": (piece * 65_536)[:65_536]})
    assert run.output.finish_reason == "stop"


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(">" * depth + " a" for depth in range(300)),
        "\n".join("  " * depth + "- a" for depth in range(250)),
        "- " * 3_000 + "a",
        "<div>" * 10_000,
        "**a " * 10_000,
        "|a" * 16_000 + "|\n" + "|-" * 16_000 + "|\n",
    ],
)
async def test_deep_and_wide_markdown_is_answered(text: str) -> None:
    assert (await summary(text)).count("\n") < 50


@pytest.mark.parametrize("piece", [*HARD, "a.", "a.b ", '"', "in a", "目录", "use x ", "{", "/"])
async def test_a_request_of_one_repeated_mark_is_answered(piece: str) -> None:
    run = await ask((piece * 500_000)[:500_000], {})
    assert run.text.strip()


MARKS = st.sampled_from(
    [
        "# ",
        "\n",
        "\n\n",
        "```\n",
        "    ",
        "- ",
        "| a | b |\n",
        "<p>",
        "</p>",
        "[x](y)",
        ".. note::\n",
        "=====\n",
        "word ",
        "字。",
        "::\n",
        "---\n",
    ]
)


@given(
    st.lists(st.one_of(MARKS, st.text(max_size=8))).map("".join),
    st.sampled_from(["Summarize", "What is the word in"]),
    st.sampled_from(["README.md", "a.rst", "a.html", "hive.py", "hive.c", "hive.toml"]),
)
@settings(max_examples=300, deadline=None)
async def test_no_text_breaks_an_answer(text: str, verb: str, name: str) -> None:
    run = await ask(f"{verb} {name}", {name: text})
    assert run.output.finish_reason == "stop"
    assert run.text.strip()
