"""From files and variables to one RuntimeConfig. Nothing is read before a function here is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from ditto_core.errors import ConfigError
from ditto_core.settings.deployment import read_key, read_permissions, read_providers, read_text, read_workspace
from ditto_core.settings.environment import Environment, load_env_file
from ditto_core.settings.layers import MergedSettings, anchored, load_layer, merge_layers
from ditto_core.settings.permissions import Permissions
from ditto_core.settings.provider import BUILT_IN, DEFAULT_KIND, ProviderConfig
from ditto_core.settings.runtime_config import ModelDefault, RuntimeConfig
from ditto_core.settings.schema import Settings
from ditto_core.settings.schema_check import read_settings
from ditto_core.settings.trust import Ignored, ProjectFiles, Trusted, split_project
from ditto_core.settings.variables import (
    BRAVE_KEY,
    LABEL,
    MODEL,
    MODEL_PROVIDER,
    PROVIDERS,
    WORKER_TOKEN,
    provider_variable,
    unknown_variables,
)
from ditto_core.settings.yaml_file import load_yaml_file


def load_runtime_config_file(path: Path, env: Mapping[str, str] | Environment) -> RuntimeConfig:
    """The configuration of one ditto.yaml and an environment. Raises ConfigError with file, line and key.

    Keys that are the user's own (`runtime.network`, `runtime.sandbox.minLevel`) are refused: an application that
    needs them passes its own `Settings` to `load_runtime_config`.
    """
    document = load_yaml_file(path)
    if document is None:
        raise ConfigError("there is no such file", where=str(path))
    return load_runtime_config(env, read_settings(anchored(document, path.absolute().parent)))


def load_runtime_config(
    env: Mapping[str, str] | Environment,
    settings: Settings | None = None,
    *,
    folder: Path | None = None,
    ignored: tuple[Ignored, ...] = (),
) -> RuntimeConfig:
    """The configuration of an environment and settings. `folder` (default: the current one) is the default workspace.

    Raises ConfigError with the variable's name, never with its value.
    """
    environment = env if isinstance(env, Environment) else Environment.layered(env)
    settings = settings or Settings()
    providers = read_providers(environment)
    _check_kinds(providers, settings)
    return RuntimeConfig(
        settings=settings,
        providers=MappingProxyType(providers),
        model=_default_model(environment, providers, ignored),
        permissions=read_permissions(environment),
        workspace=read_workspace(environment, folder or Path.cwd()),
        label=read_text(environment, LABEL),
        brave_search_api_key=read_key(environment, BRAVE_KEY),
        http_worker_token=read_key(environment, WORKER_TOKEN),
        environment=environment,
        ignored=ignored,
        warnings=(*_unset_addresses(environment, providers), *_unknown(environment, providers, ignored)),
    )


def _default_model(
    environment: Environment, providers: Mapping[str, ProviderConfig], ignored: tuple[Ignored, ...]
) -> ModelDefault | None:
    provider, model = read_text(environment, MODEL_PROVIDER), read_text(environment, MODEL)
    if provider is None and model is None:
        return None
    if provider is None or model is None:
        missing, given = (MODEL_PROVIDER, MODEL) if provider is None else (MODEL, MODEL_PROVIDER)
        raise environment.error(f"{missing} is not set, and the default model needs both", given)
    awaits_trust = any(item.name == PROVIDERS for item in ignored)
    if provider not in (*providers, *BUILT_IN) and not awaits_trust:
        raise environment.error(f"the provider {provider[:60]!r} is not enabled in {PROVIDERS}", MODEL_PROVIDER)
    return ModelDefault(provider, model)


def _check_kinds(providers: Mapping[str, ProviderConfig], settings: Settings) -> None:
    for name, behaviour in settings.shared.providers.items():
        kind = providers[name].kind if name in providers else DEFAULT_KIND
        if kind != DEFAULT_KIND and (behaviour.max_tokens_field is not None or behaviour.stream_usage is not None):
            raise ConfigError(
                f"maxTokensField and streamUsage belong to the kind {DEFAULT_KIND}, and {name} is {kind}",
                where=f"shared.providers.{name}",
                key=f"shared.providers.{name}",
            )


def _unset_addresses(environment: Environment, providers: Mapping[str, ProviderConfig]) -> Iterator[str]:
    for name, provider in providers.items():
        given = (environment.get(provider_variable(name, field)) for field in ("KIND", "BASE_URL"))
        if name != "openai" and not any(given):
            variable = provider_variable(name, "BASE_URL")
            yield f"{variable} is not set: the provider {name} is taken to be at {provider.base_url}"


def _unknown(
    environment: Environment, providers: Mapping[str, ProviderConfig], ignored: tuple[Ignored, ...]
) -> list[str]:
    known = {item.name for item in ignored}
    if PROVIDERS in known:
        known |= {name for name in environment.variables if name.startswith("DITTO_SHARED_PROVIDER_")}
    return unknown_variables(set(environment.variables) - known, providers)


class ConfigSources(NamedTuple):
    """Where a command line finds its configuration. `config` and `env_file` are files that a person named, so they
    must exist; without one, `ditto.yaml` and `.env` of `folder` count when they are there.
    """

    folder: Path
    packaged: Path | None = None
    user: Path | None = None
    config: Path | None = None
    env_file: Path | None = None


class LayeredConfig(NamedTuple):
    """The configuration, the origin of its settings, and the project's files as they are."""

    config: RuntimeConfig
    merged: MergedSettings
    project: ProjectFiles


def load_layered_config(
    sources: ConfigSources, process: Mapping[str, str], granted: Permissions, *, trusted: bool
) -> LayeredConfig:
    """packaged → user → project → environment. `granted` is what holds without the project; see `split_project`.

    A file that the person named counts as trusted, whatever `trusted` says of the folder's own files.
    """
    packaged = load_layer("packaged", sources.packaged, optional=False) if sources.packaged else None
    user = load_layer("user", sources.user) if sources.user else None
    project = ProjectFiles(
        sources.folder,
        load_layer("project", sources.config or sources.folder / "ditto.yaml", optional=sources.config is None),
        load_env_file(sources.env_file or sources.folder / ".env", optional=sources.env_file is None),
    )
    own = [layer for layer in (packaged, user) if layer]
    base = merge_layers(own)
    word = Trusted(config=trusted or bool(sources.config), env_file=trusted or bool(sources.env_file))
    split = split_project(project, base.settings, granted, process, trusted=word)
    merged = merge_layers([*own, split.files.layer]) if split.files.layer else base
    environment = Environment.layered(process, split.files.env_file)
    config = load_runtime_config(environment, merged.settings, folder=sources.folder, ignored=split.ignored)
    return LayeredConfig(config, merged, project)
