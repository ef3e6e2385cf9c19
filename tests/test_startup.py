"""Which modules each command may load. Start-up time is imports, and a clock would not say which one came in."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

RECORDER = """
import sys
record, sys.argv = sys.argv[1], ["ditto", *sys.argv[2:]]
try:
    {body}
finally:
    with open(record, "w", encoding="utf-8") as file:
        file.write("\\n".join(sys.modules))
"""
MAIN = "from ditto_cli.__main__ import main; main()"

FRAMEWORK = frozenset(("typer", "typing_extensions", "annotated_doc", "shellingham"))
PYDANTIC = frozenset(("pydantic", "pydantic_core", "annotated_types", "typing_inspection"))
DATA = PYDANTIC | {"yaml", "_yaml", "cython_runtime", "_cython_3_3_1", "platformdirs", "anyio"}
"""The extension module of PyYAML brings Cython's two names along."""
RUN = DATA | {"jsonschema_rs"}
MARKDOWN = frozenset(("markdown_it", "mdurl"))
"""For the offline provider, when it answers from Markdown."""

SLOW = ("asyncio", "sqlite3", "ssl", "http.client", "importlib.metadata", "multiprocessing", "unittest")
"""Parts of the standard library that take long to import."""


@dataclass(frozen=True, slots=True)
class Call:
    """A command line, the packages it may load beside its own, and the slow standard modules it may load."""

    name: str
    arguments: tuple[str, ...]
    packages: frozenset[str]
    exit_code: int = 0
    slow: frozenset[str] = frozenset()
    env: dict[str, str] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)


README = {"README.md": "# Tea\n\nGreen tea is steeped for two minutes. Black tea takes four.\n"}
COMPLETION = {"_DITTO_COMPLETE": "complete_bash", "COMP_WORDS": "ditto re", "COMP_CWORD": "1"}
BROKEN = {"ditto.yaml": "runtime: { timeoutMs: soon }\n"}
PLUGINS = frozenset(("importlib.metadata",))
"""pydantic looks for its plug-ins with it when the first model is built."""
LOOP = PLUGINS | {"asyncio", "ssl"}
"""asyncio imports ssl by itself."""

CALLS = (
    Call("version", ("--version",), frozenset()),
    Call("help", ("--help",), FRAMEWORK),
    Call("completion", (), FRAMEWORK, env=COMPLETION),
    Call("usage error", ("no-such-command",), FRAMEWORK | PYDANTIC, exit_code=2, slow=PLUGINS),
    Call("configuration error", ("react", "x"), FRAMEWORK | DATA, exit_code=6, slow=PLUGINS, files=BROKEN),
    Call(
        "tool",
        ("tool", "read_text", "--path", "README.md"),
        FRAMEWORK | RUN,
        slow=LOOP,
        files=README,
    ),
    Call("react", ("react", "summarize README.md"), FRAMEWORK | RUN | MARKDOWN, slow=LOOP, files=README),
)


def modules_of(body: str, arguments: tuple[str, ...], folder: Path, env: dict[str, str]) -> tuple[set[str], int, str]:
    """The modules of a fresh interpreter after `body`, its exit code, and what it wrote to stderr."""
    record = folder / "modules"
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    run = subprocess.run(
        [sys.executable, "-c", RECORDER.format(body=body), str(record), *arguments],
        cwd=folder,
        env={**kept, "HOME": str(folder), **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert record.exists(), f"the process left without its exit handlers: {run.stderr}"
    loaded = set(record.read_text("utf-8").split("\n"))
    record.unlink()
    return loaded, run.returncode, run.stderr


@cache
def _bare(folder: Path) -> frozenset[str]:
    return frozenset(modules_of("pass", (), folder, {})[0])


def strangers(loaded: set[str], packages: frozenset[str]) -> set[str]:
    """The packages among the modules that are neither of the standard library, nor ours, nor allowed."""
    tops = {name.partition(".")[0] for name in loaded if not name.startswith("_sysconfigdata_")}
    return tops - sys.stdlib_module_names - packages - {"ditto_core", "ditto_cli"}


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call.name)
def test_a_command_loads_only_what_it_may(call: Call, tmp_path: Path) -> None:
    for name, text in call.files.items():
        (tmp_path / name).write_text(text, "utf-8")
    loaded, code, stderr = modules_of(MAIN, call.arguments, tmp_path, call.env)
    assert code == call.exit_code, stderr
    fresh = loaded - _bare(tmp_path)
    assert strangers(fresh, call.packages) == set()
    assert fresh & set(SLOW) - call.slow == set()


def test_the_version_needs_nothing_but_a_constant(tmp_path: Path) -> None:
    loaded, _, _ = modules_of(MAIN, ("--version",), tmp_path, {})
    ours = {name for name in loaded if name.partition(".")[0] in ("ditto_core", "ditto_cli")}
    assert ours == {"ditto_cli", "ditto_cli.__main__", "ditto_core", "ditto_core.version"}


@pytest.mark.parametrize("call", CALLS[1:3], ids=lambda call: call.name)
def test_help_and_completion_import_no_command_and_none_of_the_core_but_constants(call: Call, tmp_path: Path) -> None:
    loaded, _, _ = modules_of(MAIN, call.arguments, tmp_path, call.env)
    core = {name for name in loaded if name.startswith("ditto_core.")}
    assert core <= {"ditto_core.version", "ditto_core.errors", "ditto_core.nearest"}
    assert {name for name in loaded if name.startswith("ditto_cli.commands.")} == set()


def test_the_guard_sees_what_is_loaded(tmp_path: Path) -> None:
    loaded, code, _ = modules_of("import asyncio, pydantic.fields, ditto_core", (), tmp_path, {})
    assert code == 0
    assert "pydantic" in strangers(loaded - _bare(tmp_path), FRAMEWORK)
    assert strangers(loaded - _bare(tmp_path), FRAMEWORK | DATA) == set()
    assert "asyncio" in loaded
