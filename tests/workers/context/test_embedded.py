"""The embedded rag strategy: words in items and in the files that the sandbox lets it read."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ditto_core.contracts.context import Context, ContextSelection
from ditto_core.contracts.events import Event, Warned
from ditto_core.contracts.nodes import CONTEXT_SELECT
from ditto_core.errors import InvalidInputError, PermissionDeniedError, SandboxFileError
from ditto_core.sandbox.policy import READ_ONLY, SandboxPolicy
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.workers.context.embedded import create_embedded_rag_strategy
from tests.workers.context.stage import context, finished, ids, item, items, stage

pytestmark = pytest.mark.anyio

TEA = """\
# Tea

A drink.

## Green tea

Green tea is steeped for two minutes.

## Black tea

Black tea takes four minutes.
"""
CODE = """\
def brew(leaves):
    return leaves


def waterTemperature():
    return 80
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/tea.md").write_text(TEA, "utf-8")
    (tmp_path / "brew.py").write_text(CODE, "utf-8")
    (tmp_path / "coffee.txt").write_text("Coffee, not tea.\n", "utf-8")
    return tmp_path


async def search(
    folder: Path,
    query: Any,
    of: Context | None = None,
    policy: SandboxPolicy | None = None,
    events: list[Event] | None = None,
    **strategy: Any,
) -> ContextSelection:
    given = strategy.pop("limits", {})
    if "options" not in strategy and "corpus" not in strategy:
        strategy["options"] = {"paths": ["."]}
    body = {"context": of or items(), "purpose": "infer", "query": query, "strategy": {"kind": "rag", **strategy}}
    observer = None if events is None else events.append
    rag = create_embedded_rag_strategy()
    async with stage(None, Sandbox(folder, policy or READ_ONLY), observer, rag_strategy=rag) as runtime:
        chosen: ContextSelection = await runtime.invoke(CONTEXT_SELECT, {**body, **given})
        return chosen


async def test_a_passage_says_which_lines_of_which_file_it_is(folder: Path) -> None:
    chosen = await search(folder, "How long is GREEN tea steeped?")
    assert chosen.context.items[0].to_wire() == {
        "id": "docs/tea.md:5",
        "content": "## Green tea\n\nGreen tea is steeped for two minutes.",
        "source": {"uri": "docs/tea.md#L5-L7"},
        "metadata": {"path": "docs/tea.md", "line": 5, "endLine": 7, "heading": "Tea > Green tea"},
    }


async def test_identifiers_are_found_by_their_parts(folder: Path) -> None:
    assert ids(await search(folder, "water temperature"))[0] == "brew.py:5"


async def test_given_items_are_searched_too_and_alone_when_no_files_are_named(folder: Path) -> None:
    given = context(item("note", "black tea at four"), item("other", "milk"), item("json", {"tea": ["black"]}))
    both = ids(await search(folder, "black tea", given))
    assert {"note", "json", "docs/tea.md:9"} <= set(both)
    assert "other" not in both
    alone = await search(folder, "black tea", given, options={})
    assert set(ids(alone)) == {"note", "json"}
    assert alone.context.items[0] is given.items[0] or alone.context.items[0] is given.items[2]


async def test_only_what_is_named_is_searched(folder: Path) -> None:
    assert ids(await search(folder, "tea", options={"paths": ["coffee.txt"]})) == ["coffee.txt:1"]
    assert {each.partition(":")[0] for each in ids(await search(folder, "tea", options={"paths": ["docs"]}))} == {
        "docs/tea.md"
    }


async def test_paths_that_overlap_give_each_passage_once(folder: Path) -> None:
    once = ids(await search(folder, "tea", options={"paths": ["docs"]}))
    (folder / "docs/huge.log").write_text("x" * 3_000_000, "utf-8")
    events: list[Event] = []
    given = {"paths": ["docs", "docs/tea.md", "docs/../docs", "docs"]}
    assert ids(await search(folder, "tea", events=events, options=given)) == once
    assert "1 files searched, 1 skipped" in str(events)


async def test_a_copy_of_a_file_says_nothing_new(folder: Path) -> None:
    (folder / "docs/copy.md").write_text(TEA, "utf-8")
    found = ids(await search(folder, "steeped"))
    assert found == ["docs/copy.md:5"]
    two = ids(await search(folder, "minutes", limits={"limit": 2}))
    assert set(two) == {"docs/copy.md:5", "docs/copy.md:9"}


async def test_a_corpus_names_the_folder_when_no_paths_do(folder: Path) -> None:
    by_uri = await search(folder, "tea", corpus={"uri": (folder / "docs").as_uri()})
    by_path = await search(folder, "tea", corpus={"uri": "docs"})
    assert ids(by_uri) == ids(by_path) == ids(await search(folder, "tea", options={"paths": ["docs"]}))
    workspace = {"uri": folder.as_uri()}
    assert ids(await search(folder, "tea", corpus=workspace, options={"paths": ["coffee.txt"]})) == ["coffee.txt:1"]


@pytest.mark.parametrize(
    ("strategy", "path"),
    [
        ({"options": {"path": ["a"]}}, "strategy.options.path"),
        ({"options": {"paths": "docs"}}, "strategy.options.paths"),
        ({"options": {"paths": [1]}}, "strategy.options.paths"),
        ({"options": {"paths": [""]}}, "strategy.options.paths"),
        ({"options": {"paths": ["a"] * 101}}, "strategy.options.paths"),
        ({"corpus": {"uri": "https://example.org/docs"}}, "strategy.corpus.uri"),
        ({"corpus": {"uri": "file://server/docs"}}, "strategy.corpus.uri"),
    ],
)
async def test_what_the_strategy_does_not_understand_is_refused(folder: Path, strategy: Any, path: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        await search(folder, "tea", **strategy)
    assert caught.value.path == path


async def test_a_query_is_needed(folder: Path) -> None:
    with pytest.raises(InvalidInputError, match="query"):
        await search(folder, None)


@pytest.mark.parametrize("query", ["zebra", "???", "", '"', "NEAR(", [{"type": "text", "text": "zebra"}], {"z": 1}])
async def test_a_query_without_a_match_selects_nothing_and_is_no_error(folder: Path, query: Any) -> None:
    assert ids(await search(folder, query)) == []


async def test_a_query_may_be_any_content(folder: Path) -> None:
    parts = [{"type": "text", "text": "green"}, {"type": "json", "data": ["steeped"]}]
    assert ids(await search(folder, parts))[0] == "docs/tea.md:5"


async def test_the_limits_hold(folder: Path) -> None:
    assert len(ids(await search(folder, "tea", limits={"limit": 1}))) == 1
    assert ids(await search(folder, "tea", limits={"maxTokens": 1})) == []


async def test_nothing_is_read_without_the_permission(folder: Path) -> None:
    with pytest.raises(PermissionDeniedError):
        await search(folder, "tea", policy=SandboxPolicy())
    assert ids(await search(folder, "tea", items("tea"), SandboxPolicy(), options={})) == ["tea"]


@pytest.mark.parametrize("path", ["..", "/etc/hostname", "docs/../../x", "~"])
async def test_nothing_outside_the_workspace_is_read(folder: Path, path: str) -> None:
    with pytest.raises((PermissionDeniedError, SandboxFileError)):
        await search(folder, "tea", options={"paths": [path]})


async def test_secret_files_are_never_read_and_naming_one_is_denied(folder: Path) -> None:
    (folder / ".env").write_text("TEA_KEY=tea\n", "utf-8")
    assert not any(".env" in each for each in ids(await search(folder, "tea")))
    with pytest.raises(PermissionDeniedError):
        await search(folder, "tea", options={"paths": [".env"]})


async def test_links_below_a_folder_are_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "loot.txt").write_text("unicorn", "utf-8")
    (folder / "docs/link").symlink_to(outside)
    (folder / "docs/loot.txt").symlink_to(outside / "loot.txt")
    assert ids(await search(folder, "unicorn")) == []


async def test_a_pipe_is_passed_by_and_naming_one_is_refused_at_once(folder: Path) -> None:
    os.mkfifo(folder / "docs/pipe")
    with anyio.fail_after(10):
        assert ids(await search(folder, "steeped")) == ["docs/tea.md:5"]
        with pytest.raises(SandboxFileError):
            await search(folder, "tea", options={"paths": ["docs/pipe"]})


async def test_a_path_that_is_not_there_is_an_error(folder: Path) -> None:
    with pytest.raises(SandboxFileError) as caught:
        await search(folder, "tea", options={"paths": ["docs", "missing.md"]})
    assert caught.value.code == "NOT_FOUND"


async def test_binary_files_are_skipped_without_a_word(folder: Path) -> None:
    (folder / "docs/image.png").write_bytes(b"tea\0tea")
    (folder / "docs/latin.txt").write_bytes(b"steeped \xe9")
    events: list[Event] = []
    assert ids(await search(folder, "steeped", events=events)) == ["docs/tea.md:5"]
    assert events == []


async def test_a_huge_file_is_skipped_and_counted_and_the_person_is_told(folder: Path) -> None:
    (folder / "docs/huge.log").write_text("tea " * 600_000, "utf-8")
    (folder / "docs/image.png").write_bytes(b"\0")
    events: list[Event] = []
    chosen = await search(folder, "tea", events=events)
    assert not any("huge" in each for each in ids(chosen))
    assert events == [
        Warned(
            message="the corpus was not read as a whole: 3 files searched, 1 skipped as larger than 2 MiB,"
            " 1 skipped as binary"
        )
    ]


async def test_text_that_could_command_a_terminal_arrives_escaped(folder: Path) -> None:
    (folder / "docs/evil.txt").write_text("quokka \x1b[2J \u202e", "utf-8")
    chosen = await search(folder, "quokka")
    assert chosen.context.items[0].content == "quokka \\x1b[2J \\u202e"


async def test_names_with_unusual_characters_make_valid_ids_and_sources(folder: Path) -> None:
    (folder / "docs/a b#1:é\n.txt").write_text("quokka", "utf-8")
    (folder / os.fsdecode(b"docs/\xff.txt")).write_text("quokka, nameless", "utf-8")
    chosen = await search(folder, "quokka")
    assert ids(chosen) == ["docs/a b#1:é\\n.txt:1"]
    assert chosen.to_wire()["context"]["items"][0]["source"] == {"uri": "docs/a%20b%231%3A%C3%A9%0A.txt#L1"}


async def test_pieces_of_a_long_line_have_ids_of_their_own(folder: Path) -> None:
    (folder / "docs/one.json").write_text("quokka " * 600, "utf-8")
    found = await search(folder, "quokka")
    assert sorted(ids(found)) == ["docs/one.json:1", "docs/one.json:1:1801", "docs/one.json:1:3601"]


@given(
    st.dictionaries(st.sampled_from("abcd"), st.text("tea green\n# ", max_size=60), max_size=4),
    st.text("teagr ", max_size=12),
)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_same_files_give_the_same_passages_each_of_them_real(
    tmp_path: Path, files: Mapping[str, str], query: str
) -> None:
    for old in tmp_path.iterdir():
        old.unlink()
    for name, text in reversed(list(files.items())):
        (tmp_path / f"{name}.md").write_text(text, "utf-8")

    chosen = finished(search, tmp_path, query)
    assert finished(search, tmp_path, query) == chosen
    for each in chosen.context.items:
        assert each.metadata is not None
        lines = files[each.metadata["path"][0]].split("\n")[each.metadata["line"] - 1 : each.metadata["endLine"]]
        assert "\n".join(lines).rstrip() == each.content
