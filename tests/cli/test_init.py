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


def test_a_run_after_init_works_as_before(folder: Path) -> None:
    run(["init"], folder)
    ended = run(["react", "summarize README.md"], folder)
    assert ended.code == 0
    assert "Green tea" in ended.out
