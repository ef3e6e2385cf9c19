"""`ditto skill`: load, list and show."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import run
from tests.cli.test_completion import offered

TRUST = "--trust-project"


def skill(folder: Path, path: str, text: str | None = None, **front: str) -> Path:
    """Writes a skill; without `text` a complete one that is called like its folder."""
    place = folder / path
    place.mkdir(parents=True)
    fields = {"name": place.name, "description": f"About {place.name}.", **front}
    head = "\n".join(f"{key}: {value}" for key, value in fields.items())
    (place / "SKILL.md").write_text(f"---\n{head}\n---\n# Do {place.name}\n" if text is None else text, "utf-8")
    return place


def listed(folder: Path, *more: str) -> dict[str, dict[str, Any]]:
    """The skills by path, as `skill list` shows them."""
    ended = run(["skill", "list", "-o", "json", *more], folder)
    assert ended.code == 0
    return {row["path"]: row for row in ended.document()["result"]}


def test_a_skill_by_path_is_loaded_without_its_front_matter(folder: Path) -> None:
    skill(folder, "own/tea")
    for path in ("own/tea", "./own/tea/", "own/tea/SKILL.md", str(folder / "own" / "tea")):
        ended = run(["skill", path], folder)
        assert (ended.code, ended.out, ended.err) == (0, "# Do tea\n", "")


def test_the_word_load_may_be_left_out_and_a_skill_may_be_called_like_a_command(folder: Path) -> None:
    skill(folder, ".ditto/skills/list")
    assert run(["skill", "load", "list", TRUST], folder).out == "# Do list\n"
    assert run(["skill", TRUST, "--", "list"], folder).out == "# Do list\n"


def test_several_are_loaded_in_order_each_once_and_headed(folder: Path) -> None:
    skill(folder, "a/tea")
    skill(folder, "a/cup")
    ended = run(["skill", "a/tea", "a/cup", "./a/tea"], folder)
    assert ended.out == "Skill: tea (a/tea/SKILL.md)\n\n# Do tea\n\nSkill: cup (a/cup/SKILL.md)\n\n# Do cup\n"


def test_the_result_is_the_context(folder: Path) -> None:
    skill(folder, "a/tea")
    ended = run(["skill", "a/tea", "-o", "ndjson"], folder)
    started = ended.events()[0]
    assert (started["command"], started["grants"]["skills"]) == ("skill", ["tea"])
    assert ended.last()["result"]["items"][0]["metadata"] == {
        "skill": "tea",
        "path": "a/tea/SKILL.md",
        "description": "About tea.",
    }


def test_a_markdown_file_is_a_skill_with_or_without_front_matter(folder: Path) -> None:
    (folder / "with.md").write_text("---\r\nname: tea\r\ndescription: d\r\n---\r\nSteep.\r\n", "utf-8")
    assert run(["skill", "README.md"], folder).out == (folder / "README.md").read_text("utf-8")
    assert run(["skill", "with.md"], folder).out == "Steep.\n"


def test_an_untrusted_skill_of_the_project_is_not_loaded_by_its_name(folder: Path) -> None:
    skill(folder, ".claude/skills/tea")
    ended = run(["skill", "tea", "-o", "json"], folder)
    assert ended.code == 6
    assert "not trusted" in ended.document()["error"]["message"]
    assert TRUST in ended.document()["error"]["hint"]
    assert run(["skill", "tea", TRUST], folder).code == 0
    assert run(["skill", "tea"], folder, env={"DITTO_TRUST_PROJECT": "1"}).code == 0
    assert run(["skill", ".claude/skills/tea"], folder).code == 0


def test_a_grant_is_no_trust(folder: Path) -> None:
    skill(folder, ".claude/skills/tea")
    assert run(["skill", "tea", "--allow-skill", "tea"], folder).code == 6


@pytest.mark.parametrize("word", ["tea", ".agents/skills/tea"])
def test_a_deny_rule_wins_over_naming_a_skill(folder: Path, word: str) -> None:
    skill(folder, ".agents/skills/tea")
    ended = run(["skill", word, TRUST, "--deny-skill", "t*", "-o", "json"], folder)
    assert ended.code == 4
    assert [(denial["kind"], denial["name"]) for denial in ended.document()["denied"]] == [("skill", "tea")]


@pytest.mark.parametrize(("path", "code"), [("../x", 4), ("/etc", 4), ("out", 2), ("./out", 4), ("missing/", 10)])
def test_paths_are_read_under_the_rules_of_the_sandbox(folder: Path, path: str, code: int) -> None:
    (folder / "out").symlink_to("/etc")
    assert run(["skill", path], folder).code == code


def test_a_pipe_is_refused_at_once(folder: Path) -> None:
    (folder / "s").mkdir()
    os.mkfifo(folder / "s" / "SKILL.md")
    assert run(["skill", "./s"], folder).code == 10


def test_an_unknown_name_is_a_usage_error_that_names_the_nearest(folder: Path) -> None:
    skill(folder, ".ditto/skills/brewing")
    ended = run(["skill", "brewin", "-o", "json"], folder)
    assert ended.code == 2
    assert ended.document()["error"]["hint"] == "Did you mean brewing?"


def test_two_paths_of_one_name_are_a_usage_error(folder: Path) -> None:
    skill(folder, "a/tea")
    skill(folder, "b/tea")
    assert run(["skill", "a/tea", "b/tea"], folder).code == 2


def test_the_list_says_what_there_is_and_in_which_state(folder: Path) -> None:
    skill(folder, ".ditto/skills/tea")
    skill(folder, ".agents/skills/cup")
    untrusted = run(["skill", "list"], folder)
    assert untrusted.out == "tea  untrusted  About tea.\ncup  untrusted  About cup.\n"
    assert "not trusted" in untrusted.err
    trusted = run(["skill", "list", TRUST, "--deny-skill", "cup"], folder)
    assert trusted.out == "tea  ready      About tea.\ncup  denied     About cup.\n"
    assert trusted.err == ""


def test_without_skills_the_list_is_empty_and_a_note_says_where_they_would_be(folder: Path) -> None:
    ended = run(["skill", "list"], folder)
    assert (ended.code, ended.out) == (0, "")
    assert ".ditto/skills" in ended.err


BROKEN = {
    "no-front": ("# Tea\n", "front matter"),
    "no-end": ("---\nname: a\n", "no end"),
    "no-name": ("---\ndescription: d\n---\n", "name: required"),
    "no-description": ("---\nname: a\n---\n", "description: required"),
    "empty-name": ("---\nname: ''\ndescription: d\n---\n", "name"),
    "a-star": ("---\nname: '*'\ndescription: d\n---\n", "a name is"),
    "a-path": ("---\nname: ../a\ndescription: d\n---\n", "a name is"),
    "list-name": ("---\nname: [a]\ndescription: d\n---\n", "text is needed"),
    "colon": ("---\nname: a\ndescription: Use when: x\n---\n", "SKILL.md:3:"),
    "twice": ("---\nname: a\nname: b\ndescription: d\n---\n", "SKILL.md:3:"),
    "binary": ("---\n\0", "NUL"),
}


def test_broken_skills_are_listed_with_the_reason_and_the_others_work(folder: Path) -> None:
    skill(folder, ".ditto/skills/works")
    (folder / ".ditto" / "skills" / "no-file").mkdir()
    (folder / ".ditto" / "skills" / "leads-out").symlink_to("/etc")
    for name, (text, _) in BROKEN.items():
        skill(folder, f".ditto/skills/{name}", text)
    rows = listed(folder)
    for name, (_, reason) in BROKEN.items():
        row = rows[f".ditto/skills/{name}"]
        assert row["state"] == "broken"
        assert reason in row["reason"], name
    assert "does not exist" in rows[".ditto/skills/no-file"]["reason"]
    assert rows[".ditto/skills/leads-out"]["state"] == "broken"
    assert run(["skill", "works", TRUST], folder).code == 0


def test_a_broken_skill_is_not_loaded_and_the_reason_is_said(folder: Path) -> None:
    skill(folder, ".ditto/skills/tea", "# Tea\n")
    for words in (["skill", "tea", TRUST], ["skill", "./.ditto/skills/tea"], ["skill", "show", "tea"]):
        ended = run(words, folder)
        assert (ended.code, ended.out) == (6, "")
        assert "front matter" in ended.err


def test_text_that_other_readers_take_for_something_else_stays_text(folder: Path) -> None:
    skill(folder, ".ditto/skills/a", name="a", description="no", version="1.10")
    assert listed(folder)[".ditto/skills/a/SKILL.md"]["description"] == "no"


def test_of_two_skills_of_one_name_the_nearest_is_used_and_the_clash_is_told(folder: Path) -> None:
    skill(folder, ".claude/skills/tea")
    skill(folder, ".ditto/skills/other", "---\nname: tea\ndescription: Near.\n---\nNear.\n")
    states = {path: row["state"] for path, row in listed(folder, TRUST).items()}
    assert states == {".ditto/skills/other/SKILL.md": "ready", ".claude/skills/tea/SKILL.md": "hidden"}
    ended = run(["skill", "tea", TRUST], folder)
    assert ended.out == "Near.\n"
    assert ended.err == (
        "note: two skills are called tea: .ditto/skills/other/SKILL.md is used, .claude/skills/tea/SKILL.md is not\n"
    )


def test_one_skill_that_is_linked_into_two_places_is_no_clash(folder: Path) -> None:
    skill(folder, ".agents/skills/tea")
    (folder / ".claude" / "skills").mkdir(parents=True)
    (folder / ".claude" / "skills" / "tea").symlink_to("../../.agents/skills/tea")
    assert list(listed(folder, TRUST)) == [".agents/skills/tea/SKILL.md"]


def test_show_tells_a_person_everything_and_loads_nothing(folder: Path) -> None:
    skill(folder, ".ditto/skills/tea", **{"allowed-tools": "Bash(rm:*)"})
    ended = run(["skill", "show", "tea"], folder)
    assert ended.code == 0
    assert ended.out == (
        "tea: untrusted\nAbout tea.\nfile: .ditto/skills/tea/SKILL.md\nallowed-tools: Bash(rm:*)\n\n# Do tea\n"
    )
    shown = run(["skill", "show", ".ditto/skills/tea", "-o", "json"], folder).document()["result"]
    assert (shown["name"], shown["frontMatter"]["allowed-tools"]) == ("tea", "Bash(rm:*)")


def test_a_skill_larger_than_a_context_item_may_be_is_a_limit(folder: Path) -> None:
    skill(folder, "tea", "---\nname: tea\ndescription: d\n---\n" + "x" * 70_000)
    ended = run(["skill", "./tea", "-o", "json"], folder)
    assert ended.code == 3
    assert ended.document()["error"]["code"] == "INLINE_LIMIT_EXCEEDED"


def test_without_the_permission_to_read_there_are_no_skills(folder: Path) -> None:
    skill(folder, ".ditto/skills/tea")
    for words in (["list"], ["tea"], ["show", "tea"]):
        assert run(["skill", *words, "--deny-read", "**"], folder).code == 4


@pytest.mark.parametrize(
    "line", ["ditto skill te", "ditto skill show te", "ditto skill load te", "ditto react --skill te"]
)
def test_names_are_completed(folder: Path, line: str) -> None:
    skill(folder, ".agents/skills/tea")
    assert offered(folder, line) == ["tea"]
