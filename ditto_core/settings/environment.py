"""The two sources of variables: a process environment and a `.env` file, which are never mixed into os.environ."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ditto_core.errors import ConfigError
from ditto_core.settings.schema_mcp import is_secret_name
from ditto_core.settings.secret_text import SecretText
from ditto_core.settings.source_file import read_source

MAX_ENV_BYTES = 256 * 1024
_BLANKS = r"[^\S\r\n]{257}"
"""A run of blanks that makes python-dotenv's comment pattern quadratic. No value needs it."""

PROCESS = "environment"
"""The origin of a variable of the process environment."""


@dataclass(frozen=True, slots=True)
class EnvFile(Mapping[str, str]):
    """The variables of one `.env` file as they are written, empty ones too. Values are in no repr."""

    path: Path
    variables: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), repr=False)
    lines: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}), repr=False)

    def __getitem__(self, name: str) -> str:
        return self.variables[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.variables)

    def __len__(self) -> int:
        return len(self.variables)

    def where(self, name: str) -> str:
        """`file:line` of a variable."""
        return f"{self.path}:{self.lines[name]}" if name in self.lines else str(self.path)

    def only(self, names: set[str]) -> EnvFile:
        """The same file with these variables only."""
        kept = {name: text for name, text in self.variables.items() if name in names}
        return EnvFile(self.path, MappingProxyType(kept), self.lines)


def load_env_file(path: Path, *, optional: bool = False) -> EnvFile:
    """Reads a `.env` file with python-dotenv's grammar and no interpolation: `${…}` stays as it is written.

    A name without `=` is left out; of a name that is there twice the last one counts. Raises ConfigError with the
    file, and the line where it is known, for what python-dotenv would only log, and never with a value. A missing
    file is empty when `optional`.
    """
    text = read_source(path, MAX_ENV_BYTES)
    if text is None and not optional:
        raise ConfigError("there is no such file", where=str(path))
    if not text:
        return EnvFile(path)
    if found := re.search(_BLANKS, text):
        line = text.count("\n", 0, found.start()) + 1
        raise ConfigError("more than 256 blanks in a row", where=f"{path}:{line}")
    return _parse(text, path)


def _parse(text: str, path: Path) -> EnvFile:
    import io

    from dotenv.parser import parse_stream

    variables: dict[str, str] = {}
    lines: dict[str, int] = {}
    for binding in parse_stream(io.StringIO(text, newline="")):
        line = binding.original.line + _lines_before(binding.original.string)
        if binding.error:
            raise ConfigError(
                "this line cannot be read",
                where=f"{path}:{line}",
                hint="Write NAME=value; close every quote, and put nothing but a comment after it.",
            )
        if binding.key is not None and binding.value is not None:
            variables[binding.key] = binding.value
            lines[binding.key] = line
    return EnvFile(path, MappingProxyType(variables), MappingProxyType(lines))


def _lines_before(statement: str) -> int:
    """The parser counts blank lines before a statement as part of it."""
    blank = statement[: len(statement) - len(statement.lstrip())]
    return len(re.findall(r"\r\n|\n|\r", blank))


class Variable(NamedTuple):
    """The value that counts, where it came from (`environment` or `file:line`), and the folder it is relative to.

    No repr shows the value.
    """

    text: str
    origin: str = PROCESS
    folder: Path | None = None

    def __repr__(self) -> str:
        return f"Variable(origin={self.origin!r})"


class Environment(NamedTuple):
    """The variables that count: the process environment over the `.env` file; an empty one is unset.

    It is a snapshot, is never written to os.environ, and shows no value in its repr.
    """

    variables: Mapping[str, Variable] = MappingProxyType({})

    def __repr__(self) -> str:
        return "Environment()"

    @classmethod
    def layered(cls, process: Mapping[str, str], env_file: EnvFile | None = None) -> Environment:
        """The snapshot of a process environment (as `os.environ`) over a `.env` file."""
        variables: dict[str, Variable] = {}
        if env_file is not None:
            folder = env_file.path.absolute().parent
            for name, text in env_file.items():
                variables[name] = Variable(text, env_file.where(name), folder)
        variables.update((name, Variable(text)) for name, text in process.items() if text)
        return cls(MappingProxyType({name: value for name, value in variables.items() if value.text}))

    def get(self, name: str) -> str | None:
        """The text of a variable; None when it is unset or empty."""
        found = self.variables.get(name)
        return found.text if found else None

    def secret(self, name: str) -> SecretText | None:
        """A variable whose value must not be shown, for a server's token or header."""
        text = self.get(name)
        return None if text is None else SecretText(text)

    def origin(self, name: str) -> str:
        """Where the value came from: `environment` or `file:line`."""
        found = self.variables.get(name)
        return found.origin if found else PROCESS

    def secrets(self) -> tuple[SecretText, ...]:
        """The values of all variables whose names end in KEY, TOKEN, SECRET or PASSWORD, for redaction."""
        return tuple(SecretText(value.text) for name, value in self.variables.items() if is_secret_name(name))

    def error(self, message: str, name: str, *, hint: str | None = None) -> ConfigError:
        """An error about one variable, with the line of the file it came from."""
        origin = self.origin(name)
        where = name if origin == PROCESS else f"{origin}: {name}"
        return ConfigError(message, where=where, key=name, hint=hint)
