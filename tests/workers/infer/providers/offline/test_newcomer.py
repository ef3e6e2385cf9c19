"""What a person meets who knows nothing of the offline provider yet."""

from __future__ import annotations

import pytest

from ditto_core.workers.infer.providers.offline.request import read_request
from tests.workers.infer.providers.talk import LIST, READ, Folder, ask

pytestmark = pytest.mark.anyio

DOCS = {"docs/a.md": "# Alpha\n", "docs/b.md": "# Beta\n", "docs/c.txt": "Gamma\n", "other.md": "# Other\n"}
MIT = """\
MIT License

Copyright (c) 2020 Me

Permission is hereby granted, free of charge, to any person to deal in the Software without restriction.

The above notice shall be included in all copies or substantial portions of the Software.
"""
CODES = """\
# Tool

A tool that exits with a code for every reason there is.

## Exit codes

A failure never exits 0.

| code | reason |
|---|---|
| 0 | completed |
| 2 | usage |

### Signals

They are 128 and the number.

## Notes

Codes of another kind do not matter here.
"""
OFFERED_NOT = "the action {} is not offered to the offline provider"


async def message(words: str, files: dict[str, str] | Folder | None = None, **given: object) -> str:
    run = await ask(words, files, **given)  # type: ignore[arg-type]  # the keywords of `ask`
    assert run.output.error is not None
    return run.output.error.message


@pytest.mark.parametrize(
    ("words", "folders"),
    [
        ("what is in the folder docs", ["docs"]),
        ("summarize the folder examples", ["examples"]),
        ("list folder docs", ["docs"]),
        ("what files are in the directory examples?", ["examples"]),
        ('what is in the folder "docs"', ["docs"]),
        ("summarize the directory called src", ["src"]),
        ("list the search folder", ["search"]),
        ("summarize the docs folder please", ["docs"]),
        ('search for "TODO" in the folder src', ["src"]),
        ("list the files in docs, src and tests", ["docs", "src", "tests"]),
        ('search for "TODO" in src and tests', ["src", "tests"]),
        ("list the files in docs and count them", ["docs"]),
        ("what is in this folder", ["."]),
        ("summarize this folder", ["."]),
        ("list the folder structure", ["."]),
    ],
)
def test_a_folder_may_be_named_before_or_behind_the_word(words: str, folders: list[str]) -> None:
    (wish,) = read_request(words).wishes
    assert [target.path for target in wish.targets if target.is_folder] == folders


async def test_a_folder_named_behind_the_word_is_listed_and_not_the_workspace() -> None:
    run = await ask("what is in the folder docs", DOCS)
    assert run.first == [("list_dir", {"path": "docs"})]
    assert "other.md" not in run.text


async def test_a_listing_of_the_workspace_that_nobody_named_is_said() -> None:
    note = "no folder was named, so the workspace itself was listed"
    assert note in (await ask("list files", DOCS)).text
    assert note not in (await ask("list the files in this project", DOCS)).text
    assert note not in (await ask("list docs", DOCS)).text


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("summarize bin.dat", "bin.dat"),
        ("Summarize conf.weird, please.", "conf.weird"),
        ("explain picture.bin", "picture.bin"),
        ("what is in data.parquet?", "data.parquet"),
        ("show data.parquet", "data.parquet"),
        ("总结data.parquet", "data.parquet"),
    ],
)
async def test_a_word_with_an_unknown_ending_is_a_file_where_one_is_wanted(words: str, name: str) -> None:
    run = await ask(words, {name: "Bees sleep.\n"})
    assert run.turns == [[("read_text", {"path": name})]]
    assert "Bees sleep." in run.text


async def test_the_read_says_what_is_wrong_with_such_a_file() -> None:
    assert await message("summarize bin.dat") == "nothing could be read: bin.dat was not found"


@pytest.mark.parametrize(
    "words",
    [
        "summarize what example.com does",
        "summarize the mail of me@corp.example",
        "What does os.path mean?",
        "summarize it.Then stop",
        "explain https://example.org/a.weird",
    ],
)
async def test_a_dot_in_a_word_is_no_file_by_itself(words: str) -> None:
    assert (await ask(words)).turns == []


async def test_a_known_file_keeps_other_words_with_dots_words() -> None:
    run = await ask("summarize what a.md says about os.path", {"a.md": "# Alpha\n"})
    assert run.turns == [[("read_text", {"path": "a.md"})]]


@pytest.mark.parametrize("words", ["hello", "write a poem", "use wc on a.md", "summarize " + "this " * 300])
async def test_a_lost_person_is_told_in_the_message_what_can_be_done(words: str) -> None:
    said = await message(words)
    assert "the offline provider is no language model; it can summarize files" in said
    assert 'search for "TODO" in src' in said
    assert "\n" not in said
    assert len(said) < 500
    assert "init" not in said


@pytest.mark.parametrize(
    ("words", "offered", "why"),
    [
        ("summarize other.md", [LIST], f"other.md was not read: {OFFERED_NOT.format('read_text')}"),
        ("list docs", [READ], f"docs was not listed: {OFFERED_NOT.format('list_dir')}"),
        ('search for "TODO"', [LIST], f'"TODO" was not searched for: {OFFERED_NOT.format("search_text")}'),
    ],
)
async def test_an_action_that_is_not_offered_is_the_reason(words: str, offered: list[object], why: str) -> None:
    assert await message(words, DOCS, actions=offered) == why


async def test_files_that_a_listing_found_but_nothing_may_read_are_said() -> None:
    said = await message("summarize docs/*.md", DOCS, actions=[LIST])
    assert said == f"nothing could be read: docs/*.md was not read: {OFFERED_NOT.format('read_text')}"
    run = await ask("summarize the folder docs", DOCS, actions=[LIST])
    assert f"what is in docs was not read: {OFFERED_NOT.format('read_text')}" in run.text


async def test_the_reason_of_every_denied_input_is_in_the_message() -> None:
    path = "deep/" * 50 + "folder/x.md"
    run = await ask(f"summarize {path} and b.md", Folder(denied=frozenset({path, "b.md"})))
    assert run.code == "OFFLINE_NO_INPUT"
    assert len(run.turns) == 1
    assert run.output.error is not None
    assert run.output.error.message == (
        f"nothing could be read: read {path} is not permitted (not granted); read b.md is not permitted (not granted)"
    )


@pytest.mark.parametrize("words", ["summarize empty.md", "what does empty.md say about bees?", "show empty.md"])
@pytest.mark.parametrize("observed", ["", "(no output)"])
async def test_an_empty_file_is_said_to_be_empty(words: str, observed: str) -> None:
    run = await ask(words, {"empty.md": observed})
    assert (run.output.finish_reason, run.text) == ("stop", "empty.md is empty.\n")


async def test_a_title_alone_is_no_answer() -> None:
    run = await ask("what does MIT allow in LICENSE", {"LICENSE": MIT})
    assert "LICENSE:5\n\n  Permission is hereby granted" in run.text
    assert "LICENSE:1\n" not in run.text


@pytest.mark.parametrize(
    ("asked", "written"),
    [("license", "licensed"), ("licenses", "license"), ("running", "runs"), ("policies", "policy")],
)
async def test_forms_of_a_word_match(asked: str, written: str) -> None:
    text = f"Rain falls.\n\nIt {written} here.\n"
    assert "README.md:3" in (await ask(f"what about {asked} in README.md", {"README.md": text})).text


async def test_a_section_whose_heading_is_asked_for_is_shown_as_a_whole() -> None:
    run = await ask("what are the exit codes in README.md", {"README.md": CODES})
    assert run.text == (
        "The section that matches best:\n\nREADME.md:5 (Exit codes)\n\n  A failure never exits 0.\n\n"
        "  code | reason\n  0 | completed\n  2 | usage\n\n  # Signals\n\n  They are 128 and the number.\n"
    )


async def test_a_long_section_is_cut() -> None:
    run = await ask("what are the limits in a.md?", {"a.md": "# A\n\n## Limits\n\n" + "- One limit.\n" * 90})
    assert "  … 67 more lines\n" in run.text
    assert run.text.count("One limit.") == 23


async def test_a_heading_that_shares_one_word_of_many_does_not_win() -> None:
    run = await ask("which kind of codes matter to bees and birds, says README.md", {"README.md": CODES})
    assert run.text.startswith("The passages that match best:")


async def test_a_pattern_is_listed_by_what_matches() -> None:
    run = await ask("list docs/*.md", DOCS)
    assert run.text == "docs/*.md matches 2 files.\n\n- a.md - Alpha\n- b.md - Beta\n"
    assert await message("list docs/*.zip", DOCS) == "nothing could be read: no file matches docs/*.zip"


async def test_lines_are_counted() -> None:
    assert (
        await ask("how many lines does README.md have?", {"README.md": "a\nb\n"})
    ).text == "README.md has 2 lines.\n"
    cut = await ask("how many lines are in README.md?", {"README.md": "a\nb\n[cut: first 4 of 90 bytes]"})
    assert cut.text.startswith("README.md has more than 2 lines; the rest was cut by a limit.")
