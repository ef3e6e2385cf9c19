"""Layers of ditto.yaml: packaged, then the user's own, then the project's. Every effective value keeps its origin."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from ditto_core.settings.key_path import KeyPath
from ditto_core.settings.schema import Settings
from ditto_core.settings.schema_check import read_settings
from ditto_core.settings.yaml_document import YamlDocument
from ditto_core.settings.yaml_file import load_yaml_file

LayerName: TypeAlias = Literal["packaged", "user", "project"]

SERVERS: Final[KeyPath] = ("workers", "interaction", "mcp", "servers")
_UNIONS: Final = (("runtime", "policy", "deny"), ("runtime", "policy", "ask"))


class Origin(NamedTuple):
    """Where an effective value came from: the layer, and `file:line:column`."""

    layer: LayerName
    where: str


class Layer(NamedTuple):
    """One file of the three, checked. Its relative paths are absolute already."""

    name: LayerName
    document: YamlDocument


class MergedSettings(NamedTuple):
    """The effective settings, and the origin of each value that some file set; the others are library defaults."""

    settings: Settings
    origins: Mapping[KeyPath, Origin]

    def origin(self, path: KeyPath) -> Origin | None:
        """The origin of a value: its own, or that of the list or server it was taken with. None: a default."""
        for length in range(len(path), 0, -1):
            if path[:length] in self.origins:
                return self.origins[path[:length]]
        return None


def load_layer(name: LayerName, path: Path, *, optional: bool = True) -> Layer | None:
    """Reads and checks one file; None when it is `optional` and not there.

    The keys that are the user's own are accepted in the layer `user` only.
    """
    document = load_yaml_file(path, optional=optional)
    if document is None:
        return None
    document = anchored(document, path.absolute().parent)
    read_settings(document, user_file=name == "user")
    return Layer(name, document)


def anchored(document: YamlDocument, folder: Path) -> YamlDocument:
    """The document with its paths made absolute: relative ones from `folder`, `~/` from the home folder."""
    data = dict(document.data)
    _anchor(data, ("runtime", "network"), ("caFile",), folder)
    for server in _table(data, SERVERS):
        _anchor(data, (*SERVERS, server), ("cwd",), folder)
        _anchor(data, (*SERVERS, server, "sandbox"), ("read", "write"), folder)
    return document._replace(data=data)


def _anchor(data: dict[str, Any], group: KeyPath, names: Sequence[str], folder: Path) -> None:
    values = _table(data, group)
    changed = {name: _absolute(values[name], folder) for name in names if name in values}
    if not changed:
        return
    holder = data
    for part in group:
        holder[str(part)] = holder = dict(holder[str(part)])
    holder.update(changed)


def _absolute(value: Any, folder: Path) -> Any:
    if isinstance(value, list):
        return [_absolute(item, folder) for item in value]
    if not isinstance(value, str) or not value.strip() or "${" in value:
        return value
    if value == "~" or value.startswith("~/"):
        return os.path.expanduser(value)  # noqa: PTH111  # Path.expanduser raises where there is no home folder
    return os.path.normpath(folder / value)


def _table(data: Mapping[str, Any], path: KeyPath) -> Mapping[str, Any]:
    """The mapping at a path; empty where there is none, whatever else is there."""
    found: Any = data
    for part in path:
        found = found.get(part) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def merge_layers(layers: Sequence[Layer]) -> MergedSettings:
    """The effective settings of layers, the weakest first.

    Mappings merge key by key, other values replace; `policy.deny` and `policy.ask` are unions; an MCP server is taken
    whole from one layer. Raises ConfigError when a project redefines a server of an earlier layer.
    """
    merge = _Merge()
    for layer in layers:
        merge.add(layer)
    effective = YamlDocument("ditto.yaml", merge.data)
    return MergedSettings(read_settings(effective, user_file=True), merge.origins)


class _Merge:
    def __init__(self) -> None:
        self.data: dict[str, Any] = {}
        self.origins: dict[KeyPath, Origin] = {}

    def add(self, layer: Layer) -> None:
        self._group(self.data, layer.document.data, (), layer)

    def _group(self, base: dict[str, Any], over: Mapping[str, Any], path: KeyPath, layer: Layer) -> None:
        for key, value in over.items():
            here = (*path, key)
            if path == SERVERS:
                self._server(base, key, value, layer)
            elif here in _UNIONS:
                self._union(base, key, value, here, layer)
            elif isinstance(value, Mapping):
                self._below(base, key, value, here, layer)
            elif not (value is None and isinstance(base.get(key), Mapping) and not _is_free(path)):
                self._set(base, key, value, here, layer)

    def _below(self, base: dict[str, Any], key: str, value: Mapping[str, Any], here: KeyPath, layer: Layer) -> None:
        if not isinstance(base.get(key), dict):
            self._set(base, key, {}, here, layer)
            del self.origins[here]
        self._group(base[key], value, here, layer)

    def _server(self, base: dict[str, Any], name: str, value: Any, layer: Layer) -> None:
        here = (*SERVERS, name)
        if base.get(name) == value:
            return
        if name in base and layer.name == "project":
            raise layer.document.error(
                f"a project cannot redefine this server, which {self.origins[here].layer} settings declare",
                here,
                key=True,
                hint="Give the project's server another name.",
            )
        self._set(base, name, value, here, layer)

    def _union(self, base: dict[str, Any], key: str, value: list[Any], here: KeyPath, layer: Layer) -> None:
        rules = dict.fromkeys(base.get(key, ()))
        for index, rule in enumerate(value):
            if rule not in rules:
                self.origins[*here, len(rules)] = Origin(layer.name, layer.document.at((*here, index)))
                rules[rule] = None
        base[key] = list(rules)

    def _set(self, base: dict[str, Any], key: str, value: Any, here: KeyPath, layer: Layer) -> None:
        if key in base:
            self._forget(here)
        base[key] = value
        self.origins[here] = Origin(layer.name, layer.document.at(here))

    def _forget(self, path: KeyPath) -> None:
        for known in [known for known in self.origins if known[: len(path)] == path]:
            del self.origins[known]


def _is_free(path: KeyPath) -> bool:
    """Whether a path is inside a provider's options, where null is a value and no empty heading."""
    return path[:2] == ("shared", "providers") and "options" in path[3:4]
