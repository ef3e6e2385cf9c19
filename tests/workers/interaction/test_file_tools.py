"""What the file tools have in common; read_text and write_text, through a real sandbox on a real folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from ditto_core.errors import InvalidArgumentsError, PermissionDeniedError
from ditto_core.sandbox.policy import READ_ONLY, SandboxPolicy
from ditto_core.workers.interaction.observe import observe_external_result
from ditto_core.workers.interaction.tools.builtin import create_file_tools
from ditto_core.workers.interaction.tools.registry import ToolRegistry
from tests.workers.interaction.workspace import Workspace

pytestmark = pytest.mark.anyio


def test_every_schema_is_strict_and_described() -> None:
    definitions = ToolRegistry(create_file_tools()).definitions()
    assert [one.name for one in definitions] == ["read_text", "list_dir", "search_text", "write_text"]
    assert [one.effects for one in definitions] == [("read",), ("read",), ("read",), ("write",)]
    for definition in definitions:
        assert definition.description
        assert definition.input_schema["additionalProperties"] is False
        for rules in definition.input_schema["properties"].values():
            assert rules["description"].endswith(".")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("read_text", {}),
        ("read_text", {"path": ""}),
        ("read_text", {"path": 5}),
        ("read_text", {"path": "a", "startLine": 0}),
        ("read_text", {"path": "a", "startLine": "1"}),
        ("read_text", {"path": "a", "startLine": 1.5}),
        ("read_text", {"path": "a", "startLine": 3, "endLine": 2}),
        ("read_text", {"path": "a", "lines": 3}),
        ("list_dir", {"path": ""}),
        ("list_dir", {"depth": 2}),
        ("search_text", {}),
        ("search_text", {"text": ""}),
        ("search_text", {"text": "two\nlines"}),
        ("search_text", {"text": "a", "ignoreCase": "yes"}),
        ("search_text", {"text": "a", "paths": "docs"}),
        ("search_text", {"text": "a", "paths": []}),
        ("search_text", {"text": "x" * 1001}),
        ("write_text", {"path": "a"}),
        ("write_text", {"path": "a", "text": None}),
        ("write_text", {"path": "a", "text": "x", "append": True}),
    ],
)
async def test_arguments_that_do_not_fit_are_refused(
    workspace: Workspace, name: str, arguments: dict[str, Any]
) -> None:
    workspace.file("a", "text")
    with pytest.raises(InvalidArgumentsError):
        await workspace.call(name, **arguments)
    assert [path.name for path in workspace.folder.iterdir()] == ["a"]


async def test_a_granted_tool_without_read_or_write_is_denied(workspace: Workspace) -> None:
    workspace.file("a.md", "text")
    workspace.policy = SandboxPolicy(tools={"*"})
    for name, arguments, kind in (
        ("read_text", {"path": "a.md"}, "read"),
        ("list_dir", {}, "read"),
        ("search_text", {"text": "text"}, "read"),
        ("write_text", {"path": "a.md", "text": "new"}, "write"),
    ):
        with pytest.raises(PermissionDeniedError) as caught:
            await workspace.call(name, **arguments)
        assert caught.value.kind == kind
    assert (workspace.folder / "a.md").read_text() == "text"


async def test_the_read_only_profile_can_change_nothing(workspace: Workspace) -> None:
    workspace.policy = READ_ONLY
    workspace.file("a.md", "text")
    assert (await workspace.call("read_text", path="a.md")).content == "text"
    with pytest.raises(PermissionDeniedError):
        await workspace.call("write_text", path="a.md", text="new")


async def test_read_text_gives_the_whole_text_as_it_is(workspace: Workspace) -> None:
    workspace.file("a.md", "\ufeffä\r\nb\u2028c\x0cd\n")
    result = await workspace.call("read_text", path="a.md")
    assert result.content == "ä\r\nb\u2028c\x0cd\n"
    assert result.structured_content["truncated"] is False


async def test_read_text_gives_lines_both_ends_included(workspace: Workspace) -> None:
    workspace.file("a.md", "".join(f"line {number}\n" for number in range(1, 11)))
    assert (await workspace.call("read_text", path="a.md", startLine=3, endLine=4)).content == "line 3\nline 4\n"
    assert (await workspace.call("read_text", path="a.md", startLine=10)).content == "line 10\n"
    assert (await workspace.call("read_text", path="a.md", endLine=1)).content == "line 1\n"
    assert (await workspace.call("read_text", path="a.md", startLine=3.0, endLine=3.0)).content == "line 3\n"
    assert (await workspace.call("read_text", path="a.md", startLine=99)).content == "(the file ends before line 99)"


async def test_read_text_says_when_it_was_cut_and_where_to_read_on(workspace: Workspace) -> None:
    lines = [f"line {number} äöü\n" for number in range(1, 20_001)]
    workspace.file("big.md", "".join(lines))
    size = (workspace.folder / "big.md").stat().st_size
    read = ""
    start = 1
    result = await workspace.call("read_text", path="big.md")
    while result.structured_content["truncated"]:
        assert len(result.content.encode()) <= workspace.limit
        text, _, last = result.content.rpartition("\n")
        assert last.startswith(f"[cut: first {len(text.encode())} of {size} bytes] Go on with startLine ")
        kept = int(last.rsplit(" ", 1)[1].rstrip(".")) - start
        read += "".join(text.splitlines(keepends=True)[:kept])
        assert kept > 0
        start += kept
        result = await workspace.call("read_text", path="big.md", startLine=start)
    assert read + result.content == "".join(lines)


async def test_read_text_cuts_one_endless_line(workspace: Workspace) -> None:
    workspace.file("one.txt", "é" * 1_000_000)
    result = await workspace.call("read_text", path="one.txt")
    assert result.content.endswith(" of 2000000 bytes]")
    assert result.content.startswith("é" * 1000)
    assert result.structured_content["truncated"] is True


async def test_read_text_does_not_load_a_huge_file(workspace: Workspace) -> None:
    path = workspace.file("sparse.log", "begin\n" * 20_000)
    os.truncate(path, 3_000_000_000)
    result = await workspace.call("read_text", path="sparse.log")
    assert result.content.startswith("begin\n")
    assert " of 3000000000 bytes]" in result.content[-80:]


async def test_read_text_reports_what_it_cannot_read(workspace: Workspace) -> None:
    workspace.file("latin.txt", "caf\xe9 au lait".encode("latin-1"))
    workspace.file("utf16.txt", "text".encode("utf-16"))
    workspace.file("binary", b"\x7fELF\0\0")
    (workspace.folder / "folder").mkdir()
    os.mkfifo(workspace.folder / "pipe")
    assert await workspace.code("read_text", path="latin.txt") == "NOT_TEXT"
    assert await workspace.code("read_text", path="utf16.txt") == "NOT_TEXT"
    assert await workspace.code("read_text", path="binary") == "NOT_TEXT"
    assert await workspace.code("read_text", path="folder") == "NOT_A_FILE"
    assert await workspace.code("read_text", path="pipe") == "NOT_A_FILE"
    assert await workspace.code("read_text", path="missing.md") == "NOT_FOUND"


async def test_an_empty_file_is_no_output_for_a_model(workspace: Workspace) -> None:
    workspace.file("empty", "")
    result = await workspace.call("read_text", path="empty")
    assert result.content == ""
    assert observe_external_result(result).status == "success"


@pytest.mark.parametrize("path", ["../secret", "/etc/hostname", "~/x", "a\0b", "sub/../../x", ".env", "sub/.env.local"])
async def test_paths_that_lead_out_or_to_secrets_are_denied(workspace: Workspace, path: str) -> None:
    workspace.file(".env", "KEY=abc")
    workspace.file("sub/.env.local", "KEY=abc")
    for name, more in (("read_text", {}), ("write_text", {"text": "x"})):
        with pytest.raises(PermissionDeniedError):
            await workspace.call(name, path=path, **more)
    with pytest.raises(PermissionDeniedError):
        await workspace.call("search_text", text="KEY", paths=[path])
    assert (workspace.folder / ".env").read_text() == "KEY=abc"


async def test_write_text_creates_and_replaces_whole_files(workspace: Workspace) -> None:
    created = await workspace.call("write_text", path="new/deep/a.md", text="ä\r\n")
    assert created.content == "created new/deep/a.md (4 bytes)"
    assert (workspace.folder / "new/deep/a.md").read_bytes() == b"\xc3\xa4\r\n"
    replaced = await workspace.call("write_text", path="new/deep/a.md", text="")
    assert replaced.content == "replaced new/deep/a.md (0 bytes)"
    assert replaced.structured_content == {"path": "new/deep/a.md", "size": 0, "created": False}
    assert (workspace.folder / "new/deep/a.md").read_bytes() == b""


async def test_write_text_never_follows_a_link_or_touches_protected_files(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path.parent / "outside.txt"
    (workspace.folder / "link.md").symlink_to(outside)
    for path in ("link.md", ".git/hooks/pre-commit", "ditto.yaml", ".mcp.json"):
        with pytest.raises(PermissionDeniedError):
            await workspace.call("write_text", path=path, text="x")
    assert not outside.exists()
    assert sorted(path.name for path in workspace.folder.iterdir()) == ["link.md"]


async def test_write_text_to_a_folder_fails(workspace: Workspace) -> None:
    (workspace.folder / "folder").mkdir()
    assert await workspace.code("write_text", path="folder", text="x") == "NOT_A_FILE"
