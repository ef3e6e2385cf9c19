"""Options that every command takes, before and after its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import asks, run, script


def granted(folder: Path, *words: str) -> dict[str, Any]:
    """What `run.started` says is granted."""
    started = run([*words, "-o", "ndjson"], folder).events()[0]
    assert started["type"] == "run.started"
    grants = started["grants"]
    assert isinstance(grants, dict)
    return grants


READ = ("tool", "read_text", "--path", "README.md")


@pytest.mark.parametrize(
    ("words", "is_json"),
    [
        (["--json", "tool", "list"], True),
        (["tool", "list", "--json"], True),
        (["tool", "list", "-ojson"], True),
        (["--output=json", "tool", "list"], True),
        (["--json", "tool", "list", "-o", "text"], False),
        (["-o", "text", "tool", "list", "--json"], True),
        (["tool", "list", "--json", "-o", "text"], False),
        (["tool", "list", "-o", "text", "--json"], True),
    ],
)
def test_the_output_format_that_is_asked_for_last_wins(folder: Path, words: list[str], is_json: bool) -> None:
    ended = run(words, folder)
    assert ended.code == 0
    assert ended.out.startswith("{") == is_json


def test_the_later_folder_wins_and_c_is_short_for_workspace(folder: Path) -> None:
    for name in ("one", "two"):
        (folder / name).mkdir()
        (folder / name / "x.txt").write_text(name, "utf-8")
    assert run(["-C", "one", "tool", "-C", "two", "read_text", "--path", "x.txt"], folder).out == "two\n"
    assert run(["tool", "read_text", "--path", "x.txt", "--workspace", "one"], folder).out == "one\n"


def test_a_folder_that_is_not_there_is_a_configuration_error(folder: Path) -> None:
    for words in (["tool", "list"], ["init"], ["react", "x"]):
        ended = run([*words, "-C", "nowhere"], folder)
        assert (ended.code, ended.out) == (6, "")
        assert "there is no such folder" in ended.err


def test_grants_before_between_and_after_the_command_add_up(folder: Path) -> None:
    words = ("--allow-tool", "a", "tool", "--allow-tool", "b", "--allow-execute", *READ[1:], "--allow-tool", "c")
    grants = granted(folder, *words, "--allow-network", "https://API.example.com:443/")
    assert {"a", "b", "c", "read_text", "list_dir"} <= set(grants["tools"])
    assert grants["execute"] is True
    assert grants["network"] == ["https://api.example.com"]


def test_deny_wins_over_every_grant_wherever_it_stands(folder: Path) -> None:
    assert run(["--deny-tool", "read_text", *READ, "--allow-tool", "read_text"], folder).code == 4
    assert run([*READ, "--deny-read", "*.md"], folder).code == 4
    assert run([*READ, "--deny-read", "docs"], folder).code == 0
    write = ["tool", "write_text", "--path", "x", "--text", "y", "--allow-write"]
    assert run([*write, "--deny-write"], folder).code == 4
    assert not (folder / "x").exists()


def test_a_variable_replaces_its_own_kind_and_flags_add_to_it(folder: Path) -> None:
    env = {"DITTO_SHARED_SANDBOX_ALLOW_TOOLS": "list_dir"}
    assert run(READ, folder, env=env).code == 4
    assert run([*READ, "--allow-tool", "read_text"], folder, env=env).code == 0


def test_one_secret_file_can_be_named(folder: Path) -> None:
    (folder / ".env").write_text("A=1\n", "utf-8")
    (folder / ".npmrc").write_text("A=1\n", "utf-8")
    words = ["--allow-secret-file", ".npmrc", "tool", "read_text", "--path"]
    assert run([*words, ".npmrc"], folder).code == 0
    assert run([*words, ".env"], folder).code == 4


@pytest.mark.parametrize(
    "words",
    [["--allow-network", "example"], ["--deny-tool", ""], ["--allow-secret-file", "../x"], ["--deny-read", "/x"]],
)
def test_a_permission_that_can_mean_nothing_is_a_usage_error(folder: Path, words: list[str]) -> None:
    ended = run([*words, "tool", "list"], folder)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("error: ")


@pytest.mark.parametrize("option", ["--config", "--env-file"])
def test_a_named_file_must_exist(folder: Path, option: str) -> None:
    ended = run([option, "nope", "tool", "list"], folder)
    assert ended.code == 6
    assert "nope" in ended.err


def test_the_named_configuration_counts_instead_of_ditto_yaml(folder: Path) -> None:
    (folder / "ditto.yaml").write_text("runtime: { maxTurns: 1 }\n", "utf-8")
    (folder / "other.yaml").write_text("runtime: { maxTurns: 2 }\n", "utf-8")
    model = script(folder, "hello")
    for words, steps in ((["react"], 1), (["--config", "other.yaml", "react"], 2), (["react", "--max-steps", "3"], 3)):
        events = run([*words, "hi", "--model", model, "-o", "ndjson"], folder).events()
        assert events[0]["limits"]["maxSteps"] == steps


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("runtime: { maxTurn: 5 }\n", "maxTurns"),
        ("runtime: { maxTurns: many }\n", "ditto.yaml:1"),
        ("a: [\n", "ditto.yaml"),
        ("runtime: {}\nruntime: {}\n", "ditto.yaml:2"),
        ("runtime: { policy: { deny: ['raed:x'] } }\n", "read"),
    ],
)
def test_a_configuration_error_says_where_and_ends_with_6(folder: Path, content: str, said: str) -> None:
    (folder / "ditto.yaml").write_text(content, "utf-8")
    ended = run(["react", "summarize README.md", "-o", "json"], folder)
    assert ended.code == 6
    error = ended.document()["error"]
    assert error["code"] == "CONFIG_INVALID"
    assert said in f"{error['message']} {error.get('hint')}"


def test_deny_rules_of_the_configuration_hold_for_commands(folder: Path) -> None:
    (folder / "ditto.yaml").write_text("runtime: { policy: { deny: ['read:README.md'] } }\n", "utf-8")
    ended = run([*READ, "--allow-read"], folder)
    assert ended.code == 4
    assert "runtime.policy.deny" in ended.err


def test_an_unknown_variable_is_a_note_with_the_nearest_name(folder: Path) -> None:
    ended = run(READ, folder, env={"DITTO_SHARED_SANDBOX_ALOW_READ": "true"})
    assert ended.code == 0
    assert "note: " in ended.err
    assert "DITTO_SHARED_SANDBOX_ALLOW_READ" in ended.err


def test_quiet_leaves_the_answer_and_the_notes_and_verbose_shows_more(folder: Path) -> None:
    (folder / "long.txt").write_text("\n".join(f"line {n}" for n in range(30)), "utf-8")
    call = ["react", "hi", "--model", script(folder, asks("read_text", path="long.txt"), "done")]
    assert run([*call, "-q"], folder).err == ""
    normal, verbose = run(call, folder), run([*call, "-v"], folder)
    assert "line 2\n" in normal.err
    assert "line 3\n" not in normal.err
    assert "line 19\n" in verbose.err
    assert normal.out == verbose.out
