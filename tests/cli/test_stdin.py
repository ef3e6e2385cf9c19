"""Standard input is read when it is asked for with -, and never otherwise."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.command import asks, run, script, shell


def test_an_open_pipe_that_never_closes_is_not_read(folder: Path) -> None:
    reader, writer = os.pipe()
    try:
        ended = run(["react", "summarize README.md"], folder, stdin=reader)
    finally:
        os.close(reader)
        os.close(writer)
    assert ended.code == 0


def test_a_dash_reads_the_prompt(folder: Path) -> None:
    ended = run(["react", "-"], folder, stdin=b"\xef\xbb\xbfsummarize README.md\n")
    assert ended.code == 0
    assert "Green tea" in ended.out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (b"caf\xe9", "not valid UTF-8 at byte 3"),
        (b"a\0b", "NUL"),
        (b"x" * (1024 * 1024 + 1), "more than 1048576 bytes"),
        (os.urandom(64) * 100_000, "PROMPT"),
        (b"", "PROMPT is empty"),
        (b" \n", "PROMPT is empty"),
    ],
)
def test_what_is_no_text_or_too_much_is_a_usage_error(folder: Path, given: bytes, said: str) -> None:
    ended = run(["react", "-"], folder, stdin=given)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_a_mebibyte_is_taken(folder: Path) -> None:
    model = script(folder, "short answer")
    ended = run(["react", "-", "--model", model], folder, stdin=b"x" * 1024 * 1024)
    assert (ended.code, ended.out) == (0, "short answer\n")


def test_a_file_from_stdin_is_material_beside_the_prompt(folder: Path) -> None:
    ended = run(
        ["react", "what", "--file", "-", "--dry-run", "-o", "json"], folder, stdin="grüner Tee".encode()
    ).document()
    assert ended["result"]["messages"][1]["content"] == "Source: standard input\n\ngrüner Tee"


@pytest.mark.parametrize("words", [["-", "--file", "-"], ["-", "--system", "-"], ["x", "--file", "-", "--file", "-"]])
def test_it_is_read_once(folder: Path, words: list[str]) -> None:
    ended = run(["react", *words], folder, stdin=b"x")
    assert ended.code == 2
    assert "- was given twice" in ended.err


def test_no_prompt_is_a_usage_error_whatever_is_on_stdin(folder: Path) -> None:
    assert run(["react"], folder).code == 2
    assert run(["react"], folder, stdin=b"summarize README.md").code == 2


def test_a_closed_stdin_is_empty(folder: Path) -> None:
    assert shell("$ditto react - <&-", folder).code == 2
    assert shell("$ditto react 'summarize README.md' <&-", folder).code == 0


def test_a_terminal_less_background_job_does_not_stop(folder: Path) -> None:
    ended = shell("nohup $ditto react 'summarize README.md' > out 2> err & wait $!; cat out", folder)
    assert ended.code == 0
    assert "Green tea" in ended.out


def test_the_system_prompt_comes_from_a_file_with_an_at(folder: Path) -> None:
    (folder / "system.txt").write_text("Answer in French.", "utf-8")
    document = run(["react", "x", "--system", "@system.txt", "--dry-run", "-o", "json"], folder).document()
    assert document["result"]["messages"][0]["content"] == "Answer in French."
    assert run(["react", "x", "--system", "@nope"], folder).code == 2


@pytest.mark.parametrize("name", ["nope", "pipe", "picture", "."])
def test_a_file_that_is_no_text_is_a_usage_error(folder: Path, name: str) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "picture").write_bytes(b"\0")
    ended = run(["react", "x", "--file", name], folder)
    assert ended.code == 2
    assert "--file" in ended.err


def test_a_file_name_that_is_no_utf_8_is_shown_escaped(folder: Path) -> None:
    (Path(os.fsdecode(os.fsencode(folder) + b"/\xff.md"))).write_text("tea", "utf-8")
    ended = run([b"react", b"x", b"--file", b"\xff.md", b"--dry-run"], folder)
    assert ended.code == 0
    assert "Source: \\udcff.md" in ended.out


def test_a_large_file_is_cut_and_says_so(folder: Path) -> None:
    (folder / "large.txt").write_text("x" * 3_000_000, "utf-8")
    model = script(folder, asks("list_dir"), "done")
    assert run(["react", "x", "--file", "large.txt", "--model", model], folder).code == 0
    plan = run(["react", "x", "--file", "large.txt", "--dry-run", "-o", "json"], folder).document()
    assert plan["result"]["messages"][1]["content"].endswith("[cut: the first 1048576 of 3000000 bytes]")
