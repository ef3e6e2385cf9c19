"""The Markdown parser is loaded for Markdown only: it costs more than reading a README does."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import sys
from ditto_core.workers.infer.providers.offline.document import read_document
read_document(sys.argv[1], sys.argv[2])
print("markdown_it" in sys.modules)
"""


@pytest.mark.parametrize(
    ("name", "text", "loaded"),
    [
        ("a.md", "# A", "True"),
        ("README", "# A\n\n[x](y)", "True"),
        ("README", "A\n=\n", "False"),
        ("a.rst", "# A", "False"),
        ("a.txt", "# A", "False"),
        ("a.html", "<h1>A</h1>", "False"),
        ("a.py", "# A", "False"),
    ],
)
def test_the_markdown_parser_is_loaded_for_markdown_only(name: str, text: str, loaded: str) -> None:
    run = subprocess.run(
        [sys.executable, "-c", PROGRAM, name, text], capture_output=True, text=True, timeout=60, check=True
    )
    assert run.stdout.strip() == loaded
