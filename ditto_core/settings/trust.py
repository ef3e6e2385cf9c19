"""What an untrusted project may set: behaviour and less. What widens is split off, with the reason."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from ditto_core.errors import ConfigError
from ditto_core.settings.deployment import read_permissions, read_workspace
from ditto_core.settings.environment import EnvFile, Environment
from ditto_core.settings.key_path import KeyPath, dotted
from ditto_core.settings.layers import SERVERS, Layer
from ditto_core.settings.permissions import Permissions
from ditto_core.settings.provider import BUILT_IN
from ditto_core.settings.schema import Settings
from ditto_core.settings.schema_shared import ProviderSettings
from ditto_core.settings.variables import (
    ALLOW,
    BRAVE_KEY,
    CONNECTIONS,
    MODEL,
    MODEL_PROVIDER,
    PREFIX,
    PROVIDERS,
    TRUST_PROJECT,
    WORKER_TOKEN,
    WORKSPACE,
    provider_of,
)

_NO_LIMITS = ("temperature", "topP", "topK", "seed")
"""Numbers of ditto.yaml that bound nothing."""

_REASONS = {
    PROVIDERS: "enables providers",
    TRUST_PROJECT: "counts in the process environment only",
    BRAVE_KEY: "sets the key of web search",
    WORKER_TOKEN: "sets the token of remote Workers",
}
_PROVIDER_REASONS = {
    "KIND": "sets the kind of a provider",
    "BASE_URL": "sets the address of a provider",
    "API_KEY": "sets the key of a provider",
}


class Ignored(NamedTuple):
    """A setting of an untrusted project that has no effect. `name` is a variable or a dotted key of ditto.yaml."""

    name: str
    reason: str
    where: str
    kind: Literal["grant", "key", "limit"] = "grant"


class ProjectFiles(NamedTuple):
    """The files of one folder that say something about how Ditto runs there."""

    folder: Path
    layer: Layer | None = None
    env_file: EnvFile | None = None


class ProjectSplit(NamedTuple):
    """What takes effect of a project's files, and what does not."""

    files: ProjectFiles
    ignored: tuple[Ignored, ...] = ()


class Trusted(NamedTuple):
    """Which of a project's files are the person's own word."""

    config: bool
    env_file: bool


def trusted_by_environment(process: Mapping[str, str]) -> bool:
    """Whether DITTO_TRUST_PROJECT of the process environment is the person's word for the project's files."""
    word = process.get(TRUST_PROJECT, "").strip().lower()
    if word not in ("", "0", "1", "true", "false"):
        raise ConfigError("must be 1 or 0", where=TRUST_PROJECT, key=TRUST_PROJECT)
    return word in ("1", "true")


def split_project(
    files: ProjectFiles, base: Settings, granted: Permissions, process: Mapping[str, str], *, trusted: Trusted
) -> ProjectSplit:
    """Splits a project's files. `base` and `granted` are what holds without them.

    A variable that the process environment sets too is not reported: it has no effect either way.
    """
    layer, env_file = files.layer, files.env_file
    ignored: list[Ignored] = []
    if layer and not trusted.config:
        from_yaml = list(_widening_keys(layer, base))
        layer = _without(layer, {path for path, _ in from_yaml})
        ignored += [found for _, found in from_yaml]
    if env_file and not trusted.env_file:
        from_env = list(_widening_variables(files, base, granted, process))
        env_file = _harmless(env_file, {found.name for found in from_env})
        ignored += from_env
    return ProjectSplit(ProjectFiles(files.folder, layer, env_file), tuple(ignored))


def _harmless(env_file: EnvFile, ignored: set[str]) -> EnvFile:
    return env_file.only({name for name in env_file if name.startswith(PREFIX) and name not in ignored})


def _widening_variables(
    files: ProjectFiles, base: Settings, granted: Permissions, process: Mapping[str, str]
) -> Iterator[Ignored]:
    env_file = files.env_file or EnvFile(files.folder)
    environment = Environment.layered({}, env_file)
    needed = _variables_of_servers(files.layer, base)
    raised = _raised_permissions(read_permissions(environment), granted)
    chooses_built_in = environment.get(MODEL_PROVIDER) in BUILT_IN  # a script of the project would speak as the model
    for name in environment.variables:
        if process.get(name):
            continue
        reason = f"grants {name.removeprefix(ALLOW).lower()}" if name in raised else _reason(name, needed)
        if chooses_built_in and name in (MODEL_PROVIDER, MODEL):
            reason = "chooses a built-in provider as the model"
        if name == WORKSPACE and not _inside(read_workspace(environment, files.folder), files.folder):
            reason = "is a workspace outside the project's folder"
        if reason:
            kind: Literal["key", "grant"] = "key" if "key" in reason or "token" in reason else "grant"
            yield Ignored(name, reason, env_file.where(name), kind)


def _reason(name: str, needed: frozenset[str]) -> str | None:
    if name.startswith(CONNECTIONS):
        return "sets the connection of a Worker"
    if name in needed:
        return "is given to an MCP server"
    provider = provider_of(name)
    return _PROVIDER_REASONS.get(provider[1]) if provider else _REASONS.get(name)


def _raised_permissions(wanted: Permissions, granted: Permissions) -> set[str]:
    raised = [name for name in ("read", "write", "execute") if getattr(wanted, name) and not getattr(granted, name)]
    for name in ("tools", "mcp", "skills", "network"):
        asked, held = getattr(wanted, name), getattr(granted, name) or frozenset()
        if asked is not None and "*" not in held and not asked <= held:
            raised.append(name)
    return {ALLOW + name.upper() for name in raised}


def _inside(path: Path, folder: Path) -> bool:
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _variables_of_servers(layer: Layer | None, base: Settings) -> frozenset[str]:
    names = {name for server in base.workers.interaction.mcp.servers.values() for name in server.variables()}
    if layer is not None:
        own = Settings.model_validate(layer.document.data, by_name=False, by_alias=True)
        names |= {name for server in own.workers.interaction.mcp.servers.values() for name in server.variables()}
    return frozenset(names)


def _widening_keys(layer: Layer, base: Settings) -> Iterator[tuple[KeyPath, Ignored]]:
    document, limits = layer.document, base.to_wire()
    for path, value in _leaves(document.data, ()):
        reason, kind = None, "grant"
        if path[:-1] == SERVERS and not _is_known_server(value, base, str(path[-1])):
            reason = "declares an MCP server"
        elif path[-1] == "options" and value:
            reason = "sets request options of a provider"
        elif _is_raised(path, value, limits):
            reason, kind = "raises a limit", "limit"
        if reason:
            yield path, Ignored(dotted(path), reason, document.at(path), "limit" if kind == "limit" else "grant")


def _leaves(data: Mapping[str, Any], path: KeyPath) -> Iterator[tuple[KeyPath, Any]]:
    """Every value, a server and a provider's options whole."""
    for key, value in data.items():
        here = (*path, key)
        whole = path == SERVERS or (path[:2] == ("shared", "providers") and key == "options")
        if isinstance(value, Mapping) and not whole:
            yield from _leaves(value, here)
        else:
            yield here, value


def _is_known_server(value: Any, base: Settings, name: str) -> bool:
    """A bundled server starts no foreign program; one that an earlier layer has too is not the project's."""
    return set(value) <= {"builtin", "timeoutMs"} or name in base.workers.interaction.mcp.servers


def _is_raised(path: KeyPath, value: Any, limits: Mapping[str, Any]) -> bool:
    if path[-1] in _NO_LIMITS or isinstance(value, bool) or not isinstance(value, int | None):
        return False
    held: Any = limits
    for index, part in enumerate(path):
        if index == 2 and path[:2] == ("shared", "providers") and part not in held:
            held = _provider_limits()
        else:
            held = held.get(part) if isinstance(held, Mapping) else None
    if not isinstance(held, int):
        return False
    return value is None or value > held or (path[-1] == "maxRepeats" and value == 0 < held)


def _without(layer: Layer, paths: set[KeyPath]) -> Layer:
    return layer._replace(document=layer.document._replace(data=_pruned(layer.document.data, (), paths)))


def _pruned(data: Mapping[str, Any], path: KeyPath, gone: set[KeyPath]) -> dict[str, Any]:
    return {
        key: _pruned(value, (*path, key), gone) if isinstance(value, Mapping) else value
        for key, value in data.items()
        if (*path, key) not in gone
    }


@cache
def _provider_limits() -> dict[str, Any]:
    return ProviderSettings().to_wire()
