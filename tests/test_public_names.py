"""What `ditto_core` offers is exactly what it says, is documented, and costs nothing until it is used."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest

import ditto_core

PACKAGE = Path(ditto_core.__file__).parent
NAMES: list[str] = vars(ditto_core)["__all__"]
HEAVY = ("pydantic", "anyio", "asyncio", "typer", "yaml", "jsonschema_rs", "rich", "httpx2", "mcp", "dotenv")


def names_in_stub(text: str) -> dict[str, str]:
    """What a stub exports: module by name, from its `from module import X as X` lines."""
    return {
        alias.name: str(node.module)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }


def undocumented(values: Mapping[str, object]) -> list[str]:
    """The classes and functions without a docstring of their own, public methods included."""
    found = []
    for name, value in values.items():
        if not inspect.isclass(value) and not inspect.isroutine(value):
            continue
        if not (vars(value) if inspect.isclass(value) else {"__doc__": value.__doc__}).get("__doc__"):
            found.append(name)
        if inspect.isclass(value):
            methods = {f"{name}.{key}": each for key, each in vars(value).items() if not key.startswith("_")}
            own = {key: each for key, each in methods.items() if _is_named(each)}
            found += [key for key, each in own.items() if not each.__doc__ and _is_ours(each)]
    return found


def _is_named(value: object) -> bool:
    """A function under a name of its own, not a private one that stands in for several."""
    return inspect.isfunction(value) and not value.__name__.startswith("_")


def _is_ours(function: object) -> bool:
    return str(getattr(function, "__module__", "")).startswith(("ditto_core", __name__))


def test_every_public_name_is_there() -> None:
    missing = [name for name in NAMES if getattr(ditto_core, name, None) is None]
    assert missing == []


def test_dir_shows_the_public_names_and_each_once() -> None:
    assert sorted(dir(ditto_core)) == sorted(set(NAMES))
    assert len(NAMES) == len(set(NAMES))


def test_type_checkers_read_the_same_names_from_the_same_modules() -> None:
    stub = names_in_stub((PACKAGE / "__init__.pyi").read_text("utf-8"))
    assert sorted(stub) == sorted(NAMES)
    strays = {
        name: module
        for name, module in stub.items()
        if getattr(import_module(module), name) is not getattr(ditto_core, name)
    }
    assert strays == {}


def test_a_class_or_function_is_offered_from_the_module_that_defines_it() -> None:
    stub = names_in_stub((PACKAGE / "__init__.pyi").read_text("utf-8"))
    values = {name: getattr(ditto_core, name) for name in stub}
    homes = {name: value.__module__ for name, value in values.items() if inspect.isclass(value)}
    assert {name: home for name, home in homes.items() if home != stub[name]} == {}


def test_every_public_name_is_documented() -> None:
    assert undocumented({name: getattr(ditto_core, name) for name in NAMES}) == []


def test_every_error_that_is_raised_on_purpose_is_public() -> None:
    from ditto_core import errors

    ours = {
        name
        for name, value in vars(errors).items()
        if inspect.isclass(value) and issubclass(value, errors.DittoError) and not name.startswith("_")
    }
    assert ours - set(NAMES) == set()


def test_a_misspelt_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no name 'Dito'"):
        getattr(ditto_core, "Dito")  # noqa: B009  # a type checker refuses the plain spelling, as it should


def test_both_packages_say_that_they_are_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert (PACKAGE.parent / "ditto_cli" / "py.typed").is_file()


def loaded_by(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after a statement."""
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    return set(run.stdout.split())


def test_importing_the_library_imports_nothing_heavy() -> None:
    loaded = loaded_by("import ditto_core, ditto_cli")
    assert loaded & set(HEAVY) == set()
    assert {name for name in loaded if name.startswith("ditto_core.")} == set()


def test_the_guard_sees_what_a_public_name_loads() -> None:
    assert {"pydantic", "ditto_core.contracts.message"} <= loaded_by("from ditto_core import Message")


def test_a_missing_docstring_is_found() -> None:
    class Bare:
        def method(self) -> None: ...

    class Described:
        """Has words."""

        def method(self) -> None:
            """So has this."""

    assert undocumented({"Bare": Bare, "Described": Described}) == ["Bare", "Bare.method"]
    assert undocumented({"loaded_by": loaded_by, "bare": lambda: None}) == ["bare"]


def test_a_name_that_is_imported_but_not_exported_is_not_taken_for_public() -> None:
    assert names_in_stub("from a.b import X as X, Y, Z as W") == {"X": "a.b"}
