"""The entry point of `ditto` and `python -m ditto_cli`."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Runs the command line and exits with its code. `--version` is answered before anything else is imported.

    Until a run begins, and while the interpreter leaves, there is hardly any garbage: looking for it took a tenth of
    the start-up, so the collector is on only in between (`Session.wait`).
    """
    gc.disable()
    try:
        if sys.argv[1:] == ["--version"]:
            from ditto_core.version import __version__

            code = _written(f"ditto {__version__}\n")
        else:
            from ditto_cli.app import run

            code = run(sys.argv[1:])
    except KeyboardInterrupt:  # before the command line took the signals
        code = 130
    gc.freeze()
    sys.exit(code)


def _written(text: str) -> int:
    import os

    try:
        os.write(1, text.encode())
    except OSError:
        return 141
    return 0


if __name__ == "__main__":
    main()
