"""Where a command line finds its configuration."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ditto_cli.failure import UsageError
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
        config=_named(options.config, "--config"),
        env_file=_named(options.env_file, "--env-file"),
    )
    trusted = is_trusted(options, os.environ)
    return load_layered_config(sources, os.environ, permissions(READ_ONLY), trusted=trusted)


def is_trusted(options: Globals, process: Mapping[str, str]) -> bool:
    """Whether the person trusts the files of the project. Raises ConfigError."""
    return bool(options.trust_project) or trusted_by_environment(process)


def folder_of(options: Globals) -> Path:
    """The folder of `-C`, else the current one, absolute. Raises ConfigError and UsageError."""
    try:
        folder = (_named(options.workspace, "--workspace") or Path()).absolute()
    except FileNotFoundError:
        raise ConfigError("the current folder does not exist any more", hint="Go to another one, or use -C.") from None
    if not folder.is_dir():
        raise ConfigError("there is no such folder", where=f"--workspace {options.workspace}")
    return folder


def _named(path: str | None, option: str) -> Path | None:
    """A path that was given. An empty one is most likely an unset variable of a script, and no wish for the default."""
    if path == "":
        raise UsageError(f"{option} is empty", hint="Leave it out, or name a path.")
    return Path(path) if path else None


def packaged(name: str) -> Path:
    """A file that travels in the package: `ditto.yaml` or `env.example`. A source checkout has them at its top."""
    inside = Path(__file__).parent / "packaged" / name
    return inside if inside.exists() else Path(__file__).parent.parent / name.replace("env.example", ".env.example")


def user_file() -> Path | None:
    """The user's own ditto.yaml; None for a user without a home folder, as in some containers."""
    from platformdirs import user_config_path

    try:
        return user_config_path("ditto", appauthor=False) / "ditto.yaml"
    except RuntimeError:  # neither HOME nor an entry in the password database
        return None
