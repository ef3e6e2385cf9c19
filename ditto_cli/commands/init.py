"""`ditto init`: the two files to start from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ditto_cli.options import Globals, with_globals

if TYPE_CHECKING:
    from ditto_cli.outcome import Outcome
    from ditto_cli.session import Session


@with_globals
def init(options: Globals) -> None:
    """Write ditto.yaml and .env from the packaged examples. What is there already is never overwritten."""
    from ditto_cli.session import run

    run("init", options, _write)


def _write(session: Session) -> Outcome:
    from ditto_cli.configuration import folder_of, packaged
    from ditto_cli.outcome import Outcome

    folder = folder_of(session.options)
    states = {
        name: _create(folder / name, packaged(source).read_bytes(), mode)
        for name, source, mode in (("ditto.yaml", "ditto.yaml", 0o644), (".env", "env.example", 0o600))
    }
    text = "\n".join(f"{name}: {state}" for name, state in states.items())
    return Outcome(text=text, result={"folder": str(folder), "files": states})


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
    return "written"


def command() -> Any:
    """The command, for the table of commands."""
    from ditto_cli.command import single

    return single(init)
