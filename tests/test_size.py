"""Nothing grows past what a reader can hold: lines, branches, parameters, and names that say something."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("ditto_core", "ditto_cli", "tests", "examples", "benchmarks")
FILES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))

FILE_LINES = 300
FUNCTION_LINES = 60
COMPLEXITY = 10
PARAMETERS = 6
EMPTY_WORDS = frozenset(
    ("util", "utils", "helper", "helpers", "common", "manager", "managers", "handler", "handlers", "impl")
)

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def functions(text: str) -> Iterator[tuple[Function, ast.AST]]:
    """Every function of a source, nested ones and lambdas too, each with what it stands in."""
    for parent in ast.walk(ast.parse(text)):
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, Function):
                yield child, parent


def name_of(function: Function) -> str:
    """The name for a message."""
    return f"{getattr(function, 'name', 'lambda')}:{function.lineno}"


def long_functions(text: str) -> list[str]:
    """Functions of more than 60 lines, from `def` to the last line, the docstring included."""
    return [
        name_of(function)
        for function, _ in functions(text)
        if (function.end_lineno or function.lineno) - function.lineno + 1 > FUNCTION_LINES
    ]


def crowded_functions(path: Path, text: str) -> list[str]:
    """Functions of more than 6 parameters.

    `self`, `cls`, `*args` and `**kwargs` do not count, nor do the keyword-only ones of `__init__` and `__new__`.
    A public function of a file in `ditto_cli/commands` is a Typer command: its parameters are the options.
    """
    commands = path.parent.name == "commands"
    return [
        name_of(function)
        for function, parent in functions(text)
        if not (commands and isinstance(parent, ast.Module) and not name_of(function).startswith("_"))
        and _parameters(function, parent) > PARAMETERS
    ]


def _parameters(function: Function, parent: ast.AST) -> int:
    name = getattr(function, "name", "")
    takes = function.args
    count = len(takes.posonlyargs) + len(takes.args)
    if isinstance(parent, ast.ClassDef) and not _is_static(function):
        count -= 1
    return count if name in ("__init__", "__new__") else count + len(takes.kwonlyargs)


def _is_static(function: Function) -> bool:
    decorators = getattr(function, "decorator_list", [])
    return any(isinstance(decorator, ast.Name) and decorator.id == "staticmethod" for decorator in decorators)


def empty_name(path: Path) -> bool:
    """A file or folder whose name is, or ends in, a word that says nothing of what is inside."""
    return any(EMPTY_WORDS & set(part.casefold().split("_")) for part in (*path.parts[:-1], path.stem))


def tangled(*arguments: str, source: str | None = None) -> str:
    """What ruff says about functions of a cyclomatic complexity above 10; no comment can silence it."""
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--ignore-noqa", "--select=C901"]
    command += [f"--config=lint.mccabe.max-complexity={COMPLEXITY}", "--output-format=concise", "--quiet", *arguments]
    run = subprocess.run(command, input=source, capture_output=True, text=True, timeout=60, cwd=ROOT, check=False)
    assert run.returncode in (0, 1), run.stderr
    return run.stdout


def _short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_no_file_has_more_than_300_lines() -> None:
    lines = {_short(path): len(path.read_text("utf-8").splitlines()) for path in FILES}
    assert {path: count for path, count in lines.items() if count > FILE_LINES} == {}


def test_no_function_has_more_than_60_lines() -> None:
    found = {_short(path): long_functions(path.read_text("utf-8")) for path in FILES}
    assert {path: names for path, names in found.items() if names} == {}


def test_no_function_takes_more_than_6_parameters() -> None:
    found = {_short(path): crowded_functions(path, path.read_text("utf-8")) for path in FILES}
    assert {path: names for path, names in found.items() if names} == {}


def test_no_function_is_more_complex_than_10() -> None:
    assert tangled(*(folder for folder in FOLDERS if (ROOT / folder).is_dir())) == ""


def test_every_file_is_called_by_a_noun() -> None:
    assert [_short(path) for path in FILES if empty_name(path.relative_to(ROOT))] == []


def test_the_gates_read_the_real_source() -> None:
    assert len(FILES) > 40


def test_a_long_function_is_found() -> None:
    body = "    x = 1\n"
    assert long_functions("def short():\n" + body * 59) == []
    assert long_functions("class A:\n  async def long(self):\n" + body * 60) == ["long:2"]


@pytest.mark.parametrize(
    "text",
    [
        "def f(a, b, c, d, e, f, g): ...",
        "def f(a, b, c, *, d, e, f, g): ...",
        "class A:\n    def f(self, a, b, c, d, e, f, g): ...",
        "class A:\n    def __init__(self, a, b, c, d, e, f, g): ...",
        "class A:\n    @staticmethod\n    def f(a, b, c, d, e, f, g): ...",
        "g = lambda a, b, c, d, e, f, g: 1",
        "def outer():\n    async def f(a, b, c, d, e, f, g): ...",
    ],
)
def test_a_crowded_function_is_found(text: str) -> None:
    assert len(crowded_functions(Path("ditto_core/a.py"), text)) == 1


def test_what_the_house_excepts_is_not_called_crowded() -> None:
    constructor = "class A:\n    def __init__(self, a, *, b, c, d, e, f, g, h): ..."
    method = "class A:\n    def f(self, a, b, c, d, e, f): ..."
    command = "def react(a, b, c, d, e, f, g): ..."
    assert crowded_functions(Path("ditto_core/a.py"), constructor) == []
    assert crowded_functions(Path("ditto_core/a.py"), method) == []
    assert crowded_functions(Path("ditto_cli/commands/react.py"), command) == []
    assert crowded_functions(Path("ditto_cli/commands/react.py"), command.replace("react", "_react")) != []


def test_a_tangled_function_is_found_even_behind_a_noqa() -> None:
    ten = "def f(x):\n" + "".join(f"    if x == {n}:\n        return {n}\n" for n in range(9))
    eleven = ten.replace("def f(x):", "def f(x):  # noqa: C901") + "    if x:\n        return 0\n"
    assert tangled("-", source=ten) == ""
    assert "C901" in tangled("-", source=eleven)


@pytest.mark.parametrize("name", ["utils", "http_helpers", "common", "Manager", "event_handler", "base_impl"])
def test_an_empty_name_is_found(name: str) -> None:
    assert empty_name(Path(f"ditto_core/{name}.py"))
    assert empty_name(Path(f"ditto_core/{name}/a.py"))
    assert not empty_name(Path("ditto_core/contracts/message.py"))
