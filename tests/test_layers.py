"""Imports go one way, cycles do not exist, and heavy or private libraries have one door each.

Imports are read from the syntax tree, so one that hides in a function or under TYPE_CHECKING counts like any other.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

LAYERS = (
    ("errors", "nearest", "version"),
    ("contracts",),
    ("settings",),
    ("sandbox",),
    ("http",),
    ("runtime",),
    ("workers",),
    ("flows",),
    ("adapters",),
)
RANK = {folder: rank for rank, folders in enumerate(LAYERS) for folder in folders}

FACADES = frozenset(("ditto_core",))
"""Loads its names on first use, from everywhere; nothing in the core imports it back."""

STRANGERS = (
    ("ditto_core.workers.context", "ditto_core.workers.infer"),
    ("ditto_core.workers.context", "ditto_core.workers.interaction"),
    ("ditto_core.workers.infer", "ditto_core.workers.interaction"),
    ("ditto_core.workers", "ditto_core.flows"),
)
"""Parts that know the Worker and Runtime interfaces, but not each other, in either direction."""

ASSEMBLED = ("ditto_core.http", "ditto_core.workers", "ditto_core.adapters")
"""What is put together in one place of the command line."""

VIEWS_KNOW = (
    "ditto_core.contracts",
    "ditto_core.errors",
    "ditto_core.sandbox.text",
    "ditto_cli.exits",
    "ditto_cli.streams",
    "ditto_cli.views",
)
"""What is shown, how it is made safe for a terminal, and where it is written."""

DOORS = {"httpx2": "ditto_core.http", "mcp": "ditto_core.adapters"}
NOWHERE = ("click", "typer._click", "httpx", "unittest.mock", "mock", "pytest_mock")


@dataclass(frozen=True, slots=True)
class Import:
    """`source` imports `target`, both dotted module names."""

    source: str
    target: str
    line: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line} imports {self.target}"


def python_files(*folders: str) -> dict[str, str]:
    """Source by dotted module name."""
    found = {}
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path.read_text("utf-8")
    return found


def imports_of(sources: Mapping[str, str]) -> list[Import]:
    """Every import of every module. `from package import module` counts as an import of the module."""
    packages = {name.rpartition(".")[0] for name in sources} | {"ditto_core", "ditto_cli"}
    found: list[Import] = []
    for source, text in sources.items():
        package = source if source in packages else source.rpartition(".")[0]
        for node in ast.walk(ast.parse(text)):
            line = getattr(node, "lineno", 0)
            found += [Import(source, target, line) for target in _targets(node, package, sources)]
    return found


def _targets(node: ast.AST, package: str, sources: Mapping[str, str]) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=module, names=names, level=level):
            base = _absolute(module or "", package, level)
            for alias in names:
                inner = f"{base}.{alias.name}"
                yield inner if inner in sources or inner in NOWHERE else base
        case ast.Call(func=ast.Name(id="import_module" | "__import__"), args=[ast.Constant(value=str(name)), *_]):
            yield name
        case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(value=str(name)), *_]):
            yield name
        case _:
            return


def _absolute(module: str, package: str, level: int) -> str:
    if level == 0:
        return module
    parts = package.split(".")
    base = parts[: len(parts) - level + 1]
    return ".".join([*base, module] if module else base)


def is_in(module: str, *packages: str) -> bool:
    """Whether a module is one of the packages or inside one."""
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _folder(module: str) -> str:
    return module.removeprefix("ditto_core.").partition(".")[0]


def against_the_order(found: Import) -> bool:
    """An import within the core from a later folder, a neighbour of the same rank, or outside the layout."""
    if found.source in FACADES or not is_in(found.source, "ditto_core"):
        return False
    if not is_in(found.target, "ditto_core", "ditto_cli"):
        return False
    here, there = _folder(found.source), _folder(found.target)
    if not is_in(found.target, "ditto_core") or there not in RANK or here not in RANK:
        return True
    return here != there and RANK[there] >= RANK[here]


def between_strangers(found: Import) -> bool:
    """Two parts that must not know each other."""
    return any(
        (is_in(found.source, one) and is_in(found.target, other))
        or (is_in(found.source, other) and is_in(found.target, one))
        for one, other in STRANGERS
    )


def knows_too_much(found: Import) -> bool:
    """A module of the command line that reaches for what only `assembly` puts together, or a view beyond its data."""
    if not is_in(found.source, "ditto_cli") or not is_in(found.target, "ditto_core", "ditto_cli"):
        return False
    if is_in(found.source, "ditto_cli.views"):
        return not is_in(found.target, *VIEWS_KNOW)
    return found.source != "ditto_cli.assembly" and is_in(found.target, *ASSEMBLED)


def between_commands(found: Import) -> bool:
    """A command that imports another, or anything but the table of commands that imports one."""
    if not is_in(found.target, "ditto_cli.commands") or found.target == "ditto_cli.commands":
        return False
    return found.source != "ditto_cli.app" and found.source.rpartition(".")[0] != found.target


def past_the_door(found: Import) -> bool:
    """A library imported where it must not be."""
    if is_in(found.target, *NOWHERE):
        return True
    door = DOORS.get(found.target.partition(".")[0])
    return door is not None and is_in(found.source, "ditto_core", "ditto_cli") and not is_in(found.source, door)


def cycle_in(imports: list[Import]) -> list[str]:
    """One import cycle as the modules along it, or nothing. A facade is left out: it imports on first use."""
    graph: dict[str, set[str]] = {}
    for found in imports:
        if found.source not in FACADES and found.source != found.target:
            graph.setdefault(found.source, set()).add(found.target)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        return cycle
    return []


SOURCE = imports_of(python_files("ditto_core", "ditto_cli"))
OTHERS = imports_of(python_files("tests", "examples", "benchmarks"))


def _wrong(rule: object, imports: list[Import]) -> list[str]:
    assert callable(rule)
    return [str(found) for found in imports if rule(found)]


def test_folders_import_only_from_folders_before_them() -> None:
    assert _wrong(against_the_order, SOURCE) == []


def test_workers_and_flows_do_not_know_each_other() -> None:
    assert _wrong(between_strangers, SOURCE) == []


def test_only_assembly_knows_everything_and_views_know_only_data() -> None:
    assert _wrong(knows_too_much, SOURCE) == []


def test_commands_do_not_import_each_other() -> None:
    assert _wrong(between_commands, SOURCE) == []


def test_libraries_are_imported_only_through_their_door_and_mocks_nowhere() -> None:
    assert _wrong(past_the_door, SOURCE + OTHERS) == []


def test_there_is_no_import_cycle() -> None:
    assert cycle_in(SOURCE) == []


def test_the_gates_read_the_real_source() -> None:
    assert len({found.source for found in SOURCE}) > 20
    assert any(found.target == "ditto_core.errors" for found in SOURCE)


@pytest.mark.parametrize(
    ("rule", "module", "text"),
    [
        (against_the_order, "ditto_core.contracts.a", "from ditto_core.settings.load import x"),
        (against_the_order, "ditto_core.runtime.a", "def f():\n    from ditto_core.flows import react"),
        (against_the_order, "ditto_core.sandbox.a", "from ..flows.tool import run"),
        (against_the_order, "ditto_core.errors", "from ditto_core import nearest"),
        (against_the_order, "ditto_core.workers.a", "import ditto_cli.app"),
        (against_the_order, "ditto_core.runtime.a", "from ditto_core import Ditto"),
        (against_the_order, "ditto_core.surprise.a", "import ditto_core.errors"),
        (against_the_order, "ditto_core.errors", "import importlib\nimportlib.import_module('ditto_core.flows.tool')"),
        (between_strangers, "ditto_core.workers.infer.a", "import ditto_core.workers.context.worker"),
        (between_strangers, "ditto_core.workers.context.a", "from ..interaction.worker import x"),
        (between_strangers, "ditto_core.flows.react", "from ditto_core.workers.infer import worker"),
        (knows_too_much, "ditto_cli.commands.a", "from ditto_core.workers.infer.worker import x"),
        (knows_too_much, "ditto_cli.views.a", "from ditto_core.runtime.runtime import Ditto"),
        (knows_too_much, "ditto_cli.views.a", "from ditto_cli.session import x"),
        (between_commands, "ditto_cli.commands.a", "from ditto_cli.commands.b import x"),
        (past_the_door, "ditto_core.runtime.a", "import httpx2"),
        (past_the_door, "ditto_cli.assembly", "from mcp.client.stdio import stdio_client"),
        (past_the_door, "ditto_cli.app", "from typer import _click"),
        (past_the_door, "ditto_cli.app", "import click.shell_completion"),
        (past_the_door, "tests.test_a", "from unittest import mock"),
        (past_the_door, "tests.test_a", "def f():\n    from unittest.mock import patch"),
    ],
)
def test_a_violation_is_found(rule: object, module: str, text: str) -> None:
    known = {"ditto_core.nearest": "", "ditto_core.flows.react": "", "ditto_cli.commands.b": ""}
    assert _wrong(rule, imports_of({**known, module: text})) != []


def test_a_cycle_is_found_even_when_half_of_it_hides_in_a_function() -> None:
    sources = {
        "ditto_core.a": "from ditto_core import b",
        "ditto_core.b": "def f():\n    import ditto_core.c",
        "ditto_core.c": "from .a import x",
    }
    assert set(cycle_in(imports_of(sources))) == set(sources)
