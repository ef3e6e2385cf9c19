"""A folder to work in, of a person who has no settings."""

from __future__ import annotations

from pathlib import Path

import pytest

README = """# Tea

Green tea is steeped for two minutes. Black tea takes four.

## Water

Green tea wants water of 80 degrees, black tea boiling water.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty project with a README. The home of the person is beside it."""
    project = tmp_path / "project"
    project.mkdir()
    (tmp_path / "home").mkdir()
    (project / "README.md").write_text(README, "utf-8")
    return project
