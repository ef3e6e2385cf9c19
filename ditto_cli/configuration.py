"""Where a command line finds its configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ditto_cli.grants import permissions
from ditto_cli.options import Globals
from ditto_core.errors import ConfigError
from ditto_core.sandbox.policy import READ_ONLY
from ditto_core.settings.load import ConfigSources, LayeredConfig, load_layered_config
from ditto_core.settings.trust import trusted_by_environment


def load_config(options: Globals) -> LayeredConfig:
    """packaged → user → project → environment → flags. Raises ConfigError."""
    sources = ConfigSources(
        folder=folder_of(options),
        packaged=packaged("ditto.yaml"),
        user=user_file(),
        config=Path(options.config) if options.config else None,
        env_file=Path(options.env_file) if options.env_file else None,
    )
    trusted = is_trusted(options, os.environ)
    return load_layered_config(sources, os.environ, permissions(READ_ONLY), trusted=trusted)


def is_trusted(options: Globals, process: Mapping[str, str]) -> bool:
    """Whether the person trusts the files of the project. Raises ConfigError."""
    return bool(options.trust_project) or trusted_by_environment(process)


def folder_of(options: Globals) -> Path:
    """The folder of `-C`, else the current one, absolute. Raises ConfigError."""
    folder = Path(options.workspace or ".").absolute()
    if not folder.is_dir():
        raise ConfigError("there is no such folder", where=f"--workspace {options.workspace}")
    return folder


def packaged(name: str) -> Path:
    """A file that travels in the package: `ditto.yaml` or `env.example`. A source checkout has them at its top."""
    inside = Path(__file__).parent / "packaged" / name
    return inside if inside.exists() else Path(__file__).parent.parent / name.replace("env.example", ".env.example")


def user_file() -> Path:
    """The user's own ditto.yaml."""
    from platformdirs import user_config_path

    return user_config_path("ditto", appauthor=False) / "ditto.yaml"
