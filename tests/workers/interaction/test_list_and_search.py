"""list_dir and search_text, through a real sandbox on a real folder."""

from __future__ import annotations

import os

import pytest

from tests.workers.interaction.workspace import Workspace

pytestmark = pytest.mark.anyio


async def test_list_dir_shows_names_sorted_with_slash_and_size(workspace: Workspace) -> None:
    workspace.file("b.md", "12345")
    workspace.file("a/inner.md", "x")
    workspace.file("C.md", "")
    (workspace.folder / "link").symlink_to("b.md")
    result = await workspace.call("list_dir")
    assert result.content == "C.md\t0 bytes\na/\nb.md\t5 bytes\nlink\t(link)"
    assert result.structured_content["total"] == 4
    assert result.structured_content["truncated"] is False
    assert (await workspace.call("list_dir", path="a")).content == "inner.md\t1 bytes"


async def test_list_dir_of_an_empty_folder_says_so(workspace: Workspace) -> None:
    assert (await workspace.call("list_dir", path=".")).content == "(empty folder)"


async def test_list_dir_is_bounded_and_says_what_was_cut(workspace: Workspace) -> None:
    for number in range(1100):
        workspace.file(f"{number:04}", "")
    result = await workspace.call("list_dir")
    assert result.content.endswith("0999\t0 bytes\n[cut: first 1000 of 1100 entries]")
    assert result.structured_content["truncated"] is True
    workspace.limit = 400
    small = await workspace.call("list_dir")
    shown = small.content.count("bytes")
    assert small.content.endswith(f"[cut: first {shown} of 1100 entries]")
    assert 0 < shown < 50
    assert len(small.content.encode()) <= 400


async def test_a_file_name_cannot_forge_a_line_or_a_colour(workspace: Workspace) -> None:
    workspace.file("x\ny.md", "needle")
    workspace.file("\x1b[31mred.md", "needle")
    (workspace.folder / os.fsdecode(b"bad\xff.md")).write_text("needle")
    listed = await workspace.call("list_dir")
    found = await workspace.call("search_text", text="needle")
    for content in (listed.content, found.content):
        assert content.count("\n") == (2 if content is listed.content else 3)
        assert "\x1b" not in content
        content.encode()


async def test_list_dir_of_a_file_or_nothing_fails(workspace: Workspace) -> None:
    workspace.file("a.md", "")
    assert await workspace.code("list_dir", path="a.md") in ("NOT_FOUND", "NOT_A_FILE")
    assert await workspace.code("list_dir", path="nowhere") == "NOT_FOUND"


async def test_search_text_gives_path_line_and_text(workspace: Workspace) -> None:
    workspace.file("docs/a.md", "one\r\nTwo needle here\r\nthree")
    workspace.file("b.md", "needle\nNeedle\n")
    result = await workspace.call("search_text", text="needle")
    assert result.content.splitlines() == [
        "b.md:1: needle",
        "docs/a.md:2: Two needle here",
        "[2 matches in 2 files] (2 files searched)",
    ]
    assert result.structured_content["matches"] == 2


async def test_search_text_takes_the_text_literally(workspace: Workspace) -> None:
    workspace.file("a.md", "axb\na.b (c)*[\n")
    assert (await workspace.call("search_text", text="a.b (c)*[")).structured_content["matches"] == 1
    assert (await workspace.call("search_text", text=".*")).structured_content["matches"] == 0


async def test_search_text_can_ignore_case_beyond_ascii(workspace: Workspace) -> None:
    workspace.file("a.md", "Straße\nÄRGER\n")
    assert (await workspace.call("search_text", text="STRASSE", ignoreCase=True)).structured_content["matches"] == 1
    assert (await workspace.call("search_text", text="ärger", ignoreCase=True)).structured_content["matches"] == 1
    assert (await workspace.call("search_text", text="ärger")).structured_content["matches"] == 0


async def test_search_text_is_honest_about_no_match_and_what_it_skipped(workspace: Workspace) -> None:
    workspace.file("a.md", "text")
    workspace.file("binary", b"needle\0")
    workspace.file(".env", "needle")
    workspace.file("large.txt", "needle " * 400_000)
    workspace.file("node_modules/x.js", "needle")
    os.mkfifo(workspace.folder / "pipe")
    result = await workspace.call("search_text", text="needle")
    assert result.status == "success"
    assert result.content == (
        "no match (1 file searched; skipped: 1 binary, 1 secret or unreadable, 1 larger than 2097152 bytes)"
    )
    assert result.structured_content["skipped"] == {"binary": 1, "unreadable": 1, "tooLarge": 1}


async def test_search_text_looks_only_where_it_was_told_and_at_each_file_once(workspace: Workspace) -> None:
    workspace.file("docs/a.md", "needle")
    workspace.file("src/b.py", "needle")
    assert (await workspace.call("search_text", text="needle", paths=["docs"])).structured_content["matches"] == 1
    twice = await workspace.call("search_text", text="needle", paths=["docs", "docs/a.md", "./docs"])
    assert twice.structured_content["matches"] == 1
    assert await workspace.code("search_text", text="needle", paths=["nowhere"]) == "NOT_FOUND"


async def test_search_text_is_bounded_in_matches_and_bytes(workspace: Workspace) -> None:
    workspace.file("a.md", "needle\n" * 2000)
    result = await workspace.call("search_text", text="needle")
    assert result.structured_content["matches"] == 500
    assert "[cut: first 500 matches; narrow the text or the paths]" in result.content
    workspace.limit = 1000
    small = await workspace.call("search_text", text="needle")
    assert small.structured_content["truncated"] is True
    assert len(small.content.encode()) <= 1000


async def test_search_text_shows_the_place_in_a_very_long_line(workspace: Workspace) -> None:
    workspace.file("min.js", "a" * 500_000 + "needle" + "b" * 500_000)
    result = await workspace.call("search_text", text="needle")
    line = result.content.splitlines()[0]
    assert "needle" in line
    assert len(line) < 400
