"""`ditto rag`: passages of files for a text."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Running, run
from tests.cli.test_completion import offered


def items(words: list[str], folder: Path) -> list[dict[str, Any]]:
    """What the selection of a search holds."""
    ended = run([*words, "-o", "json"], folder)
    assert ended.code == 0, ended.err
    found: list[dict[str, Any]] = ended.document()["result"]["context"]["items"]
    return found


def test_passages_are_headed_by_file_and_line_and_the_heading(folder: Path) -> None:
    ended = run(["rag", "which water does green tea want"], folder)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith("README.md:5  Tea > Water\n## Water\n\nGreen tea wants water of 80 degrees")


def test_the_selection_has_path_line_and_text(folder: Path) -> None:
    first = items(["rag", "boiling water"], folder)[0]
    assert first["metadata"]["path"] == "README.md"
    assert (first["metadata"]["line"], first["metadata"]["endLine"]) == (5, 7)
    assert "boiling water" in first["content"]


def test_the_word_query_may_be_left_out(folder: Path) -> None:
    assert run(["rag", "query", "water"], folder).out == run(["rag", "water"], folder).out


@pytest.mark.parametrize(
    "words",
    [
        ["rag", "--limit", "1", "tea"],
        ["rag", "tea", "--limit=1"],
        ["-q", "rag", "-q", "--limit", "1", "tea"],
        ["rag", "-C", ".", "query", "tea", "--limit", "1"],
    ],
)
def test_options_stand_before_or_after_the_text(folder: Path, words: list[str]) -> None:
    assert len(items(words, folder)) == 1


def test_a_text_that_is_a_reserved_word_can_be_searched_for(folder: Path) -> None:
    (folder / "a.md").write_text("a query of a person\n", "utf-8")
    for words in (["rag", "--", "query"], ["rag", "query", "query"]):
        assert run(words, folder).out == "a.md:1\na query of a person\n"


def test_only_the_corpus_is_searched(folder: Path) -> None:
    (folder / "docs").mkdir()
    (folder / "docs" / "cup.md").write_text("A cup of tea.\n", "utf-8")
    assert [item["id"] for item in items(["rag", "tea", "--corpus", "docs"], folder)] == ["docs/cup.md:1"]
    assert len(items(["rag", "tea", "--corpus", "docs", "--corpus", "README.md"], folder)) == 3


def test_tokens_are_limited(folder: Path) -> None:
    everything, less = items(["rag", "tea"], folder), items(["rag", "tea", "--max-tokens", "70"], folder)
    assert 0 < len(less) < len(everything)


def test_nothing_found_is_success_with_a_note(folder: Path) -> None:
    ended = run(["rag", "zebra"], folder)
    assert (ended.code, ended.out) == (0, "")
    assert ended.err.startswith("note: no passage was found")


@pytest.mark.parametrize("path", ["..", "/etc", "out", ".env"])
def test_what_may_not_be_read_is_denied(folder: Path, path: str) -> None:
    (folder / "out").symlink_to("/etc")
    (folder / ".env").write_text("KEY=green tea\n", "utf-8")
    ended = run(["rag", "green tea", "--corpus", path, "-o", "json"], folder)
    assert ended.code == 4
    assert [denial["kind"] for denial in ended.document()["denied"]] == ["read"]


def test_secret_files_below_a_folder_are_not_found(folder: Path) -> None:
    (folder / ".env").write_text("PLACE=samovar\n", "utf-8")
    assert items(["rag", "samovar"], folder) == []


def test_without_the_permission_to_read_nothing_is_searched(folder: Path) -> None:
    assert run(["rag", "tea", "--deny-read", "**"], folder).code == 4


def test_a_missing_path_and_a_pipe_fail_at_once(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    for path in ("missing", "pipe"):
        ended = run(["rag", "tea", "--corpus", path, "-o", "json"], folder)
        assert ended.code == 10
        assert path in ended.document()["error"]["message"]


@pytest.mark.parametrize(
    "words", [["rag"], ["rag", ""], ["rag", "a", "b"], ["rag", "a", "--limit", "0"], ["rag", "a", "--corpus", ""]]
)
def test_what_cannot_be_asked_is_a_usage_error(folder: Path, words: list[str]) -> None:
    ended = run([*words, "-o", "json"], folder)
    assert ended.code == 2
    assert ended.document()["error"]["code"] == "USAGE"


@pytest.mark.parametrize("text", ['tea" OR *', "tea AND (", "--; drop", "NEAR(a b)", "\u8336"])
def test_operators_in_the_text_are_words(folder: Path, text: str) -> None:
    assert run(["rag", "--", text], folder).code == 0


def test_control_characters_of_a_file_do_not_reach_the_terminal(folder: Path) -> None:
    (folder / "a.md").write_text("samovar \x1b[2J \u202e gone\n", "utf-8")
    ended = run(["rag", "samovar"], folder)
    assert "samovar" in ended.out
    assert not {"\x1b", "\u202e"} & set(ended.out)


def test_it_is_a_run_with_a_first_and_a_last_event(folder: Path) -> None:
    ended = run(["rag", "tea", "--limit", "3", "-o", "ndjson"], folder)
    started = ended.events()[0]
    assert (started["type"], started["command"]) == ("run.started", "rag")
    assert started["limits"]["limit"] == 3
    assert ended.last()["result"]["purpose"] == "infer"


def _large(folder: Path) -> None:
    for number in range(40):
        (folder / f"{number}.txt").write_text(f"green tea {number} " * 40_000, "utf-8")


def test_the_time_limit_ends_a_long_search(folder: Path) -> None:
    _large(folder)
    (folder / "ditto.yaml").write_text("runtime: { timeoutMs: 30 }\n", "utf-8")
    ended = run(["rag", "tea", "-o", "ndjson"], folder)
    assert ended.code == 124
    assert ended.last()["error"]["code"] == "TIMEOUT"


def test_a_signal_ends_a_search(folder: Path) -> None:
    _large(folder)
    with Running(["rag", "tea", "-o", "ndjson"], folder) as running:
        running.until("run.started")
        running.signal(signal.SIGINT)
        ended = running.ended()
    assert ended.code in (0, 130)  # the search may have been quicker
    assert ended.last()["status"] == ("completed" if ended.code == 0 else "failed")


@pytest.mark.parametrize("line", ["ditto rag --max-t", "ditto rag query --max-t", "ditto rag tea --max-t"])
def test_options_are_completed_with_and_without_the_word_query(folder: Path, line: str) -> None:
    assert offered(folder, line) == ["--max-tokens"]
