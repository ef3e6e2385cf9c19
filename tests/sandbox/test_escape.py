"""No path, link or special file leads out of the workspace or hangs a reader."""

from __future__ import annotations

import gc
import os
import socket
from pathlib import Path

import pytest

from ditto_core.errors import ConfigError, PermissionDeniedError, SandboxFileError
from ditto_core.sandbox.files import FileBackend, WorkspaceFiles
from ditto_core.sandbox.policy import SandboxPolicy
from tests.sandbox.conftest import MakeFiles

LIMIT = 1000


def read(files: WorkspaceFiles, path: str) -> str:
    return files.read_text(path, LIMIT).text


def refusal(files: WorkspaceFiles, path: str) -> PermissionDeniedError:
    with pytest.raises(PermissionDeniedError) as caught:
        files.read_text(path, LIMIT)
    return caught.value


def code(files: WorkspaceFiles, path: str) -> str:
    with pytest.raises(SandboxFileError) as caught:
        files.read_text(path, LIMIT)
    return caught.value.code


def test_a_file_is_read_by_its_relative_path_and_by_its_absolute_one(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "docs").mkdir()
    (workspace / "docs" / "a.md").write_text("deep")
    for path in ("docs/a.md", "./docs//a.md", "docs/../docs/a.md", str(workspace / "docs" / "a.md")):
        assert read(files, path) == "deep"


def test_a_neighbour_whose_name_begins_like_the_workspace_is_outside(files: WorkspaceFiles, workspace: Path) -> None:
    neighbour = f"{workspace}-secret/loot.md"
    spellings = (
        neighbour,
        "../share-secret/loot.md",
        f"{workspace}/../share-secret/loot.md",
        "/" + str(workspace).replace("/", "//") + "/./../share-secret/loot.md",
    )
    for path in spellings:
        assert "leaves the workspace" in refusal(files, path).rule


def test_a_denial_does_not_tell_whether_the_target_exists(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "there").symlink_to("../outside/loot.md")
    (workspace / "nowhere").symlink_to("../outside/missing.md")
    pairs = [("../outside/loot.md", "../outside/missing.md"), ("/etc/passwd", "/etc/missing"), ("there", "nowhere")]
    for existing, missing in pairs:
        seen, unseen = refusal(files, existing), refusal(files, missing)
        assert seen.message.replace(existing, "X") == unseen.message.replace(missing, "X")
        assert seen.hint == unseen.hint


@pytest.mark.parametrize("path", ["..", "../", "a/../..", "/", "/etc", "~", "~/x", "~root/x", "ok.md\0.txt", "\ud800"])
def test_a_path_that_cannot_be_inside_is_denied(files: WorkspaceFiles, path: str) -> None:
    assert refusal(files, path).kind == "read"


def test_the_name_in_a_denial_has_no_control_characters(files: WorkspaceFiles) -> None:
    message = refusal(files, "../\x1b]0;owned\x07\n\u202ex").message
    assert message.isprintable()
    assert "\\x1b" in message


@pytest.mark.parametrize(
    "target", ["../outside/loot.md", "sub/../../outside/loot.md", "../share/ok.md", "/etc/hostname", "/dev/zero"]
)
def test_a_link_that_leaves_is_denied(files: WorkspaceFiles, workspace: Path, target: str) -> None:
    (workspace / "sub").mkdir()
    (workspace / "link").symlink_to(target)
    assert "leaves the workspace" in refusal(files, "link").rule


def test_an_absolute_link_is_denied_even_when_it_stays_inside(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "link").symlink_to(workspace / "ok.md")
    refusal(files, "link")


def test_a_folder_link_that_leaves_hides_everything_behind_it(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "out").symlink_to("../outside")
    (workspace / "up").symlink_to("..")
    for path in ("out/loot.md", "out/missing.md", "up/outside/loot.md", "up/share/ok.md"):
        refusal(files, path)


def test_relative_links_inside_the_workspace_are_followed(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "a" / "b").mkdir(parents=True)
    (workspace / "a" / "b" / "deep.md").write_text("deep")
    (workspace / "file").symlink_to("./a//b/deep.md")
    (workspace / "folder").symlink_to("a/b/")
    (workspace / "a" / "b" / "back").symlink_to("../..")
    (workspace / "chain").symlink_to("a/b/back/folder/../../file")
    for path in ("file", "folder/deep.md", "a/b/back/file", "chain"):
        assert read(files, path) == "deep"


def test_link_loops_end(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "self").symlink_to("self")
    (workspace / "ping").symlink_to("pong/x")
    (workspace / "pong").symlink_to("ping")
    for path in ("self", "ping", "pong", "self/x"):
        assert "cannot be followed" in refusal(files, path).rule


def test_a_long_but_finite_chain_of_links_is_followed(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "link0").symlink_to("ok.md")
    for number in range(1, 30):
        (workspace / f"link{number}").symlink_to(f"link{number - 1}")
    assert read(files, "link29") == "fine"


def test_magic_links_of_the_process_table_are_denied(backend: FileBackend) -> None:
    files = WorkspaceFiles("/proc", SandboxPolicy(read=True), backend=backend)
    reader, writer = os.pipe()
    for path in ("self/root/etc/hostname", "self/cwd", "self/exe", "thread-self/root", f"{os.getpid()}/fd/{reader}"):
        assert "cannot be followed" in refusal(files, path).rule
    os.close(reader)
    os.close(writer)


def test_the_process_table_is_denied_even_below_a_workspace_of_everything(backend: FileBackend) -> None:
    files = WorkspaceFiles("/", SandboxPolicy(read=True), backend=backend)
    for path in ("proc/version", f"/proc/{os.getpid()}/environ"):
        assert "/proc" in refusal(files, path).rule
    refusal(files, "/proc/self/environ")


def test_pipes_sockets_and_folders_are_refused_at_once(files: WorkspaceFiles, workspace: Path) -> None:
    os.mkfifo(workspace / "pipe")
    (workspace / "folder").mkdir()
    (workspace / "to-pipe").symlink_to("pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        with_short_path = os.open(workspace, os.O_PATH)  # a socket's path has at most 107 bytes
        listener.bind(f"/proc/self/fd/{with_short_path}/socket")
        os.close(with_short_path)
        for path in ("pipe", "folder", ".", "", "to-pipe", "socket"):
            assert code(files, path) == "NOT_A_FILE"


def test_a_device_is_refused_at_once(files: WorkspaceFiles, workspace: Path) -> None:
    try:
        os.mknod(workspace / "zero", 0o600 | 0o020000, os.makedev(1, 5))
    except PermissionError:
        pytest.skip("only a privileged user can make a device file")
    try:
        assert code(files, "zero") == "NOT_A_FILE"
    except PermissionError:  # pragma: no cover  # a mount without devices
        pytest.skip("this file system allows no devices")


def test_what_is_missing_is_not_found(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "dangling").symlink_to("missing.md")
    for path in ("missing.md", "missing/x.md", "ok.md/x", "dangling"):
        assert code(files, path) == "NOT_FOUND"


def test_a_name_that_is_too_long_is_an_error_with_the_reason(files: WorkspaceFiles) -> None:
    with pytest.raises(SandboxFileError, match="too long") as caught:
        files.read_text("x" * 300, LIMIT)
    assert caught.value.code == "IO_ERROR"


def test_a_backslash_is_an_ordinary_character(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / "a\\b").write_text("odd")
    assert read(files, "a\\b") == "odd"


def test_a_secret_file_is_denied_whether_or_not_it_exists(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / ".env").write_text("KEY=1")
    assert refusal(files, ".env").rule == refusal(files, "sub/.ENV.local").rule


def test_a_link_to_a_secret_under_an_innocent_name_is_denied(files: WorkspaceFiles, workspace: Path) -> None:
    (workspace / ".aws").mkdir()
    (workspace / ".aws" / "notes.txt").write_text("KEY=1")
    (workspace / ".env").write_text("KEY=1")
    (workspace / "notes").symlink_to(".env")
    (workspace / "cloud").symlink_to(".aws")
    for path in ("notes", "cloud/notes.txt"):
        denied = refusal(files, path)
        assert denied.name == path
        assert "secret file" in denied.rule


def test_a_link_to_what_a_deny_rule_covers_is_denied(make_files: MakeFiles, workspace: Path) -> None:
    (workspace / "private").mkdir()
    (workspace / "private" / "a.md").write_text("hidden")
    (workspace / "innocent.md").symlink_to("private/a.md")
    files = make_files(deny=["read:private/**"])
    assert "deny read:private/**" in refusal(files, "innocent.md").rule
    assert "deny read:private/**" in refusal(files, "private/a.md").rule


def test_a_secret_file_that_was_named_is_read_and_its_neighbours_are_not(
    make_files: MakeFiles, workspace: Path
) -> None:
    for name in (".env", ".env.local"):
        (workspace / name).write_text("KEY=1")
    (workspace / "notes").symlink_to(".env")
    files = make_files(secret_files=["./.env"])
    assert read(files, ".env") == "KEY=1"
    assert read(files, "notes") == "KEY=1"
    refusal(files, ".env.local")
    refusal(files, "sub/.env")


def test_the_root_stays_the_folder_that_it_was(files: WorkspaceFiles, workspace: Path) -> None:
    workspace.rename(workspace.with_name("moved"))
    workspace.symlink_to("outside")
    assert read(files, "ok.md") == "fine"
    assert code(files, "loot.md") == "NOT_FOUND"


def test_a_workspace_behind_a_link_accepts_both_of_its_absolute_paths(backend: FileBackend, workspace: Path) -> None:
    alias = workspace.with_name("alias")
    alias.symlink_to("share")
    files = WorkspaceFiles(alias, SandboxPolicy(read=True), backend=backend)
    assert read(files, f"{alias}/ok.md") == read(files, f"{workspace}/ok.md") == "fine"


def test_a_workspace_that_does_not_exist_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "missing", tmp_path / "file"):
        with pytest.raises(ConfigError, match="workspace"):
            WorkspaceFiles(path, SandboxPolicy())


def test_the_root_descriptor_is_closed_with_the_files(workspace: Path, backend: FileBackend) -> None:
    WorkspaceFiles(workspace, SandboxPolicy(), backend=backend)  # warms the caches
    gc.collect()  # a caught error and its frames refer to each other
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(50):
        use_and_drop(workspace, backend)
    gc.collect()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def use_and_drop(workspace: Path, backend: FileBackend) -> None:
    files = WorkspaceFiles(workspace, SandboxPolicy(read=True), backend=backend)
    read(files, "ok.md")
    assert code(files, "missing") == "NOT_FOUND"
    refusal(files, "../x")
