"""Whatever a user can type, set or meet is written down, and what is written down exists."""

from __future__ import annotations

import ast
import re
import shlex
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from ditto_core.contracts.events import Event
from ditto_core.settings import variables
from ditto_core.settings.load import load_runtime_config_file
from ditto_core.settings.schema import Settings

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
SOURCES = sorted([*(ROOT / "ditto_core").rglob("*.py"), *(ROOT / "ditto_cli").rglob("*.py")])

CODE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")
LISTED_CODES = re.compile(r"Error codes?: ([A-Z0-9_,\s]+)\.")
VARIABLE = re.compile(r"DITTO_[A-Z0-9_]*[A-Z0-9]")
FENCE = re.compile(r"^```(console|bash|sh)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def documents() -> str:
    """The README and the pages of docs/, without the decisions."""
    return "\n".join(path.read_text("utf-8") for path in [README, *sorted((ROOT / "docs").glob("*.md"))])


def absent(words: set[str], text: str) -> list[str]:
    """The words that a text does not hold, whole and in this spelling."""
    return sorted(word for word in words if not re.search(rf"(?<![\w.]){re.escape(word)}(?![\w]|\.\w)", text))


def error_codes(source: str) -> set[str]:
    """The codes a module names: of a class, of a call, in a pair with a sentence, or listed as "Error codes: X, Y."."""
    found: set[object] = set()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str(code))):
                found.add(code)
            case ast.keyword(arg="code", value=ast.Constant(value=str(code))):
                found.add(code)
            case ast.Call(func=ast.Name(id="ToolError" | "SandboxFileError"), args=[ast.Constant(value=code), *_]):
                found.add(code)
            case ast.Tuple(elts=[ast.Constant(value=code), ast.Constant(value=str(text))]) if " " in text:
                found.add(code)
            case ast.Constant(value=str(text)) if listed := LISTED_CODES.search(text):
                found |= set(CODE.findall(listed[1]))
            case _:
                continue
    return {code for code in found if isinstance(code, str) and CODE.fullmatch(code)}


def settings_of(schema: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """The path of every setting of a JSON Schema; `*` stands for a name that the user chooses."""
    yield from _leaves(schema, schema.get("$defs", {}), ())


def _leaves(schema: dict[str, Any], types: dict[str, Any], path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    schema = types[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema
    inside = [leaf for name, inner in _children(schema) for leaf in _leaves(inner, types, (*path, name))]
    inside += [leaf for inner in schema.get("anyOf", []) for leaf in _leaves(inner, types, path) if leaf != path]
    yield from [leaf for leaf in inside if leaf[-1] != "*"] or [path]


def _children(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from schema.get("properties", {}).items()
    if isinstance(extra := schema.get("additionalProperties"), dict):
        yield "*", extra


def unexplained(paths: list[tuple[str, ...]], example: str) -> dict[str, int]:
    """Keys that an example (comments included) shows less often, as `key:`, than there are settings of that name."""
    wanted = Counter(path[-1] for path in paths)
    shown = Counter(re.findall(r"([A-Za-z][A-Za-z0-9]*)\s*:", example))
    return dict(wanted - shown)


def ditto_commands(markdown: str) -> list[list[str]]:
    """The arguments of every `ditto` call in a document's shell blocks; of a console block only its `$` lines count."""
    found: list[list[str]] = []
    for kind, block in FENCE.findall(markdown):
        for line in block.replace("\\\n", " ").splitlines():
            if kind == "console" and not line.startswith("$ "):
                continue
            found += _calls(line.removeprefix("$ "))
    return found


def _calls(line: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words: list[str] = []
    for word in [*lexer, ";"]:
        if not set(word) <= set("();<>|&"):
            words.append(word)
            continue
        while words and re.match(r"\w+=", words[0]):
            words.pop(0)
        if words and Path(words[0]).name == "ditto":
            yield words[1:]
        words = ["redirected"] if set(word) <= set("<>") else []


@cache
def help_of(*arguments: str) -> str:
    """What the real command line prints for a call with `--help` after it. The options of the call are parsed, too."""
    command = [sys.executable, "-m", "ditto_cli", *arguments, "--help"]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=60, cwd=ROOT, stdin=subprocess.DEVNULL, check=False
    )
    return run.stdout if run.returncode == 0 else f"exit {run.returncode}: {run.stderr}"


def unknown_options(arguments: list[str], shown: str) -> list[str]:
    """The options of a call that a help text does not show."""
    before = arguments[: arguments.index("--")] if "--" in arguments else arguments
    options = [word.partition("=")[0] for word in before if re.match(r"--?[A-Za-z]", word)]
    return [option for option in options if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", shown)]


def test_every_command_is_documented() -> None:
    from ditto_cli.app import COMMANDS

    assert absent({f"ditto {name}" for name in COMMANDS}, documents()) == []


def test_every_exit_code_stands_in_the_readme_beside_its_reason() -> None:
    from ditto_cli.exits import EXITS

    lines = README.read_text("utf-8").splitlines()
    bare = [c for c, why in EXITS.items() if not any(re.search(rf"\b{c}\b", line) and why in line for line in lines)]
    assert bare == []


def test_every_error_code_is_documented() -> None:
    codes = {code for path in SOURCES for code in error_codes(path.read_text("utf-8"))}
    assert len(codes) > 30
    assert absent(codes, documents()) == []


def test_every_event_is_documented() -> None:
    tags = {str(event.model_fields["type"].default) for event in get_args(Event)}
    assert "run.completed" in tags
    assert absent(tags, documents()) == []


def test_every_setting_stands_in_the_example() -> None:
    settings = list(settings_of(Settings.model_json_schema(by_alias=True)))
    assert ("runtime", "react", "maxRepeats") in settings
    assert ("shared", "providers", "*", "timeouts", "idleMs") in settings
    assert unexplained(settings, (ROOT / "ditto.yaml").read_text("utf-8")) == {}


def test_the_example_configuration_is_valid() -> None:
    assert load_runtime_config_file(ROOT / "ditto.yaml", {}).warnings == ()


def _variables() -> set[str]:
    constants = (
        node.value
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant)
    )
    written = {text for text in constants if isinstance(text, str) and VARIABLE.fullmatch(text)}
    return written | set(variables.FIXED)


def test_every_variable_stands_in_the_example() -> None:
    example = (ROOT / ".env.example").read_text("utf-8")
    assert "DITTO_SHARED_SANDBOX_ALLOW_READ" in _variables()
    assert absent(_variables(), example) == []
    provided = {found for name in VARIABLE.findall(example) if (found := variables.provider_of(name))}
    assert {field for _, field in provided} == set(variables.PROVIDER_FIELDS)


@pytest.mark.parametrize(
    "path", [ROOT / ".env.example", README, *sorted((ROOT / "docs").glob("*.md"))], ids=lambda p: p.name
)
def test_no_document_names_a_variable_that_does_not_exist(path: Path) -> None:
    named = set(VARIABLE.findall(path.read_text("utf-8"))) - {"DITTO_REQUIRE_TOOLS"}
    prefixes = (
        "DITTO_SHARED_PROVIDER",
        *(prefix.rstrip("_") for prefix in variables.CONNECTIONS),
        variables.ALLOW.rstrip("_"),
    )
    assert {name for name in named - _variables() if name not in prefixes and not variables.provider_of(name)} == set()


def test_the_readme_has_the_two_set_up_commands_where_the_checks_look_for_them() -> None:
    found = dict(
        re.findall(r"^<!-- (first|test) command -->\n```\w*\n(.+)\n```$", README.read_text("utf-8"), re.MULTILINE)
    )
    assert set(found) == {"first", "test"}
    assert "ditto react" in found["first"]
    assert found["test"].endswith("-m pytest")


def test_every_command_in_the_readme_is_accepted_by_the_command_line() -> None:
    calls = ditto_commands(README.read_text("utf-8"))
    assert calls
    assert [call for call in calls if help_of(*call).startswith("exit ")] == []
    assert [call for call in calls if unknown_options(call, help_of(*call) + help_of())] == []


def test_a_command_that_does_not_exist_is_noticed() -> None:
    assert help_of("no-such-command").startswith("exit 2")
    assert help_of("react", "x", "--no-such-option").startswith("exit 2")
    assert unknown_options(["react", "x", "--nope=1", "--", "--data"], "--nope-not  --data") == ["--nope"]


def test_calls_are_found_in_shell_blocks_only() -> None:
    text = (
        "ditto not-this\n"
        "```console\n$ A=1 .venv/bin/ditto react 'a b' > x && cat x | ditto tool list\nditto 0.1.0\n```\n"
        "```bash\nditto \\\n  --version # why\n```\n```yaml\nditto: no\n```\n"
    )
    assert ditto_commands(text) == [["react", "a b"], ["tool", "list"], ["--version"]]


def test_a_gap_in_the_documents_is_noticed() -> None:
    assert absent({"run.completed", "retry"}, "the event `run.completed`.") == ["retry"]
    assert absent({"NOT_FOUND"}, "PROVIDER_NOT_FOUND and NOT_FOUND_X") == ["NOT_FOUND"]
    assert unexplained([("a", "timeoutMs"), ("b", "timeoutMs")], "# timeoutMs: 1 of the") == {"timeoutMs": 1}


def test_codes_are_read_from_every_place_that_names_one() -> None:
    source = (
        '"""Error codes: A_B, CD,\nEF."""\nclass X:\n    code = "GH"\nraise Y("m", code="IJ") from ToolError("KL", "m")'
    )
    assert error_codes(source) == {"A_B", "CD", "EF", "GH", "IJ", "KL"}
