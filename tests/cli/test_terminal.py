"""What a person sees at a terminal, and what never gets there."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_cli.views.terminal import Streamed
from ditto_core.sandbox.text import clean_text
from tests.cli.child import HOSTILE
from tests.cli.command import CHILD, Ended, asks, run, script
from tests.cli.terminal import RAW, Terminal, show

TYPED = HOSTILE.replace("\x00", "")
"""The same as far as a command line or a file name can hold it."""

MARKUP = "[red]x[/nope] [link=http://x]y[/link] [bold"


def test_text_streams_and_is_shown_once(folder: Path) -> None:
    model = script(folder, {"text": ["one ", "two\n", "three"]})
    code, text = show(["react", "hi", "--model", model], folder)
    assert code == 0
    assert text.startswith("one two\nthree\ndone: 1 step, 0 actions, 0 tokens, ")
    assert text.count("three") == 1


def test_text_is_shown_before_the_run_ends(folder: Path) -> None:
    model = script(folder, {**asks("list_dir"), "text": "I look."}, {"delayMs": 60_000, "text": "late"})
    with Terminal(["react", "hi", "--model", model], folder) as terminal:
        terminal.until("I look.")
        terminal.until("<- list_dir: success")
        terminal.type(b"\x03")
        code, seen = terminal.ended()
    assert code == 130
    assert b"Traceback" not in seen


def test_actions_and_observations_are_coloured_blocks(folder: Path) -> None:
    with Terminal(["react", "summarize README.md"], folder) as terminal:
        code, seen = terminal.ended()
    assert code == 0
    assert b"\x1b[1;36m-> read_text" in seen
    assert b"\x1b[32m<- read_text: success" in seen
    assert b"Green tea is steeped" in seen


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"CI": "true"}, {"TERM": "dumb"}])
def test_no_colour_where_it_is_not_wanted(folder: Path, env: dict[str, str]) -> None:
    with Terminal(["react", "summarize README.md"], folder, env=env) as terminal:
        code, seen = terminal.ended()
    assert code == 0
    assert b"\x1b[3" not in seen
    assert b"<- read_text: success" in seen


def test_the_option_for_no_colour_is_the_same(folder: Path) -> None:
    with Terminal(["react", "summarize README.md", "--no-color"], folder) as terminal:
        assert b"\x1b[3" not in terminal.ended()[1]


def test_markup_is_text(folder: Path) -> None:
    (folder / "m.txt").write_text(MARKUP, "utf-8")
    model = script(folder, {**asks("read_text", path="m.txt"), "thinking": MARKUP}, MARKUP)
    code, text = show(["react", "hi", "--model", model, "--show-thinking"], folder)
    assert code == 0
    assert text.count(MARKUP) == 3


def test_long_lines_are_left_to_the_terminal(folder: Path) -> None:
    model = script(folder, "word " * 100)
    _, text = show(["react", "hi", "--model", model], folder)
    assert "word " * 100 in text


@pytest.mark.parametrize("pieces", [[HOSTILE], list(HOSTILE), ["\x1b", "]52;c;cm0K", "\x07"], ["a\r", "\nb\r", "c"]])
def test_hostile_text_of_a_model_is_shown_escaped_also_when_it_is_split(folder: Path, pieces: list[str]) -> None:
    model = script(folder, {"text": pieces, "thinking": "".join(pieces)})
    code, text = show(["react", "hi", "--model", model, "--show-thinking"], folder)
    assert code == 0
    assert text.count(clean_text("".join(pieces))) == 2


def test_hostile_text_of_tools_and_arguments_is_shown_escaped(folder: Path) -> None:
    code, text = show(["text", "tool", "hostile"], folder, program=CHILD)
    assert code == 0
    assert clean_text(HOSTILE) in text


def test_hostile_text_of_files_and_their_names_is_shown_escaped(folder: Path) -> None:
    name = "a\x1b[38;5;123m\x07\r\u202ecod.md"
    (folder / name).write_text(TYPED, "utf-8")
    for words in (["tool", "list_dir"], ["tool", "read_text", "--path", name], ["react", f"summarize `{name}`"]):
        assert "\\u202e" in show(words, folder)[1]


@pytest.mark.parametrize(
    "words",
    [
        ["react", "x", "--model", TYPED],
        ["tool", TYPED],
        ["tool", "read_text", "--startLine", TYPED],
        ["tool", "read_text", "--path", "../" + TYPED],
        [TYPED],
        ["react", "x", "--" + TYPED],
        ["-C", TYPED, "tool", "list"],
        ["--config", TYPED, "tool", "list"],
        ["--deny-tool", TYPED, "tool", "list"],
        ["react", "x", "--timeout", TYPED],
    ],
)
def test_hostile_arguments_are_shown_escaped_in_error_messages(folder: Path, words: list[str]) -> None:
    code, text = show(words, folder)
    assert code in (2, 4, 6)
    assert "error: " in text


def test_hostile_words_of_a_provider_and_of_settings_are_shown_escaped(folder: Path) -> None:
    model = script(folder, {"error": {"code": "PROVIDER_ERROR", "message": HOSTILE, "hint": HOSTILE}})
    assert show(["react", "hi", "--model", model], folder)[0] == 5
    (folder / "ditto.yaml").write_text(f"runtime: {{ {json.dumps(HOSTILE)}: 1 }}\n", "utf-8")
    assert show(["react", "hi"], folder)[0] == 6


def test_piped_text_is_cleaned_like_a_terminals(folder: Path) -> None:
    ended: Ended = run(["text", "tool", "hostile"], folder, program=CHILD)
    assert RAW.search(ended.out + ended.err) is None
    assert clean_text(HOSTILE) in ended.out


def test_bytes_that_are_no_utf_8_are_shown_escaped(folder: Path) -> None:
    code, text = show([b"react", b"x", b"--model", b"\xff\x9b31m"], folder)
    assert code == 6
    assert "\\udcff" in text


def test_the_check_for_raw_characters_sees_them(folder: Path) -> None:
    with pytest.raises(AssertionError):
        show([os.fsdecode(b"\\x1b[2J")], folder, program=("printf",))
    with pytest.raises(AssertionError):
        show(["a\\rb"], folder, program=("printf",))
    assert show(["fine\\n"], folder, program=("printf",)) == (0, "fine\n")


@given(st.lists(st.text(alphabet="a\r\n\x1b\u202e\t", max_size=4), max_size=8))
def test_streamed_pieces_come_out_as_the_whole_text_would(pieces: list[str]) -> None:
    streamed = Streamed()
    shown = "".join(streamed.add(piece) for piece in pieces)
    whole = clean_text("".join(pieces))
    assert streamed.all() == whole
    assert whole.startswith(shown)
    assert (shown + streamed.rest()).removesuffix("\n") == whole.removesuffix("\n")
