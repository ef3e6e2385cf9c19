"""`ditto tool`: one call, and what tools there are."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ditto_cli.completion import MODELS, TOOLS
from ditto_core.settings.model_choice import PRESETS
from ditto_core.settings.provider import BUILT_IN
from ditto_core.workers.interaction.tools.builtin import create_file_tools
from tests.cli.command import CHILD, Ended, run


def read(folder: Path, path: str, *more: str) -> Ended:
    return run(["tool", "read_text", "--path", path, *more], folder)


def child(folder: Path, *words: str) -> Ended:
    return run(words, folder, program=CHILD, env={"CANARY_TOKEN": "canary-value-123"})


def test_the_content_of_a_file_goes_to_stdout_as_it_is(folder: Path) -> None:
    ended = read(folder, "README.md")
    assert ended.code == 0
    assert ended.out == (folder / "README.md").read_text("utf-8")


def test_what_stdout_gets_is_not_shown_on_stderr_too(folder: Path) -> None:
    ended = read(folder, "README.md", "-v")
    assert "<- read_text: success" in ended.err
    assert "Tea" not in ended.err
    ran = run(["react", "summarize README.md"], folder)
    assert "   # Tea" in ran.err


def test_a_denial_is_told_once(folder: Path) -> None:
    ended = run(["tool", "write_text", "--path", "x", "--text", "y"], folder)
    assert ended.code == 4
    assert ended.err.count("not granted") == 1
    assert "denied:" not in ended.err


def test_a_missing_argument_is_told_with_its_flag_and_help_marks_it(folder: Path) -> None:
    ended = run(["tool", "write_text", "--path", "x", "--allow-write"], folder)
    assert ended.code == 2
    assert "hint: Give --text.\n" in ended.err
    help_text = " ".join(run(["tool", "read_text", "--help"], folder).out.split())
    assert "--path TEXT The file, relative to the workspace. [required]" in help_text
    assert help_text.count("[required]") == 1


def test_an_empty_file_prints_nothing(folder: Path) -> None:
    (folder / "empty").touch()
    ended = read(folder, "empty")
    assert (ended.code, ended.out) == (0, "")


def test_a_tool_that_returns_nothing_prints_nothing(folder: Path) -> None:
    ended = child(folder, "text", "tool", "nothing")
    assert (ended.code, ended.out) == (0, "")


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "out", ".env", ".ENV", "~/x"])
def test_what_is_outside_or_secret_is_denied(folder: Path, path: str) -> None:
    (folder / ".env").write_text("KEY=value\n", "utf-8")
    (folder / "out").symlink_to("/etc/passwd")
    ended = read(folder, path, "-o", "json")
    assert ended.code == 4
    document = ended.document()
    assert document["error"]["code"] == "PERMISSION_DENIED"
    assert [denial["kind"] for denial in document["denied"]] == ["read"]


def test_a_denial_does_not_tell_whether_the_target_exists(folder: Path) -> None:
    (folder.parent / "there").touch()
    there, missing = read(folder, "../there"), read(folder, "../gone!")
    assert there.err.replace("there", "") == missing.err.replace("gone!", "")


@pytest.mark.parametrize("path", ["pipe", "sub", "missing", "picture"])
def test_what_is_no_text_file_fails_at_once(folder: Path, path: str) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "sub").mkdir()
    (folder / "picture").write_bytes(b"\x89PNG\0")
    ended = read(folder, path, "-o", "json")
    assert ended.code == 10
    assert ended.document()["result"]["status"] == "failed"


def test_a_link_that_stays_inside_is_followed(folder: Path) -> None:
    (folder / "in").symlink_to("README.md")
    assert read(folder, "in").code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--startLine", "x", "--path", "README.md"], '"type": "integer"'),
        (["--path", ""], "minLength"),
        ([], "path"),
        (["--path"], "--path"),
        (["--nope", "x"], "--nope"),
        (["--args", '{"path": 3}'], '"string"'),
        (["--args", '{"path": "\\ud800"}'], "surrogate"),
        (["--args", "@pipe"], "not a regular file"),
    ],
)
def test_arguments_that_do_not_fit_are_a_usage_error_with_the_reason(folder: Path, words: list[str], said: str) -> None:
    os.mkfifo(folder / "pipe")
    ended = run(["tool", "read_text", *words], folder)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def test_bytes_that_are_no_utf_8_are_a_usage_error(folder: Path) -> None:
    ended = run([b"tool", b"read_text", b"--path", b"\xff"], folder)
    assert ended.code == 2
    assert "--path" in ended.err


def test_options_go_by_exact_name_and_kebab_alias_and_later_wins(folder: Path) -> None:
    exact = read(folder, "README.md", "--startLine", "3", "--endLine", "3")
    kebab = read(folder, "README.md", "--start-line", "1", "--start-line", "3", "--end-line", "3")
    assert exact.out == kebab.out == "Green tea is steeped for two minutes. Black tea takes four.\n"


def test_lists_are_repeated_and_booleans_are_flags_with_an_opposite(folder: Path) -> None:
    (folder / "a.txt").write_text("TEA\n", "utf-8")
    (folder / "b.txt").write_text("tea\n", "utf-8")
    search = ["tool", "search_text", "--text", "tea", "--paths", "a.txt", "--paths", "b.txt"]
    assert "a.txt:1" in run([*search, "--ignore-case"], folder).out
    assert "a.txt:1" not in run([*search, "--ignore-case", "--no-ignore-case"], folder).out


@pytest.mark.parametrize("source", ["literal", "@call.json", "-"])
def test_all_arguments_at_once_come_as_json_from_a_word_a_file_or_stdin(folder: Path, source: str) -> None:
    text = json.dumps({"path": "README.md", "startLine": 1, "endLine": 1})
    (folder / "call.json").write_text(text, "utf-8")
    given = text if source == "literal" else source
    ended = run(["tool", "read_text", "--args", given], folder, stdin=text.encode())
    assert (ended.code, ended.out) == (0, "# Tea\n")


def test_a_single_option_wins_over_args(folder: Path) -> None:
    ended = run(["tool", "read_text", "--args", '{"path": "nope", "endLine": 1}', "--path", "README.md"], folder)
    assert ended.out == "# Tea\n"


def test_write_is_denied_until_it_is_granted(folder: Path) -> None:
    call = ["tool", "write_text", "--path", "new.txt", "--text", "tea"]
    denied = run(call, folder)
    assert denied.code == 4
    assert "--allow-write" in denied.err
    assert not (folder / "new.txt").exists()
    assert run([*call, "--allow-write"], folder).code == 0
    assert (folder / "new.txt").read_text("utf-8") == "tea"


def test_a_dangling_link_is_not_written_through(folder: Path) -> None:
    (folder / "link").symlink_to(folder.parent / "outside.txt")
    ended = run(["tool", "write_text", "--path", "link", "--text", "x", "--allow-write"], folder)
    assert ended.code in (4, 10)
    assert not (folder.parent / "outside.txt").exists()


def test_the_list_shows_every_tool_with_its_grant(folder: Path) -> None:
    listed = {
        tool["name"]: tool["granted"] for tool in run(["tool", "list", "-o", "json"], folder).document()["result"]
    }
    assert listed == {"read_text": True, "list_dir": True, "search_text": True, "write_text": False}
    text = run(["tool", "list"], folder).out
    assert [line.split()[:3] for line in text.splitlines()][-1] == ["write_text", "not", "granted"]
    assert run(["tool", "show", "write_text"], folder).out.startswith("write_text: not granted\n")


def test_show_prints_description_effects_grant_and_schema(folder: Path) -> None:
    text = run(["tool", "show", "read_text"], folder).out
    assert text.startswith("read_text: granted\nReads a UTF-8 text file")
    assert "effects: read" in text
    assert json.loads(text[text.index("{") :])["required"] == ["path"]


@pytest.mark.parametrize(
    "words", [["tool", "read_txt"], ["tool", "show", "read_txt"], ["react", "x", "--tool", "read_txt"]]
)
def test_an_unknown_tool_is_a_usage_error_that_names_the_nearest(folder: Path, words: list[str]) -> None:
    ended = run([*words, "-o", "json"], folder)
    assert ended.code == 2
    assert ended.document()["error"]["hint"] == "Did you mean read_text?"


def test_naming_a_tool_does_not_grant_it(folder: Path) -> None:
    ended = run(["react", "summarize README.md", "--tool", "write_text", "-o", "json"], folder)
    assert ended.code == 4
    assert ended.document()["denied"] == [{"kind": "tool", "name": "write_text", "rule": "not granted"}]


def test_only_the_named_tools_are_offered(folder: Path) -> None:
    plan = run(["react", "x", "--tool", "list_dir", "--tool", "list_dir", "--dry-run", "-o", "json"], folder).document()
    assert [tool["name"] for tool in plan["result"]["tools"]] == ["list_dir"]


@pytest.mark.parametrize(
    ("name", "code"), [("stops", 8), ("crashes", 8), ("no_json", 8), ("unknown", 8), ("data", 0), ("surrogates", 0)]
)
def test_whatever_a_tool_does_the_result_says_it(folder: Path, name: str, code: int) -> None:
    ended = child(folder, "json", "tool", name)
    assert ended.code == code
    assert ended.document()["exitCode"] == code
    assert "canary-value" not in ended.out + ended.err


def test_a_blocking_tool_ends_with_the_time_limit_and_stays_listed_as_open(folder: Path) -> None:
    ended = run(["json", "tool", "blocks"], folder, program=CHILD, env={"TIMEOUT_MS": "200"})
    assert ended.code == 124
    document = ended.document()
    assert document["error"]["code"] == "TIMEOUT"
    assert [request["name"] for request in document["actionRequests"]] == ["blocks"]


def test_the_table_for_completion_says_what_there_is() -> None:
    assert list(TOOLS) == [tool.name for tool in create_file_tools()]
    assert {name.rstrip("/") for name in MODELS} == {*BUILT_IN, *PRESETS}
