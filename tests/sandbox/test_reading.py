"""What is read is UTF-8 text, capped, and never half a character."""

from __future__ import annotations

import ctypes
import os
import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_core.errors import InvalidInputError, SandboxFileError
from ditto_core.sandbox.files import WorkspaceFiles
from ditto_core.sandbox.reading import ALL_LINES, FileText, LineRange, read_file_text


def not_text(files: WorkspaceFiles, max_bytes: int = 100_000, lines: LineRange = ALL_LINES) -> str:
    with pytest.raises(SandboxFileError) as caught:
        files.read_text("f", max_bytes, lines)
    assert caught.value.code == "NOT_TEXT"
    return caught.value.message


def test_an_empty_file_is_empty_text(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "f").write_bytes(b"")
    assert files.read_text("f", 10) == FileText("", truncated=False, size=0)


def test_line_ends_stay_as_they_are(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "f").write_bytes(b"a\r\nb\rc\n")
    assert files.read_text("f", 10).text == "a\r\nb\rc\n"


def test_a_byte_order_mark_is_dropped_and_costs_nothing_of_the_cap(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "f").write_bytes(b"\xef\xbb\xbfabc")
    assert files.read_text("f", 3) == FileText("abc", truncated=False, size=6)
    assert files.read_text("f", 2) == FileText("ab", truncated=True, size=6)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_wide_encodings_are_not_text(files: WorkspaceFiles, workspace: Path, encoding: str) -> None:
    (workspace / "f").write_bytes("KEY=a\n".encode(encoding))
    message = not_text(files)
    if encoding != "utf-16-be":  # written without a mark
        assert "UTF-16" in message


def test_a_byte_that_is_not_utf8_is_reported_with_its_offset(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "f").write_bytes(b"caf\xe9")
    assert "byte 3" in not_text(files)
    (workspace / "f").write_bytes(b"ok\n" * 30_000 + b"\xff\n")
    assert "byte 90000" in not_text(files)
    assert "byte 90000" in not_text(files, lines=LineRange(30_000))


def test_half_a_character_at_the_real_end_is_an_error(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "f").write_bytes("aé".encode()[:-1])
    assert "byte 1" in not_text(files)


def test_binary_bytes_behind_text_are_found_when_they_are_read(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "f").write_bytes(b"t" * 8192 + b"\0\1\2")
    assert "byte 8192" in not_text(files)
    assert files.read_text("f", 100) == FileText("t" * 100, truncated=True, size=8195)


def test_the_cap_cuts_between_characters(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "f").write_text("é😀é")
    assert [files.read_text("f", size).text for size in range(1, 9)] == ["", "é", "é", "é", "é", "é😀", "é😀", "é😀é"]
    assert [files.read_text("f", size).truncated for size in (7, 8, 9)] == [True, False, False]


def test_a_huge_sparse_file_costs_no_memory(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "f").write_text("head\n")
    os.truncate(workspace / "f", 3 << 30)
    assert files.read_text("f", 5) == FileText("head\n", truncated=True, size=3 << 30)
    assert peak(lambda: not_text(files, max_bytes=65536)) < 2_000_000
    assert peak(lambda: not_text(files, lines=LineRange(2, 3))) < 2_000_000


def test_one_line_of_fifty_megabytes_costs_no_memory(files: WorkspaceFiles, workspace: Path) -> None:
    with (workspace / "f").open("wb") as out:
        for _ in range(50):
            out.write(b"x" * 1_000_000)
    for lines in (ALL_LINES, LineRange(1, 1)):
        assert files.read_text("f", 1000, lines) == FileText("x" * 1000, truncated=True, size=50_000_000)
    assert peak(lambda: files.read_text("f", 1000)) < 2_000_000
    assert peak(lambda: files.read_text("f", 1000, LineRange(2))) < 2_000_000


def peak(work: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_file_that_shrinks_after_it_was_opened_gives_what_is_left(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("a long text")
    descriptor = os.open(path, os.O_RDONLY)
    os.truncate(path, 6)
    assert read_file_text(descriptor, "f", 100, ALL_LINES) == FileText("a long", truncated=False, size=6)
    os.close(descriptor)


def test_a_file_that_grows_after_it_was_opened_stays_within_the_cap(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_text("short")
    descriptor = os.open(path, os.O_RDONLY)
    with path.open("a") as more:
        more.write("x" * 100_000)
    assert read_file_text(descriptor, "f", 10, ALL_LINES) == FileText("shortxxxxx", truncated=True, size=100_005)
    os.close(descriptor)


def test_a_file_that_may_not_be_read_is_an_error_with_the_reason(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "f").write_text("x")
    (workspace / "f").chmod(0)
    seen: list[Exception] = []

    def as_nobody() -> None:
        ctypes.CDLL(None).setfsuid(65534)  # of this thread only; root would be allowed to read anything
        try:
            files.read_text("f", 10)
        except SandboxFileError as error:
            seen.append(error)

    reader = threading.Thread(target=as_nobody)
    reader.start()
    reader.join(30)
    (error,) = seen
    assert isinstance(error, SandboxFileError)
    assert error.code == "IO_ERROR"
    assert "Permission denied" in error.message


def test_lines_are_counted_from_one_and_both_ends_belong(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "f").write_text("1\n2\r\n3\r4\nlast")
    assert files.read_text("f", 100, LineRange(2, 3)).text == "2\r\n3\r4\n"
    assert files.read_text("f", 100, LineRange(4)).text == "last"
    assert files.read_text("f", 100, LineRange(5)) == FileText("", truncated=False, size=13)
    assert files.read_text("f", 3, LineRange(2)) == FileText("2\r\n", truncated=True, size=13)


@pytest.mark.parametrize("bad", [0, -1, True, 1.5])
def test_a_cap_that_is_no_positive_number_is_refused(files: WorkspaceFiles, bad: int) -> None:
    with pytest.raises(InvalidInputError):
        files.read_text("ok.md", bad)
    with pytest.raises(InvalidInputError):
        files.read_text("ok.md", 1, LineRange(bad))


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.integers(1, 40))
def test_any_cap_gives_the_longest_beginning_that_fits(text: str, cap: int) -> None:
    text = text.lstrip("\ufeff")
    reader, writer = os.pipe()
    os.write(writer, text.encode())
    os.close(writer)
    found = read_file_text(reader, "f", cap, ALL_LINES)
    os.close(reader)
    assert text.startswith(found.text)
    assert found.truncated == (len(text.encode()) > cap)
    rest = text[len(found.text) :]
    assert not rest or len((found.text + rest[0]).encode()) > cap


@given(st.lists(st.text("ab\ré", max_size=5), max_size=8), st.integers(1, 9), st.integers(0, 9))
def test_a_range_is_a_slice_of_the_lines(lines: list[str], first: int, more: int) -> None:
    text = "\n".join(lines)
    reader, writer = os.pipe()
    os.write(writer, text.encode())
    os.close(writer)
    found = read_file_text(reader, "f", 1000, LineRange(first, first + more))
    os.close(reader)
    whole = text.split("\n")
    expected = [line + "\n" for line in whole[:-1]] + ([whole[-1]] if whole[-1] else [])
    assert found.text == "".join(expected[first - 1 : first + more])
