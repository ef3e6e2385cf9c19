"""Random trees, random paths: what is read is inside and no secret, and both backends agree."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ditto_core.errors import DittoError
from ditto_core.sandbox.files import FileBackend, WorkspaceFiles
from ditto_core.sandbox.openat2 import openat2_available
from ditto_core.sandbox.policy import SandboxPolicy

Node: TypeAlias = "str | dict[str, Node]"
"""A folder, a link (its target after `->`), or a file (any other text)."""

SECRETS = frozenset({".env", "id_rsa", ".aws"})
NAMES = st.sampled_from(["a", "b", "c", ".env", "id_rsa", "x.md", ".aws"])
TARGETS = st.one_of(
    st.sampled_from(["..", ".", "../..", "../../..", "/", "/proc/self/root", "/proc/self/cwd", "loop", "missing"]),
    st.lists(st.one_of(NAMES, st.just("..")), min_size=1, max_size=4).map("/".join),
    st.sampled_from(["../out/a", "../../out/a", "../in/a", "../in-too/a", "OUT/a", "IN/a"]),
)
FILES = st.just("file")
LINKS = TARGETS.map("->{}".format)
TREES = st.recursive(
    st.dictionaries(NAMES, st.one_of(FILES, LINKS), max_size=4),
    lambda below: st.dictionaries(NAMES, st.one_of(FILES, LINKS, below), min_size=1, max_size=4),
    max_leaves=8,
)
PIECES = st.one_of(NAMES, st.sampled_from(["..", ".", "", "~", "in", "out", "loop", "A\0", "é", "OUT", "IN"]))
PATHS = st.one_of(
    st.lists(PIECES, max_size=6).map("/".join),
    st.lists(PIECES, max_size=4).map(lambda pieces: "/".join(["BASE", "in", *pieces])),
    st.lists(PIECES, max_size=4).map(lambda pieces: "/".join(["BASE", *pieces])),
    st.text(max_size=8),
)


def build(folder: Path, tree: dict[str, Node], base: Path, tag: str) -> None:
    folder.mkdir()
    for name, node in tree.items():
        path = folder / name
        if isinstance(node, dict):
            build(path, node, base, "secret" if name in SECRETS else tag)
        elif node.startswith("->"):
            target = node.removeprefix("->").replace("OUT", f"{base}/out").replace("IN", f"{base}/in")
            path.symlink_to(target)
        else:
            path.write_text("secret" if name in SECRETS else tag)


def read(files: WorkspaceFiles, path: str) -> str:
    """The tag of the file, or how it was refused."""
    try:
        return files.read_text(path, 100).text
    except DittoError as error:
        return f"{type(error).__name__} {error.code}"


@pytest.fixture(scope="module")
def backends() -> tuple[FileBackend, ...]:
    return ("openat2", "walk") if openat2_available() else ("walk",)


@settings(max_examples=300, deadline=None)
@given(tree=TREES, paths=st.lists(PATHS, min_size=5, max_size=20))
def test_every_byte_that_is_read_is_inside_and_not_secret(
    backends: tuple[FileBackend, ...], tree: dict[str, Node], paths: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        build(base / "in", tree, base, "inside")
        for outside in ("out", "in-too"):
            build(base / outside, {"a": "file", ".env": "file", "x.md": "file"}, base, "outside")
        readers = [WorkspaceFiles(base / "in", SandboxPolicy(read=True), backend=backend) for backend in backends]
        for path in [
            text.replace("BASE", name).replace("OUT", f"{name}/out").replace("IN", f"{name}/in") for text in paths
        ]:
            answers = {read(reader, path) for reader in readers}
            assert len(answers) == 1, f"the backends differ on {path!r}: {answers}"
            assert not answers & {"outside", "secret"}, path


@settings(max_examples=100, deadline=None)
@given(tree=TREES)
def test_every_plain_file_that_is_no_secret_can_be_read_and_is_found(
    backends: tuple[FileBackend, ...], tree: dict[str, Node]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        build(base / "in", tree, base, "inside")
        plain = {
            os.path.relpath(path, base / "in")
            for path in (base / "in").rglob("*")
            if path.is_file() and not path.is_symlink() and path.read_text() == "inside"
        }
        for backend in backends:
            files = WorkspaceFiles(base / "in", SandboxPolicy(read=True), backend=backend)
            assert {read(files, path) for path in plain} <= {"inside"}
            assert set(files.walk(".", 1000).files) == plain


@settings(max_examples=200, deadline=None)
@given(tree=TREES, paths=st.lists(PATHS, min_size=5, max_size=20))
def test_nothing_that_is_written_lands_outside_or_in_a_secret(
    backends: tuple[FileBackend, ...], tree: dict[str, Node], paths: list[str]
) -> None:
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        build(base / "in", tree, base, "inside")
        build(base / "out", {"a": "file", "b": {"a": "file"}}, base, "outside")
        before = everything(base / "out")
        for backend in backends:
            files = WorkspaceFiles(base / "in", SandboxPolicy(write=True), backend=backend)
            for text in paths:
                write(files, text.replace("BASE", name).replace("OUT", f"{name}/out").replace("IN", f"{name}/in"))
        assert everything(base / "out") == before
        assert sorted(path.name for path in base.iterdir()) == ["in", "out"]
        contents = everything(base / "in")
        assert not any(name.endswith(".tmp") for name in contents)
        assert not any(content == "written" and secret(path) for path, content in contents.items())


def write(files: WorkspaceFiles, path: str) -> None:
    try:
        files.write_text(path, "written")
    except DittoError:
        return


def secret(path: str) -> bool:
    return bool(SECRETS & set(path.split("/")))


def everything(folder: Path) -> dict[str, str]:
    return {
        os.path.relpath(path, folder): path.read_text() if path.is_file() and not path.is_symlink() else ""
        for path in folder.rglob("*")
    }
