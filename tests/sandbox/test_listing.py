"""Folders are listed in order and within bounds; a walk finds what may be read and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ditto_core.errors import InvalidInputError, PermissionDeniedError, SandboxFileError
from ditto_core.sandbox.files import WorkspaceFiles
from ditto_core.sandbox.listing import FileTree, FolderEntry
from tests.sandbox.conftest import MakeFiles


def test_entries_are_sorted_and_say_what_they_are(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "folder").mkdir()
    (workspace / "link").symlink_to("../outside")
    (workspace / ".env").write_text("KEY=1")
    os.mkfifo(workspace / "pipe")
    listing = files.list_dir(".", 100)
    assert listing.entries == (
        FolderEntry(".env", "file", 5),
        FolderEntry("folder", "folder"),
        FolderEntry("link", "link"),
        FolderEntry("ok.md", "file", 4),
        FolderEntry("pipe", "other"),
    )
    assert (listing.total, listing.truncated) == (5, False)


def test_a_listing_that_was_cut_says_so_and_keeps_the_first_names(files: WorkspaceFiles, workspace: Path) -> None:
    for number in range(30):
        (workspace / f"f{number:02}").touch()
    listing = files.list_dir("", 3)
    assert [entry.name for entry in listing.entries] == ["f00", "f01", "f02"]
    assert (listing.total, listing.truncated) == (31, True)


def test_a_name_that_is_not_utf8_is_listed(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / os.fsdecode(b"caf\xe9")).write_text("x")
    (name,) = [entry.name for entry in files.list_dir(".", 10).entries if entry.name != "ok.md"]
    assert os.fsencode(name) == b"caf\xe9"
    assert files.read_text(name, 10).text == "x"


def test_a_folder_is_listed_through_a_link_that_stays_inside(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "folder").mkdir()
    (workspace / "folder" / "a").touch()
    (workspace / "link").symlink_to("folder")
    assert [entry.name for entry in files.list_dir("link", 10).entries] == ["a"]


def test_secret_and_outside_folders_are_not_listed(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / ".ssh").mkdir()
    (workspace / "innocent").symlink_to(".ssh")
    (workspace / "out").symlink_to("../outside")
    for path in (".ssh", "innocent", "out", "..", "/etc"):
        with pytest.raises(PermissionDeniedError):
            files.list_dir(path, 10)
        with pytest.raises(PermissionDeniedError):
            files.walk(path, 10)


def test_a_missing_folder_and_a_file_are_not_listed(files: WorkspaceFiles) -> None:
    for path in ("missing", "ok.md", "ok.md/x"):
        with pytest.raises(SandboxFileError) as caught:
            files.list_dir(path, 10)
        assert caught.value.code == "NOT_FOUND"


def test_a_walk_leaves_out_links_secrets_special_files_and_tool_folders(make_files: MakeFiles, workspace: Path) -> None:
    for name in ("docs/a.md", "docs/deep/b.md", ".git/config", ".aws/credentials", "private/c.md", ".env", "z.pem"):
        (workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (workspace / name).write_text("x")
    (workspace / "link").symlink_to("docs")
    (workspace / "out").symlink_to("../outside")
    os.mkfifo(workspace / "pipe")
    files = make_files(deny=["read:private"])
    assert files.walk(".", 100) == FileTree(("ok.md", "docs/a.md", "docs/deep/b.md"), truncated=False, skipped=4)
    assert files.walk("docs/deep", 100).files == ("docs/deep/b.md",)
    assert files.walk("ok.md", 100).files == ("ok.md",)
    assert ".git/config" in files.walk(".", 100, frozenset()).files


def test_a_walk_stops_at_its_cap_and_says_so(files: WorkspaceFiles, workspace: Path) -> None:
    for number in range(5):
        (workspace / f"f{number}").touch()
    assert files.walk(".", 3) == FileTree(("f0", "f1", "f2"), truncated=True, skipped=0)
    assert files.walk(".", 6).truncated is False


def test_a_walk_through_a_tree_deeper_than_any_path_ends(files: WorkspaceFiles, workspace: Path) -> None:
    before = Path.cwd()
    os.chdir(workspace)
    try:
        for _ in range(60):
            os.mkdir("d" * 100)  # noqa: PTH102  # relative to where we are, the path becomes too long to name
            os.chdir("d" * 100)
    finally:
        os.chdir(before)
    assert files.walk(".", 100).files == ("ok.md",)


def test_listing_needs_read(make_files: MakeFiles) -> None:
    files = make_files(read=False)
    for call in (lambda: files.list_dir(".", 10), lambda: files.walk(".", 10)):
        with pytest.raises(PermissionDeniedError):
            call()
    with pytest.raises(InvalidInputError):
        make_files().list_dir(".", 0)
