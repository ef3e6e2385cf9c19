"""Random programs against a simple model of a runtime: who runs where, who waits, and how each call ends."""

from __future__ import annotations

from typing import Literal

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from ditto_core.errors import RuntimeClosedError
from ditto_core.runtime.runtime import Ditto
from tests.runtime.gated import NODE, settle
from tests.runtime.model import Model, Place, World

Kind = Literal["register", "unregister", "dispose", "on", "off", "invoke", "pinned", "finish", "cancel", "emit"]
KINDS: tuple[Kind, ...] = (
    "register", "unregister", "dispose", "on", "off", "invoke", "invoke", "pinned", "finish", "finish", "cancel", "emit"
)  # fmt: skip


async def refuses_everything(runtime: Ditto) -> bool:
    """Whether a runtime that is closed, or closing, lets nothing in."""
    for work in (lambda: runtime.invoke(NODE, 0), lambda: runtime.emit({"type": "news"})):
        try:
            await work()
        except RuntimeClosedError:
            continue
        return False
    return True


STEPS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 11)), max_size=30)


@given(STEPS)
@settings(max_examples=150, deadline=None)
def test_step_by_step_a_runtime_does_what_the_model_does(steps: list[tuple[str, int]]) -> None:
    async def main() -> None:
        async with anyio.create_task_group() as tasks:
            world = World(tasks)
            world.register(1)
            for kind, choice in steps:
                await world.step(kind, choice)
                await settle()
                for _ in range(len(world.scopes)):
                    world.release_what_the_model_knows_is_open()
                world.compare()
            world.gated.open(*range(len(world.scopes)))
            await world.runtime.close()
            assert await refuses_everything(world.runtime)
        world.check_the_end()
        assert "closed" not in [ended[0] for ended in world.outcomes.values()]

    anyio.run(main)


@given(STEPS, st.lists(st.integers(0, 3), min_size=1, max_size=6), st.integers(0, 30), st.sampled_from([0, 0.01]))
@settings(max_examples=150, deadline=None)
def test_in_any_order_and_closed_at_any_moment_every_call_ends_once(
    steps: list[tuple[str, int]], pauses: list[int], close_at: int, time: float
) -> None:
    async def main() -> None:
        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                world = World(tasks)
                world.register(1)
                for index, (kind, choice) in enumerate(steps):
                    if index == close_at:
                        tasks.start_soon(world.runtime.close, time)
                    await blindly(world, kind, choice)
                    for _ in range(pauses[index % len(pauses)]):
                        await anyio.lowlevel.checkpoint()
                await world.runtime.close(time)
                assert await refuses_everything(world.runtime)
        world.check_the_end()

    anyio.run(main)


async def blindly(world: World, kind: str, choice: int) -> None:
    """A step without the model. What comes too late is refused, and that is all right."""
    try:
        match kind:
            case "register":
                world.register([None, 1, 2][choice % 3])
            case "invoke" | "pinned":
                world.invoke(f"w{choice % (len(world.registrations) + 1)}" if kind == "pinned" else None)
            case "finish":
                world.gated.open(choice % (len(world.scopes) or 1))
            case "cancel" if world.scopes:
                world.scopes[choice % len(world.scopes)].cancel()
            case "emit":
                await world.runtime.emit({"type": "news", "data": choice})
                world.emitted.append(choice)
            case "unregister" | "dispose" | "on" | "off" if world.registrations:
                world.change(choice % len(world.registrations), kind)
            case _:
                return
    except RuntimeClosedError:
        return


def test_the_model_tells_a_wrong_order_from_a_right_one() -> None:
    model = Model()
    model.places.append(Place("w0", 1))
    model.places[0].running.append(0)
    assert model.invoke(1, None) == []
    assert model.invoke(2, None) == []
    model.end(0)
    assert model.places[0].running == [1]
    assert model.waiting == [(2, None)]
