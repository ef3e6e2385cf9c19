"""What the files of a project may not do until a person trusts them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run

GREEDY = "DITTO_SHARED_SANDBOX_ALLOW_WRITE=true\nDITTO_SHARED_SANDBOX_ALLOW_TOOLS=*\n"
WRITE = ("tool", "write_text", "--path", "x.txt", "--text", "y")
PROVIDER = "DITTO_SHARED_PROVIDERS=mine\nDITTO_SHARED_PROVIDER_MINE_KIND=offline\n"
ASKED = ("react", "summarize README.md")


def test_a_project_cannot_grant_itself_power_and_one_line_says_so(folder: Path) -> None:
    (folder / ".env").write_text(GREEDY, "utf-8")
    ended = run(WRITE, folder)
    assert ended.code == 4
    assert not (folder / "x.txt").exists()
    notes = [line for line in ended.err.splitlines() if line.startswith("note: ")]
    assert len(notes) == 1
    assert "DITTO_SHARED_SANDBOX_ALLOW_WRITE" in notes[0]
    assert "--trust-project" in notes[0]


@pytest.mark.parametrize("way", ["flag", "variable"])
def test_the_person_can_trust_a_project_for_one_command(folder: Path, way: str) -> None:
    (folder / ".env").write_text(GREEDY, "utf-8")
    words = [*WRITE, "--trust-project"] if way == "flag" else list(WRITE)
    env = {"DITTO_TRUST_PROJECT": "1"} if way == "variable" else {}
    assert run(words, folder, env=env).code == 0
    assert (folder / "x.txt").read_text("utf-8") == "y"


def test_the_file_cannot_say_that_it_is_trusted(folder: Path) -> None:
    (folder / ".env").write_text(GREEDY + "DITTO_TRUST_PROJECT=1\n", "utf-8")
    assert run(WRITE, folder).code == 4


def test_a_word_that_is_neither_yes_nor_no_is_an_error(folder: Path) -> None:
    assert run(["tool", "list"], folder, env={"DITTO_TRUST_PROJECT": "perhaps"}).code == 6


def test_a_model_that_an_untrusted_project_configures_is_never_replaced_by_the_offline_one(folder: Path) -> None:
    (folder / ".env").write_text(PROVIDER, "utf-8")
    ended = run([*ASKED, "-o", "json"], folder)
    assert ended.code == 6
    assert "DITTO_SHARED_PROVIDERS" in ended.document()["error"]["message"]


def test_an_untrusted_model_does_not_stop_a_run_that_names_another(folder: Path) -> None:
    (folder / ".env").write_text(PROVIDER, "utf-8")
    assert run([*ASKED, "--model", "offline"], folder).code == 0


def test_a_trusted_project_chooses_the_model(folder: Path) -> None:
    (folder / ".env").write_text(PROVIDER, "utf-8")
    started = run([*ASKED, "--trust-project", "-o", "ndjson"], folder).events()[0]
    assert started["model"] == "mine/offline"


def test_an_untrusted_project_may_narrow_and_set_behaviour(folder: Path) -> None:
    (folder / ".env").write_text("DITTO_SHARED_SANDBOX_ALLOW_READ=false\n", "utf-8")
    (folder / "ditto.yaml").write_text("runtime: { maxTurns: 2 }\n", "utf-8")
    started = run([*ASKED, "-o", "ndjson"], folder).events()[0]
    assert started["grants"]["read"] is False
    assert started["limits"]["maxSteps"] == 2


def test_a_raised_limit_of_an_untrusted_project_has_no_effect(folder: Path) -> None:
    (folder / "ditto.yaml").write_text("runtime: { maxTurns: 500 }\n", "utf-8")
    events = run([*ASKED, "-o", "ndjson"], folder).events()
    assert events[0]["limits"]["maxSteps"] == 8
    assert "runtime.maxTurns" in events[1]["message"]


def test_a_denial_of_what_an_untrusted_file_grants_mentions_trust(folder: Path) -> None:
    assert "--trust-project" not in run(WRITE, folder).err
    (folder / ".env").write_text(GREEDY, "utf-8")
    hint = next(line for line in run(WRITE, folder).err.splitlines() if line.startswith("hint: "))
    assert "DITTO_SHARED_SANDBOX_ALLOW_TOOLS" in hint
    assert "--trust-project" in hint
    denied = run([*WRITE, "--deny-tool", "write_text"], folder).err
    assert "--trust-project" not in next(line for line in denied.splitlines() if line.startswith("hint: "))


def test_a_key_in_an_untrusted_file_does_not_reach_a_provider_by_its_preset(folder: Path) -> None:
    (folder / ".env").write_text("OPENAI_API_KEY=sk-from-the-project-file\n", "utf-8")
    ended = run(["react", "hi", "--model", "openai/x"], folder)
    assert ended.code == 6
    assert "sk-from-the-project-file" not in ended.err
