"""A workspace with a neighbour whose name begins the same, and both ways of opening files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from ditto_core.sandbox.files import FileBackend, WorkspaceFiles
from ditto_core.sandbox.openat2 import openat2_available
from ditto_core.sandbox.policy import SandboxPolicy

MakeFiles: TypeAlias = Callable[..., WorkspaceFiles]


@pytest.fixture(params=["openat2", "walk"])
def backend(request: pytest.FixtureRequest) -> FileBackend:
    """Each test that takes this runs with both backends."""
    name: FileBackend = request.param
    if name == "openat2" and not openat2_available():
        pytest.skip("this kernel, or a filter around this process, has no openat2")
    return name


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """`share`, beside it `share-secret` and `outside`."""
    root = tmp_path / "share"
    root.mkdir(mode=0o755)
    for name in ("share-secret", "outside"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "loot.md").write_text("loot")
    (root / "ok.md").write_text("fine")
    return root


@pytest.fixture
def make_files(workspace: Path, backend: FileBackend) -> MakeFiles:
    """Files of the workspace; reading and writing are granted unless the arguments say otherwise."""

    def make(**policy: object) -> WorkspaceFiles:
        granted = {"read": True, "write": True, **policy}
        return WorkspaceFiles(workspace, SandboxPolicy(**granted), backend=backend)  # type: ignore[arg-type]  # any mix

    return make


@pytest.fixture
def files(make_files: MakeFiles) -> WorkspaceFiles:
    """Reading and writing granted, no rules."""
    return make_files()
