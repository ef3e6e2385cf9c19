"""What completion offers for values. It answers a key, so it reads tables and imports nothing of the core."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TOOLS: Final[Mapping[str, str]] = {
    "read_text": "Read a text file, or some of its lines.",
    "list_dir": "List one folder.",
    "search_text": "Find the lines that hold a text.",
    "write_text": "Write a text file as a whole.",
}
"""Name → line of help of every tool that the command line has. A test compares it with the tools."""

MODELS: Final = ("offline", "scripted/", "openai/", "anthropic/", "gemini/")
"""How a model that needs no setting begins. A test compares it with the presets."""

SKILL_ROOTS: Final = (".ditto/skills", ".agents/skills", ".claude/skills")
"""Where skills of a project are, the nearest first."""


def tool_names(incomplete: str) -> list[tuple[str, str]]:
    """The tools that begin so, with their help."""
    return [(name, line) for name, line in TOOLS.items() if name.startswith(incomplete)]


def model_names(incomplete: str) -> list[str]:
    """The models that begin so."""
    return [name for name in MODELS if name.startswith(incomplete)]


def skill_names(incomplete: str) -> list[str]:
    """The skill folders of the current folder that begin so. Only names are read, and nothing is checked."""
    import os

    found: dict[str, None] = {}
    for root in SKILL_ROOTS:
        try:
            found |= dict.fromkeys(sorted(os.listdir(root)))  # noqa: PTH208  # pathlib takes long to import
        except OSError:
            continue
    return [name for name in found if name.startswith(incomplete) and name.isprintable() and not name.startswith(".")]
