"""A missing program skips a test on a bare machine and fails it where every program must be there."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import tools


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A PATH on which there is nothing."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_a_missing_program_skips_with_the_reason(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(tools.REQUIRED, raising=False)
    with pytest.raises(pytest.skip.Exception, match="zsh is not installed"):
        tools.require("zsh")


def test_a_missing_program_fails_where_it_is_required(bare_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tools.REQUIRED, "1")
    with pytest.raises(pytest.fail.Exception, match="zsh is not installed"):
        tools.require("zsh")


def test_a_program_that_is_there_is_found(bare_machine: Path) -> None:
    program = bare_machine / "zsh"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert tools.require("zsh") == str(program)


def test_the_installer_gets_the_missing_packages_without_any_dependency(bare_machine: Path) -> None:
    command = [sys.executable, "-I", "-S", tools.__file__]
    run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True, env={"PATH": "/nowhere"})
    assert run.stdout.split() == sorted(tools.PACKAGES.values())
