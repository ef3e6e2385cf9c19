"""A neighbour who swaps a folder for a link to outside, again and again, gets no byte in or out."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ditto_core.errors import DittoError
from ditto_core.sandbox.files import WorkspaceFiles

ROUNDS = 1500
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def exchange(one: Path, other: Path) -> None:
    """Swaps two names in one step of the kernel."""
    result = ctypes.CDLL(None, use_errno=True).renameat2(
        _AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), _RENAME_EXCHANGE
    )
    if result != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


@pytest.fixture
def trap(workspace: Path) -> tuple[Path, Path]:
    """A folder `d` with a file, and a link `decoy` to a folder outside that has a file of the same name."""
    (workspace / "d").mkdir()
    (workspace / "d" / "loot.md").write_text("inside")
    (workspace / "decoy").symlink_to("../outside")
    try:
        exchange(workspace / "d", workspace / "decoy")
        exchange(workspace / "d", workspace / "decoy")
    except (OSError, AttributeError):
        pytest.skip("this system cannot swap two names in one step")
    return workspace / "d", workspace / "decoy"


@contextmanager
def swapping(trap: tuple[Path, Path]) -> Iterator[None]:
    stop, started = threading.Event(), threading.Event()

    def swap() -> None:
        while not stop.is_set():
            exchange(*trap)
            started.set()

    neighbour = threading.Thread(target=swap)
    neighbour.start()
    assert started.wait(30)
    try:
        yield
    finally:
        stop.set()
        neighbour.join(30)


def naive_read(workspace: Path, path: str, meanwhile: Callable[[], None]) -> str | None:
    """Checks the resolved path, then opens the path: the way that does not hold."""
    if not (workspace / path).resolve().is_relative_to(workspace.resolve()):
        return None
    meanwhile()
    return (workspace / path).read_text()


def test_checking_a_path_and_then_opening_it_leaks(workspace: Path, trap: tuple[Path, Path]) -> None:
    assert naive_read(workspace, "d/loot.md", lambda: None) == "inside"
    assert naive_read(workspace, "d/loot.md", lambda: exchange(*trap)) == "loot"
    assert naive_read(workspace, "d/loot.md", lambda: None) is None


def test_no_byte_from_outside_is_read(files: WorkspaceFiles, trap: tuple[Path, Path]) -> None:
    seen: set[str] = set()
    with swapping(trap):
        for _ in range(ROUNDS):
            for path in ("d/loot.md", "decoy/loot.md", "decoy/../d/loot.md"):
                with suppress(DittoError):
                    seen.add(files.read_text(path, 100).text)
    assert seen <= {"inside"}


def test_no_name_from_outside_is_listed(files: WorkspaceFiles, workspace: Path, trap: tuple[Path, Path]) -> None:
    (workspace.parent / "outside" / "strange.md").write_text("loot")
    seen: set[str] = set()
    with swapping(trap):
        for _ in range(ROUNDS // 5):
            with suppress(DittoError):
                seen.update(entry.name for entry in files.list_dir("d", 100).entries)
            seen.update(os.path.basename(path) for path in files.walk(".", 100).files)  # noqa: PTH119  # a name, no file
    assert seen <= {"loot.md", "ok.md"}


def test_no_byte_is_written_outside(files: WorkspaceFiles, workspace: Path, trap: tuple[Path, Path]) -> None:
    with swapping(trap):
        for _ in range(ROUNDS // 15):
            for path in ("d/loot.md", "d/new.md", "d/sub/new.md", "decoy/new.md"):
                with suppress(DittoError):
                    files.write_text(path, "written")
    assert sorted(path.name for path in (workspace.parent / "outside").iterdir()) == ["loot.md"]
    assert (workspace.parent / "outside" / "loot.md").read_text() == "loot"
    assert not list(workspace.rglob("*.tmp"))
