"""Programs that are not part of Python and that tests marked `interop` need.

`python tests/tools.py` prints the Debian packages of those that are missing, for an installer.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from types import MappingProxyType
from typing import NoReturn

PACKAGES: Mapping[str, str] = MappingProxyType({"bash": "bash", "fish": "fish", "zsh": "zsh"})
"""Debian package by program."""

REQUIRED = "DITTO_REQUIRE_TOOLS"
"""Where this is `1`, a missing program is a failure."""


def require(program: str) -> str:
    """The absolute path of a program. Without it the test skips, or fails where everything must be there."""
    assert program in PACKAGES, f"add {program} to PACKAGES, so that it gets installed"
    found = shutil.which(program)
    if found is None:
        _do_without(f"{program} is not installed (Debian package {PACKAGES[program]})")
    return found


def _do_without(reason: str) -> NoReturn:
    import pytest  # the installer runs this file before anything is installed

    if os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{reason}, and {REQUIRED}=1 says that it must be")
    pytest.skip(reason)


def missing_packages() -> list[str]:
    """The Debian packages of the programs that are not on the PATH."""
    return sorted({package for program, package in PACKAGES.items() if shutil.which(program) is None})


if __name__ == "__main__":
    print(*missing_packages())
