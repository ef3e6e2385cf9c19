"""One outcome for everybody who asks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import anyio


class Once:
    """Runs `work` for the first caller; the others wait until it has ended and share what came of it.

    `work` must end by itself, also when its caller is cancelled: nobody starts it again.
    """

    __slots__ = ("_ended", "_error", "_work")

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._ended: anyio.Event | None = None
        self._error: Exception | None = None

    async def outcome(self) -> Exception | None:
        """The exception that `work` ended with, or None."""
        if self._ended is not None:
            await self._ended.wait()
            return self._error
        self._ended = anyio.Event()
        try:
            await self._work()
        except Exception as error:  # noqa: BLE001  # handed to every caller, who decides
            self._error = error
        finally:
            self._ended.set()
        return self._error
