"""stdout and stderr as a shell, a pipe and a log see them."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from ditto_cli.streams import Channel, ReaderGoneError, Streams
from tests.cli.command import CHILD, PATIENCE, PROGRAM, WAITS, asks, environment, piped, run, script, shell

QUIET = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "COLUMNS": "40"}


def test_nothing_that_a_tool_a_library_or_a_child_prints_reaches_stdout(folder: Path) -> None:
    ended = run(["text", "tool", "prints"], folder, program=CHILD)
    assert (ended.code, ended.out) == (0, "the answer\n")
    for source in ("from print", "from write", "from a child", "from C"):
        assert source in ended.err


@pytest.mark.parametrize("extra", [{}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_piped_output_has_no_escape_sequence_and_is_not_wrapped(folder: Path, extra: dict[str, str]) -> None:
    long = "word " * 100
    (folder / "long.txt").write_text(long, "utf-8")
    model = script(folder, asks("read_text", path="long.txt"), long)
    ended = run(["react", "hi", "--model", model], folder, env={**QUIET, **extra})
    assert ended.out == f"{long}\n"
    assert "\x1b" not in ended.err
    assert max(map(len, ended.err.splitlines())) > 80


def test_colour_can_be_forced_for_stderr_and_never_reaches_the_answer(folder: Path) -> None:
    ended = run(["react", "summarize README.md"], folder, env={**QUIET, "FORCE_COLOR": "1"})
    assert "\x1b[" in ended.err
    assert "\x1b" not in ended.out


@pytest.mark.parametrize(
    "extra",
    [{"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "cp1252"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}],
)
def test_output_is_utf_8_whatever_the_locale(folder: Path, extra: dict[str, str]) -> None:
    model = script(folder, "你好 ✅ café 🚀")
    env = {**extra, "PYTHONCOERCECLOCALE": "0"}
    ended = run(["react", "hi", "--model", model], folder, env=env)
    assert (ended.code, ended.out) == (0, "你好 ✅ café 🚀\n")
    assert run(["--help"], folder, env=env).code == 0


@pytest.mark.parametrize("words", ["tool list", "--help", "--version", "nope -o json"])
def test_a_pipe_that_nobody_reads_ends_with_141_and_without_noise(folder: Path, words: str) -> None:
    ended = shell(f"$ditto {words} 2>err | (exec <&-; exit 0); echo ${{PIPESTATUS[0]}}", folder)
    err = (folder / "err").read_text("utf-8")
    assert ended.out.strip() == "141"
    assert "Traceback" not in err
    assert "Exception ignored" not in err


def test_head_gets_its_line_and_nothing_is_said_about_the_rest(folder: Path) -> None:
    model = script(folder, {"text": [f"line {n}\n" for n in range(50_000)]})
    line = f"$ditto react hi --model {model} 2>err | head -1; echo ${{PIPESTATUS[0]}}"
    ended = shell(line, folder, env={"PYTHONUNBUFFERED": "1"})
    assert ended.out.splitlines() == ["line 0", "141"]
    assert "Traceback" not in (folder / "err").read_text("utf-8")


@pytest.mark.parametrize("output", ["text", "json", "ndjson"])
def test_a_run_stops_when_its_reader_goes_while_a_model_thinks(folder: Path, output: str) -> None:
    model = script(folder, asks("list_dir"), WAITS)
    with piped(["react", "hi", "--model", model, "-o", output], folder) as run_of:
        for line in run_of.out if output == "ndjson" else run_of.err:
            if b"list_dir: success" in line or b'"observation"' in line:
                break
        run_of.out.close()
        assert run_of.process.wait(PATIENCE) == 141
        rest = run_of.err.read()
        assert not [word for word in (b"error:", b"stopped:", b"Traceback") if word in rest]


@pytest.mark.parametrize(
    ("redirection", "code", "out"),
    [("2>&-", 0, "# Tea"), ("<&-", 0, "# Tea"), (">&-", 141, ""), (">&- 2>&- <&-", 141, "")],
)
def test_closed_descriptors_are_met_with_calm(folder: Path, redirection: str, code: int, out: str) -> None:
    ended = shell(f"$ditto tool read_text --path README.md {redirection}", folder)
    assert ended.code == code
    assert ended.out.startswith(out)
    assert "Traceback" not in ended.err


def test_nobody_reading_stderr_changes_neither_the_answer_nor_the_code(folder: Path) -> None:
    child = " ".join(CHILD)
    ended = shell(f"{child} text tool shouts 2>&1 >out | (exec <&-; exit 0); echo ${{PIPESTATUS[0]}}; cat out", folder)
    assert ended.out == "0\nthe answer\n"


@pytest.mark.parametrize("words", ["tool list", "--help", "--version"])
def test_a_full_disk_is_said_and_ends_with_a_failure(folder: Path, words: str) -> None:
    ended = shell(f"$ditto {words} >/dev/full", folder)
    assert ended.code == 141
    assert "Traceback" not in ended.err
    assert "Exception ignored" not in ended.err
    assert words == "--version" or "No space left on device" in ended.err


def test_more_than_a_pipe_holds_arrives(folder: Path) -> None:
    ended = shell(f"$ditto react hi --model {script(folder, 'x' * 1_000_000)} | wc -c", folder)
    assert ended.out.strip() == "1000001"


def test_a_pipe_that_another_process_made_non_blocking_loses_nothing(folder: Path) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    process = subprocess.Popen(
        [*PROGRAM, "react", "hi", "--model", script(folder, "x" * 1_000_000)],
        cwd=folder,
        env=environment(folder.parent / "home"),
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    with os.fdopen(reader, "rb") as file:
        assert len(file.read()) == 1_000_001
    assert process.wait(PATIENCE) == 0


@pytest.fixture
def pipe() -> Iterator[tuple[int, Channel]]:
    """The reading end of a pipe and a channel into it."""
    reader, writer = os.pipe()
    yield reader, Channel(writer)
    os.close(writer)


def test_a_channel_that_waits_for_a_reader_is_stuck_and_says_the_rest_once(pipe: tuple[int, Channel]) -> None:
    reader, channel = pipe
    text = "".join(f"{n}\n" for n in range(50_000))
    thread = threading.Thread(target=channel.write, args=(text,), daemon=True)
    thread.start()
    with os.fdopen(reader, "rb") as file:
        start = file.read(4096)
        got = start + file.read(len(text) - len(start))
    thread.join(PATIENCE)
    assert got.decode() == text
    assert not channel.stuck


def test_last_words_do_not_wait_for_a_full_pipe(pipe: tuple[int, Channel]) -> None:
    reader, channel = pipe
    channel.write_now("x" * 1_000_000)
    assert channel.stuck
    assert len(os.read(reader, 10_000_000)) == 65536
    os.close(reader)
    channel.write_now("more")


def test_a_closed_pipe_is_noticed_without_writing(pipe: tuple[int, Channel]) -> None:
    reader, channel = pipe
    assert not channel.gone()
    os.close(reader)
    assert channel.gone()


def test_what_utf_8_cannot_say_becomes_a_question_mark(tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as file:
        Channel(file.fileno()).write("a\ud800b")
    assert (tmp_path / "out").read_bytes() == b"a?b"


def test_stderr_that_cannot_be_written_is_nobodys_loss_and_stdout_is(pipe: tuple[int, Channel]) -> None:
    reader, _ = pipe
    os.close(reader)
    writer = os.open("/dev/full", os.O_WRONLY)
    streams = Streams(writer, writer)
    streams.write_err("lost")
    with pytest.raises(ReaderGoneError) as caught:
        streams.write_out("lost")
    assert caught.value.reason == "No space left on device"
    os.close(writer)
