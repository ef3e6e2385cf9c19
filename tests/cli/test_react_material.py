"""`--rag` and `--skill` of `ditto react`: what stands before the prompt."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import run, script
from tests.cli.test_skill import skill

ASKED = ("react", "how hot is the water for green tea?")


def messages(folder: Path, *words: str) -> list[str]:
    """The messages after the system prompt, from a dry run."""
    ended = run([*ASKED, *words, "--dry-run", "-o", "json"], folder)
    assert ended.code == 0, ended.err
    plan = ended.document()["result"]
    assert {message["role"] for message in plan["messages"][1:]} == {"user"}
    return [message["content"] for message in plan["messages"][1:]]


def test_passages_that_match_the_prompt_are_one_message_each_before_it(folder: Path) -> None:
    passage, *others, prompt = messages(folder, "--rag", "README.md")
    assert passage.startswith("Passage: README.md:5  Tea > Water\n\n## Water\n")
    assert len(others) == 1
    assert prompt == ASKED[1]


def test_files_skills_and_passages_stand_in_that_order(folder: Path) -> None:
    skill(folder, "own/tea")
    (folder / "a.txt").write_text("x", "utf-8")
    heads = [text.split("\n")[0] for text in messages(folder, "--rag", ".", "--skill", "own/tea", "--file", "a.txt")]
    assert heads[:2] == ["Source: a.txt", "Skill: tea (own/tea/SKILL.md)"]
    assert {head.split(":")[0] for head in heads[2:-1]} == {"Passage"}
    assert heads[-1] == ASKED[1]


def test_material_reaches_the_model_and_the_run_goes_on(folder: Path) -> None:
    skill(folder, "own/tea")
    ended = run(
        [*ASKED, "--rag", ".", "--skill", "own/tea", "--model", script(folder, "80 degrees"), "-o", "ndjson"], folder
    )
    assert ended.code == 0
    assert ended.events()[0]["grants"]["skills"] == ["tea"]
    assert ended.last()["result"]["result"]["content"] == "80 degrees"


def test_nothing_that_matches_is_a_note(folder: Path) -> None:
    model = script(folder, "fine", name="x")
    ended = run(["react", "zebra", "--rag", "README.md", "--model", model], folder)
    assert (ended.code, ended.out) == (0, "fine\n")
    assert "note: --rag: no passage matches the prompt" in ended.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--rag", "missing"], 2),
        (["--rag", ""], 2),
        (["--rag", ".."], 4),
        (["--skill", "missing/"], 2),
        (["--skill", "missing"], 2),
        (["--skill", "../x"], 4),
        (["--skill", "tea"], 6),
        (["--skill", "tea", "--trust-project", "--deny-skill", "tea"], 4),
        (["--skill", "broken", "--trust-project"], 6),
    ],
    ids=str,
)
def test_what_cannot_be_used_ends_the_run_before_the_first_call(folder: Path, words: list[str], code: int) -> None:
    skill(folder, ".ditto/skills/tea")
    skill(folder, ".ditto/skills/broken", "no front matter")
    ended = run([*ASKED, *words, "--model", script(folder, "not reached"), "-o", "ndjson"], folder)
    assert ended.code == code
    assert ended.last()["status"] == "failed"
    assert not [event for event in ended.events() if event["type"] == "sample.started"]


def test_the_time_for_material_counts_toward_the_limit(folder: Path) -> None:
    for number in range(40):
        (folder / f"{number}.txt").write_text(f"green tea {number} " * 40_000, "utf-8")
    words = [*ASKED, "--rag", ".", "--timeout", "30ms", "--model", script(folder, "not reached"), "-o", "ndjson"]
    ended = run(words, folder)
    assert ended.code == 124
    assert ended.last()["error"]["code"] == "TIMEOUT"
