"""`workers.interaction.mcp`: which MCP servers there are. Commands and addresses, never a secret."""

import re
from pathlib import PurePath
from typing import Annotated, Literal, Self, TypeAlias
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field, model_validator

from ditto_core.contracts.check import After
from ditto_core.contracts.contract import Contract, Seq
from ditto_core.contracts.json import ReadOnlyDict
from ditto_core.settings.limits import GROUP, Line, Milliseconds, Section, Table, VariableName
from ditto_core.settings.origin import origin_of

_OF_PROCESS = ("args", "cwd", "env", "env_from", "sandbox")
_OF_HTTP = ("transport", "bearer_from_env", "headers_from_env")
_FOREIGN = {"builtin": _OF_PROCESS + _OF_HTTP, "command": _OF_HTTP, "url": _OF_PROCESS}
"""What a server of each kind cannot have."""

_SECRET_ENDINGS = ("key", "token", "secret", "password")


def is_secret_name(name: str) -> bool:
    """Whether the value of a variable of this name is taken for a secret."""
    return name.casefold().endswith(_SECRET_ENDINGS)


def _server_name(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", name):
        raise ValueError("a server's name is 1 to 64 letters, digits, _ and -, a letter or digit first")
    return name


def _header_name(name: str) -> str:
    if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
        raise ValueError("this is not the name of an HTTP header")
    return name


def _literal(text: str) -> str:
    if re.search(r"\$\{[^}]*\}", text):
        raise ValueError("ditto.yaml puts no variables into text (${…}): use envFrom, bearerFromEnv or headersFromEnv")
    return text


def _command(text: str) -> str:
    if "/" in text and not PurePath(text).is_absolute():
        raise ValueError("a program is a bare name, found on PATH, or an absolute path")
    return text


def _url(text: str) -> str:
    origin_of(text)
    parts = urlsplit(text)
    if "#" in text:
        raise ValueError("the address must not have a fragment")
    if any(is_secret_name(name) for name, _ in parse_qsl(parts.query, keep_blank_values=True)):
        raise ValueError("a secret does not belong in an address: use bearerFromEnv or headersFromEnv")
    return text


def _no_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not hold a NUL character")
    return text


Argument: TypeAlias = Annotated[str, After(_no_nul)]
"""Text exactly as written; it may be empty or have several lines."""

LiteralLine: TypeAlias = Annotated[Line, After(_literal)]


class McpSandboxSettings(Contract):
    """What a server's process may do; false where that is nothing.

    Paths are relative to the file that holds them, absolute, or `~/`.
    """

    network: bool = Field(False, description="Whether the process may use the network.")
    read: Seq[LiteralLine] = Field((), description="Files and folders it may read.")
    write: Seq[LiteralLine] = Field((), description="Files and folders it may change.")

    def __bool__(self) -> bool:
        return bool(self.network or self.read or self.write)


class McpServerSettings(Contract):
    """One server: exactly one of `builtin`, `command` (a process, over stdio) and `url` (over HTTP)."""

    builtin: Literal["files"] | None = Field(None, description="A server that is part of Ditto.")
    command: Annotated[LiteralLine, After(_command)] | None = Field(
        None, description="A program on PATH, or an absolute path."
    )
    args: Seq[Argument] = Field((), description="Its arguments, text each, exactly as written.")
    cwd: LiteralLine | None = Field(None, description="The folder it starts in.")
    env: Table[VariableName, Annotated[Argument, After(_literal)]] = Field(
        default_factory=ReadOnlyDict, description="Variables of the process, no secrets."
    )
    env_from: Table[VariableName, VariableName] = Field(
        default_factory=ReadOnlyDict, description="Variable of the process: name of the variable with its value."
    )
    url: Annotated[LiteralLine, After(_url)] | None = Field(None, description="http(s) address of the server.")
    transport: Literal["http", "sse"] | None = Field(
        None, description="http (streamable, the default) or sse (for old servers)."
    )
    bearer_from_env: VariableName | None = Field(None, description="Name of the variable with the bearer token.")
    headers_from_env: Table[Annotated[str, After(_header_name)], VariableName] = Field(
        default_factory=ReadOnlyDict, description="HTTP header: name of the variable with its value."
    )
    timeout_ms: Milliseconds = Field(30_000, description="Start, and each call, in milliseconds.")
    sandbox: Section[McpSandboxSettings] = GROUP

    @model_validator(mode="after")
    def _is_one_kind(self) -> Self:
        kinds = [name for name in ("builtin", "command", "url") if getattr(self, name) is not None]
        if len(kinds) != 1:
            raise ValueError("exactly one of builtin, command and url is needed")
        foreign = [name for name in _FOREIGN[kinds[0]] if getattr(self, name)]
        if foreign:
            names = ", ".join(str(type(self).model_fields[name].alias) for name in foreign)
            raise ValueError(f"{names} cannot be set for a server with {kinds[0]}")
        return self

    @model_validator(mode="after")
    def _holds_no_secret(self) -> Self:
        secret = next((name for name in self.env if is_secret_name(name)), None)
        if secret:
            raise ValueError(f"env.{secret}: a secret does not belong in ditto.yaml: use envFrom")
        return self

    def variables(self) -> tuple[str, ...]:
        """The names of the environment variables that this server is given values of."""
        bearer = (self.bearer_from_env,) if self.bearer_from_env else ()
        return (*self.env_from.values(), *bearer, *self.headers_from_env.values())


class McpSettings(Contract):
    """MCP servers by name."""

    servers: Table[Annotated[str, After(_server_name)], McpServerSettings] = Field(default_factory=ReadOnlyDict)
