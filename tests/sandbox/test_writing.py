"""A file is replaced as a whole or not at all, and never through a link."""

from __future__ import annotations

import os
import resource
import stat
from pathlib import Path

import pytest

from ditto_core.errors import PermissionDeniedError, SandboxFileError
from ditto_core.sandbox import writing
from ditto_core.sandbox.files import WorkspaceFiles
from ditto_core.sandbox.writing import WrittenFile
from tests.sandbox.conftest import MakeFiles


def tree(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def denied(files: WorkspaceFiles, path: str) -> str:
    with pytest.raises(PermissionDeniedError) as caught:
        files.write_text(path, "new")
    return caught.value.rule


def failed(files: WorkspaceFiles, path: str, text: str = "new") -> str:
    with pytest.raises(SandboxFileError) as caught:
        files.write_text(path, text)
    return caught.value.code


def test_a_new_file_gets_the_bytes_as_given(files: WorkspaceFiles, workspace: Path) -> None:
    assert files.write_text("new.md", "é\r\n\ufeff") == WrittenFile("new.md", 7, created=True)
    assert (workspace / "new.md").read_bytes() == "é\r\n\ufeff".encode()
    assert files.write_text(f"{workspace}/new.md", "") == WrittenFile("new.md", 0, created=False)


def test_missing_folders_are_created(files: WorkspaceFiles, workspace: Path) -> None:
    files.write_text("a/b/c.md", "x")
    assert (workspace / "a" / "b" / "c.md").read_text() == "x"


def test_the_mode_of_a_new_file_follows_the_umask(files: WorkspaceFiles, workspace: Path) -> None:
    before = os.umask(0o027)
    try:
        files.write_text("sub/new.md", "x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((workspace / "sub" / "new.md").stat().st_mode) == 0o640
    assert stat.S_IMODE((workspace / "sub").stat().st_mode) == 0o750


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o664])
def test_the_mode_of_an_old_file_is_kept(files: WorkspaceFiles, workspace: Path, mode: int) -> None:
    (workspace / "ok.md").chmod(mode)
    files.write_text("ok.md", "new")
    assert stat.S_IMODE((workspace / "ok.md").stat().st_mode) == mode


def test_the_owner_of_an_old_file_is_kept_where_the_system_allows_it(files: WorkspaceFiles, workspace: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(workspace / "ok.md", 12345, 12345)
    files.write_text("ok.md", "new")
    assert (workspace / "ok.md").stat().st_uid == 12345


def test_a_file_marked_read_only_is_not_replaced(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "ok.md").chmod(0o444)
    with pytest.raises(SandboxFileError, match="read-only"):
        files.write_text("ok.md", "new")
    assert (workspace / "ok.md").read_text() == "fine"


def test_a_hard_link_is_broken(files: WorkspaceFiles, workspace: Path) -> None:
    outside = workspace.parent / "outside" / "loot.md"
    os.link(outside, workspace / "hard.md")
    files.write_text("hard.md", "new")
    assert outside.read_text() == "loot"
    assert (workspace / "hard.md").read_text() == "new"


@pytest.mark.parametrize(
    "target", ["ok.md", "missing.md", "../outside/loot.md", "../outside/new.md", "/dev/null", "link", ".git/config"]
)
def test_no_link_is_written_through(files: WorkspaceFiles, workspace: Path, target: str) -> None:
    (workspace / "link").symlink_to(target)
    before = tree(workspace.parent)
    assert "links are not followed" in denied(files, "link")
    assert tree(workspace.parent) == before
    assert (workspace / "ok.md").read_text() == "fine"


@pytest.mark.parametrize("target", ["../outside", "sub", "..", "missing", "/tmp"])
def test_no_parent_may_be_a_link(files: WorkspaceFiles, workspace: Path, target: str) -> None:
    (workspace / "sub").mkdir()
    (workspace / "dir").symlink_to(target)
    before = tree(workspace.parent)
    assert "links are not followed" in denied(files, "dir/new.md")
    assert "links are not followed" in denied(files, "dir/a/b/new.md")
    assert tree(workspace.parent) == before


@pytest.mark.parametrize("path", ["../new.md", "/tmp/new.md", "~/new.md", "a/../../new.md", "new\0.md"])
def test_nothing_is_written_outside(files: WorkspaceFiles, workspace: Path, path: str) -> None:
    before = tree(workspace.parent)
    denied(files, path)
    assert tree(workspace.parent) == before


def test_special_files_and_folders_are_not_replaced(files: WorkspaceFiles, workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    (workspace / "folder").mkdir()
    for path in ("pipe", "folder", ".", "", "new/"):
        assert failed(files, path) == "NOT_A_FILE"
    assert failed(files, "ok.md/below") == "NOT_FOUND"
    assert tree(workspace) == ["folder", "ok.md", "pipe"]


@pytest.mark.parametrize(
    "path",
    [
        *(".git/hooks/pre-commit", ".git", "sub/.GIT/config", ".Git\u200d/x", ".env", "a/.env.local", "ditto.yaml"),
        *("a/DITTO.yaml", ".mcp.json", ".bashrc", "home/.zshenv", ".envrc", ".vscode/tasks.json", ".idea/x.xml"),
        *(".ssh/authorized_keys", ".npmrc", "x/id_ed25519"),
    ],
)
def test_what_runs_or_grants_something_is_never_written(make_files: MakeFiles, workspace: Path, path: str) -> None:
    before = tree(workspace)
    assert "protected" in denied(make_files(secret_files=[".env"]), path)
    assert tree(workspace) == before


def test_templates_of_secret_files_may_be_written(files: WorkspaceFiles) -> None:
    for path in (".env.example", "a/.env.sample", ".env.template", ".gitignore", "ditto.yaml.md"):
        assert files.write_text(path, "x").created


def test_a_deny_rule_stops_writing(make_files: MakeFiles, workspace: Path) -> None:
    assert "deny write:docs/**" in denied(make_files(deny=["write:docs/**"]), "docs/a.md")
    assert tree(workspace) == ["ok.md"]


def test_text_that_is_not_utf8_is_refused_before_anything_is_touched(files: WorkspaceFiles, workspace: Path) -> None:
    assert failed(files, "sub/new.md", "a\ud800") == "NOT_TEXT"
    assert tree(workspace) == ["ok.md"]


def test_a_write_that_fails_half_way_leaves_the_old_file_and_no_other(files: WorkspaceFiles, workspace: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        codes = [failed(files, "ok.md", "x" * 5000), failed(files, "new.md", "x" * 5000)]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert codes == ["TOO_LARGE", "TOO_LARGE"]
    assert (workspace / "ok.md").read_text() == "fine"
    assert tree(workspace) == ["ok.md"]


def test_a_name_that_only_the_temporary_file_can_have_fails_cleanly(files: WorkspaceFiles, workspace: Path) -> None:
    assert failed(files, "x" * 300) == "IO_ERROR"
    assert tree(workspace) == ["ok.md"]


def test_the_temporary_file_of_an_abandoned_write_can_be_removed_before_the_process_leaves(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        with writing._temporary(folder, 0o600):
            assert len(list(tmp_path.iterdir())) == 1
            writing.remove_unfinished()
            assert list(tmp_path.iterdir()) == []
    finally:
        os.close(folder)
