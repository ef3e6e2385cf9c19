"""`ditto init`: two files, and never over what is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.command import run

ROOT = Path(__file__).resolve().parents[2]


def test_both_files_are_the_packaged_examples(folder: Path) -> None:
    ended = run(["init"], folder)
    assert ended.code == 0
    assert ended.out == "ditto.yaml: written\n.env: written\n"
    assert (folder / "ditto.yaml").read_bytes() == (ROOT / "ditto.yaml").read_bytes()
    assert (folder / ".env").read_bytes() == (ROOT / ".env.example").read_bytes()


def test_only_the_owner_can_read_the_file_for_keys(folder: Path) -> None:
    run(["init"], folder)
    assert (folder / ".env").stat().st_mode & 0o777 == 0o600


def test_what_is_there_is_kept(folder: Path) -> None:
    (folder / ".env").write_text("MINE=1\n", "utf-8")
    (folder / "ditto.yaml").symlink_to("elsewhere.yaml")
    ended = run(["init", "-o", "json"], folder)
    assert ended.code == 0
    assert set(ended.document()["result"]["files"].values()) == {"kept, it was there already"}
    assert (folder / ".env").read_text("utf-8") == "MINE=1\n"
    assert not (folder / "elsewhere.yaml").exists()


def test_a_second_time_changes_nothing(folder: Path) -> None:
    run(["init"], folder)
    (folder / ".env").write_text("MINE=1\n", "utf-8")
    assert run(["init"], folder).code == 0
    assert (folder / ".env").read_text("utf-8") == "MINE=1\n"


def test_it_writes_where_c_says(folder: Path) -> None:
    (folder / "sub").mkdir()
    assert run(["-C", "sub", "init"], folder).code == 0
    assert sorted(path.name for path in (folder / "sub").iterdir()) == [".env", "ditto.yaml"]
    assert not (folder / ".env").exists()


def test_a_folder_that_takes_no_file_is_an_error(folder: Path) -> None:
    ended = run(["init", "-C", "/proc/self"], folder)
    assert ended.code == 6
    assert "cannot be written" in ended.err


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_folder_is_an_error(folder: Path) -> None:
    (folder / "sub").mkdir(mode=0o500)
    assert run(["init", "-C", "sub"], folder).code == 6


@pytest.mark.parametrize("flag", ["--config", "--env-file"])
def test_other_names_for_the_files_are_refused(folder: Path, flag: str) -> None:
    ended = run(["init", flag, "other"], folder)
    assert ended.code == 2
    assert f"init takes no {flag}" in ended.err
    assert sorted(path.name for path in folder.iterdir()) == ["README.md"]


def test_in_a_git_work_tree_it_says_that_the_keys_could_be_committed(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / "sub").mkdir()
    ended = run(["init", "-C", "sub"], folder)
    assert ended.code == 0
    assert ended.err.count("add .env to .gitignore") == 1
    assert "gitignore" not in run(["init", "-C", "sub"], folder).err


@pytest.mark.parametrize("place", [".", "sub"])
def test_a_work_tree_that_ignores_the_keys_needs_no_note(folder: Path, place: str) -> None:
    (folder / ".git").mkdir()
    (folder / "sub").mkdir()
    (folder / place / ".gitignore").write_text("*.pyc\n.env\n", "utf-8")
    assert "gitignore" not in run(["init", "-C", "sub"], folder).err


def test_outside_git_there_is_no_note(folder: Path) -> None:
    assert run(["init"], folder).err == ""


def test_a_run_after_init_works_as_before(folder: Path) -> None:
    run(["init"], folder)
    ended = run(["react", "summarize README.md"], folder)
    assert ended.code == 0
    assert "Green tea" in ended.out
