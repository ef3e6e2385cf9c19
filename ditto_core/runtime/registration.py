"""A Worker's place in a runtime: the handle that registering returns."""

from __future__ import annotations

from ditto_core.errors import InvalidInputError, SelfWaitError
from ditto_core.runtime.replica import Replica
from ditto_core.runtime.router import Router, holds_a_slot_of
from ditto_core.runtime.worker import WorkerAddress


class Registration:
    """What `register` and `register_remote` return."""

    __slots__ = ("_replica", "_router")

    def __init__(self, router: Router, replica: Replica) -> None:
        self._router = router
        self._replica = replica

    @property
    def address(self) -> WorkerAddress:
        """Where the Worker is, and its id."""
        return self._replica.address

    def set_available(self, available: bool) -> None:
        """Whether new calls may come. Those under way go on; waiting ones that no other Worker could take fail."""
        if not isinstance(available, bool):
            raise InvalidInputError("must be True or False", path="available")
        self._replica.available = available
        self._router.changed()

    def unregister(self) -> None:
        """Takes the Worker out: no new call comes, those under way finish, its id is free. Again: no effect.

        What it holds is disposed of by `close`, or when the runtime closes.
        """
        if self._replica.registered:
            self._router.remove(self._replica)

    async def close(self) -> None:
        """Unregisters, waits for the calls under way however long they take, and disposes of the resources, once.

        Calling it again or at the same time shares the outcome; being cancelled gives up waiting, not the disposal once
        it began. Raises what dispose raises, DeadlineError when it takes longer than 5 seconds, and SelfWaitError when
        a call of this Worker closes it.
        """
        if holds_a_slot_of(self._replica):
            raise SelfWaitError(f"a call of {self.address.id} cannot close it: the call would wait for its own end")
        self.unregister()
        await self._replica.idle()
        error = await self._replica.close()
        self._router.forget(self._replica)
        if error is not None:
            raise error
