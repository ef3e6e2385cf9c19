"""The sandbox as Workers and tools meet it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from ditto_core.errors import InvalidInputError, PermissionDeniedError, SandboxFileError
from ditto_core.sandbox.executor import CommandResult
from ditto_core.sandbox.policy import READ_ONLY, SandboxPolicy
from ditto_core.sandbox.sandbox import Sandbox


@pytest.mark.anyio
async def test_without_a_policy_everything_is_denied(workspace: Path) -> None:
    sandbox = Sandbox(workspace)
    assert not any(sandbox.allows(kind) for kind in ("read", "write", "execute"))
    calls = (
        sandbox.read_text("ok.md"),
        sandbox.write_text("ok.md", "x"),
        sandbox.list_dir(),
        sandbox.walk(),
        sandbox.run(["ls"]),
    )
    for call in calls:
        with pytest.raises(PermissionDeniedError):
            await call
    assert (workspace / "ok.md").read_text() == "fine"


@pytest.mark.anyio
async def test_a_denied_read_says_the_same_for_files_that_exist_and_that_do_not(workspace: Path) -> None:
    sandbox = Sandbox(workspace)
    messages = []
    for path in ("ok.md", "missing.md"):
        with pytest.raises(PermissionDeniedError) as caught:
            await sandbox.read_text(path)
        messages.append(caught.value.message.replace(path, "X"))
    assert messages[0] == messages[1]


@pytest.mark.anyio
async def test_what_is_granted_works(workspace: Path) -> None:
    sandbox = Sandbox(workspace, READ_ONLY.granting("write"))
    assert (await sandbox.write_text("a/b.md", "1\n2\n3\n")).created
    assert (await sandbox.read_text("a/b.md")).text == "1\n2\n3\n"
    assert (await sandbox.read_text("a/b.md", 3)).truncated
    assert (await sandbox.read_text("a/b.md", first_line=2, last_line=2)).text == "2\n"
    assert [entry.name for entry in (await sandbox.list_dir()).entries] == ["a", "ok.md"]
    assert (await sandbox.walk()).files == ("ok.md", "a/b.md")
    with pytest.raises(SandboxFileError):
        await sandbox.read_text("missing.md")


def test_allows_and_require_agree_and_take_paths_as_callers_write_them(workspace: Path) -> None:
    sandbox = Sandbox(workspace, READ_ONLY)
    assert sandbox.allows("read", str(workspace / "ok.md"))
    assert sandbox.allows("read")
    assert not sandbox.allows("read", "../share-secret/loot.md")
    assert not sandbox.allows("read", f"{workspace}-secret/loot.md")
    assert not sandbox.allows("read", str(workspace / ".env"))
    sandbox.require("tool", "read_text")
    with pytest.raises(PermissionDeniedError) as caught:
        sandbox.require("tool", "write_text")
    assert (caught.value.kind, caught.value.name) == ("tool", "write_text")
    with pytest.raises(InvalidInputError):
        sandbox.allows("reading", "ok.md")


@pytest.mark.anyio
async def test_the_workspace_is_fixed_at_construction(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace)
    sandbox = Sandbox(".", READ_ONLY)
    monkeypatch.chdir(tmp_path / "outside")
    assert (await sandbox.read_text("ok.md")).text == "fine"
    assert sandbox.workspace == workspace
    assert sandbox.policy is READ_ONLY


@pytest.mark.anyio
async def test_running_is_denied_without_an_executor_whatever_is_granted(workspace: Path) -> None:
    sandbox = Sandbox(workspace, SandboxPolicy(execute=True))
    with pytest.raises(PermissionDeniedError, match="no launcher level") as caught:
        await sandbox.run(["/usr/bin/id"])
    assert "no permission setting" in (caught.value.hint or "")
    wrong: tuple[Sequence[str], ...] = ("id", [])
    for argv in wrong:
        with pytest.raises(InvalidInputError):
            await sandbox.run(argv)


class Recorder:
    """An executor that only notes what it was to run."""

    def __init__(self) -> None:
        self.ran: list[tuple[str, ...]] = []

    async def run(self, argv: Sequence[str]) -> CommandResult:
        self.ran.append(tuple(argv))
        return CommandResult("out", "", 0)


@pytest.mark.anyio
async def test_an_executor_runs_only_what_the_policy_allows(workspace: Path) -> None:
    executor = Recorder()
    sandbox = Sandbox(workspace, SandboxPolicy(execute=True, deny=["execute:rm"]), executor)
    assert (await sandbox.run(["/bin/ls", "-l"])).stdout == "out"
    with pytest.raises(PermissionDeniedError):
        await sandbox.run(["/bin/rm", "x"])
    with pytest.raises(PermissionDeniedError):
        await Sandbox(workspace, READ_ONLY, executor).run(["/bin/ls"])
    assert executor.ran == [("/bin/ls", "-l")]


@pytest.mark.anyio
async def test_many_writers_of_one_file_leave_one_whole_text(workspace: Path) -> None:
    sandbox = Sandbox(workspace, READ_ONLY.granting("write"))
    texts = [letter * 50_000 for letter in "abcdefgh"]
    await asyncio.gather(*(sandbox.write_text("f.md", text) for text in texts))
    assert (await sandbox.read_text("f.md")).text in texts
    assert sorted(path.name for path in workspace.iterdir()) == ["f.md", "ok.md"]
