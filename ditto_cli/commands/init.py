"""`ditto init`: the two files to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ditto_cli.options import Globals, with_globals

if TYPE_CHECKING:
    from pathlib import Path

    from ditto_cli.outcome import Outcome
    from ditto_cli.session import Session


WRITTEN = "written"
_COVERING = frozenset((".env", "/.env", ".env*", "*.env", "**/.env"))
"""Lines of a .gitignore that keep .env out of git."""


@with_globals
def init(options: Globals) -> None:
    """Write ditto.yaml and .env from the packaged examples. What is there already is never overwritten."""
    from ditto_cli.session import run

    run("init", options, _write)


def _write(session: Session) -> Outcome:
    from ditto_cli.configuration import folder_of, packaged
    from ditto_cli.outcome import Outcome

    _refuse_other_files(session.options)
    folder = folder_of(session.options)
    states = {
        name: _create(folder / name, packaged(source).read_bytes(), mode)
        for name, source, mode in (("ditto.yaml", "ditto.yaml", 0o644), (".env", "env.example", 0o600))
    }
    if states[".env"] == WRITTEN and _may_be_committed(folder):
        session.warn("this folder is under git: add .env to .gitignore, because it is for keys")
    text = "\n".join(f"{name}: {state}" for name, state in states.items())
    return Outcome(text=text, result={"folder": str(folder), "files": states})


def _refuse_other_files(options: Globals) -> None:
    from ditto_cli.failure import UsageError

    for flag, value in (("--config", options.config), ("--env-file", options.env_file)):
        if value is not None:
            raise UsageError(
                f"init takes no {flag}: it writes ditto.yaml and .env",
                hint="-C DIR chooses the folder; without it, it is the current one.",
            )


def _may_be_committed(folder: Path) -> bool:
    """Whether the folder is in a git work tree without a line for `.env` in a `.gitignore` from there up to its top."""
    looked: list[Path] = []
    for parent in (folder, *folder.parents):
        looked.append(parent)
        if (parent / ".git").exists():
            return not any(_ignores_env(inside / ".gitignore") for inside in looked)
    return False


def _ignores_env(file: Path) -> bool:
    try:
        lines = file.read_text("utf-8", errors="replace").splitlines() if file.is_file() else []
    except OSError:
        return False
    return not _COVERING.isdisjoint(line.strip() for line in lines)


def _create(path: Any, content: bytes, mode: int) -> str:
    """Writes a new file as a whole; `kept` when there is anything under that name."""
    import os
    from pathlib import Path

    from ditto_core.errors import ConfigError

    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, mode)
    except FileExistsError:
        return "kept, it was there already"
    except OSError as error:
        raise ConfigError(f"cannot be written: {error.strerror}", where=str(path)) from error
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
    except OSError as error:
        Path(path).unlink()
        raise ConfigError(f"cannot be written: {error.strerror}", where=str(path)) from error
    return WRITTEN


def command() -> Any:
    """The command, for the table of commands."""
    from ditto_cli.command import single

    return single(init)
