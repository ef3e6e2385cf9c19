"""What Ditto itself costs: a ReAct step, a graph node, a round of a loop, a hundred flows at once.

    python benchmarks/steps.py [--rounds 7] [--quick]

Models and tools answer at once, so all that is measured is the runtime. Each subject stands beside the same work done
bare: a graph beside an `asyncio.TaskGroup` with one task for each node, a flow beside a plain loop over the same model
and tool. Ours and bare take turns within a round. Times are medians over the rounds, for one step, node or round; the
CPU time is that of the process. The memory is the peak of what Python allocated during one more, separate run.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import platform
import resource
import statistics
import sys
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple

import anyio

from ditto_core import (
    ActionDescriptor,
    Ditto,
    Graph,
    Loop,
    ModelConfig,
    ModelMessage,
    NodeType,
    ProviderRegistry,
    ReactInput,
    RegisteredTool,
    RuntimeConfig,
    SampleInput,
    Sandbox,
    SandboxPolicy,
    ScriptedProvider,
    Settings,
    WorkerContext,
    create_infer_worker,
    create_interaction_worker,
    define_worker,
    graph,
    run_react_flow,
)

Work = Callable[[], Awaitable[None]]
WIDTH = 100
"""Nodes of a graph that may run at the same time; each waits for two of the layer before."""
STEPS = 20
"""Actions of one flow."""
FLOWS = 100
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a", "b"]}
TYPES = {"BENCH.NODE": NodeType(int, int)}


class Subject(NamedTuple):
    """Ours, the same bare, how many units one run has, and the microseconds of a unit to stay under."""

    name: str
    units: int
    ours: Work
    bare: Work
    aim: float | None = None


async def node(value: int, _: WorkerContext) -> int:
    """The handler of a node."""
    return value + 1


async def waiting_node(value: int, _: WorkerContext) -> int:
    """A handler that lets others have their turn once, as one that waits for something does."""
    await asyncio.sleep(0)
    return value + 1


async def add(arguments: Mapping[str, Any], _: object) -> str:
    """The tool."""
    return str(arguments["a"] + arguments["b"])


def layers(count: int) -> list[tuple[int, ...]]:
    """The dependencies of each node of a DAG."""
    return [() if n < WIDTH else (n - WIDTH, n - WIDTH + (1 if n % WIDTH < WIDTH - 1 else 0)) for n in range(count)]


def plan_of(dependencies: Sequence[tuple[int, ...]]) -> Graph:
    """The DAG as a Graph."""
    plan = graph("layers")
    for index, before in enumerate(dependencies):
        plan = plan.node(f"n{index}", "BENCH.NODE", list(dict.fromkeys(f"n{b}" for b in before)), _first)
    return plan


def _first(value: int, outputs: Mapping[str, int]) -> int:
    return next(iter(outputs.values()), value)


async def run_bare(dependencies: Sequence[tuple[int, ...]], *, waits: bool) -> None:
    """The DAG with one asyncio task for each node."""
    tasks: list[asyncio.Task[int]] = []

    async def work(before: tuple[int, ...]) -> int:
        values = [await tasks[index] for index in before]
        if waits:
            await asyncio.sleep(0)
        return (values[0] if values else 0) + 1

    async with asyncio.TaskGroup() as group:
        tasks.extend(group.create_task(work(before)) for before in dependencies)


def graphs(runtime: Ditto, sizes: Sequence[int], *, waits: bool) -> list[Subject]:
    """Graphs of some sizes."""
    found = []
    for size in sizes:
        dependencies = layers(size)
        plan = plan_of(dependencies)

        async def ours(plan: Graph = plan) -> None:
            await runtime.run(plan, 0)

        async def bare(dependencies: Sequence[tuple[int, ...]] = dependencies) -> None:
            await run_bare(dependencies, waits=waits)

        kind = "handlers that wait once" if waits else "handlers that answer at once"
        found.append(Subject(f"graph of {size:,} nodes, {kind}", size, ours, bare, None if waits else 25))
    return found


def loop_subject(runtime: Ditto, rounds: int) -> Subject:
    """A loop whose graph has one node."""
    definition = Loop[int](
        graph=graph("round").node("next", "BENCH.NODE", [], lambda value, _: value),
        bind=lambda state: state,
        update=lambda _, outputs: int(outputs["next"]),
        done=lambda state: state >= rounds,
        max_iterations=rounds,
    )

    async def ours() -> None:
        await runtime.loop(definition, 0)

    async def bare() -> None:
        for _ in range(rounds):
            await run_bare([()], waits=False)

    return Subject(f"loop of {rounds:,} rounds, one node each", rounds, ours, bare, 60)


def script() -> list[dict[str, Any]]:
    """A model that asks for one action after another, then answers."""
    asks = [{"actions": [{"name": "add", "arguments": {"a": number, "b": 1}}]} for number in range(STEPS)]
    return [*asks, {"text": "done"}]


def request(provider: str) -> ReactInput:
    """What starts a flow."""
    return ReactInput(
        messages=(ModelMessage(role="user", content="add"),),
        model=ModelConfig(provider=provider, model="scripted"),
        actions=(ActionDescriptor(name="add", input_schema=SCHEMA),),
    )


async def flows_of_ours(count: int) -> None:
    """So many flows at once in one runtime, each with its own script."""
    limits = {"maxTurns": STEPS + 1, "timeoutMs": 600_000, "react": {"maxActionCalls": STEPS}}
    names = [f"script{number}" for number in range(count)]
    tool = RegisteredTool(name="add", description="Adds.", input_schema=SCHEMA, execute=add)
    runtime = Ditto(
        config=RuntimeConfig(settings=Settings.parse({"runtime": limits})),
        sandbox=Sandbox(".", SandboxPolicy(tools={"add"})),
        providers=ProviderRegistry({name: ScriptedProvider(script()) for name in names}),
        workers=[create_infer_worker(), create_interaction_worker(tools=[tool])],
    )

    async def flow(name: str) -> None:
        result = await run_react_flow(runtime, request(name))
        if result.stop_reason != "completed":
            raise RuntimeError(f"the flow ended with {result.stop_reason}: {result.error}")

    async with runtime, anyio.create_task_group() as tasks:
        for name in names:
            tasks.start_soon(flow, name)


async def flows_of_plain_loops(count: int) -> None:
    """The same models and tools, in a loop without a runtime."""

    async def flow() -> None:
        provider = ScriptedProvider(script())
        messages = [ModelMessage(role="user", content="add")]
        while True:
            output = await provider.invoke(SampleInput(messages=tuple(messages), model=ModelConfig(model="scripted")))
            messages.append(output.message)
            if not output.action_requests:
                return
            answers = [await add(action.arguments, None) for action in output.action_requests]
            messages += [ModelMessage(role="tool", content=answer) for answer in answers]

    async with asyncio.TaskGroup() as group:
        for _ in range(count):
            group.create_task(flow())


def flow_subject(count: int) -> Subject:
    """Flows at once; a unit is a step: one SAMPLE, one action, one observation."""

    async def ours() -> None:
        await flows_of_ours(count)

    async def bare() -> None:
        await flows_of_plain_loops(count)

    name = f"{count} ReAct flows at once, {STEPS} steps each" if count > 1 else f"ReAct flow of {STEPS} steps"
    return Subject(name, count * STEPS, ours, bare, 350 if count == 1 else None)


async def measured(work: Work) -> tuple[float, float]:
    """Seconds of wall and CPU time of one run, without what earlier runs left to collect."""
    gc.collect()
    wall, cpu = time.perf_counter(), time.process_time()
    await work()
    return time.perf_counter() - wall, time.process_time() - cpu


async def peak(work: Work) -> int:
    """The bytes that one run had allocated at most."""
    gc.collect()
    tracemalloc.start()
    try:
        await work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


async def row(subject: Subject, rounds: int) -> str:
    """Measures a subject; its line of the table."""
    ours, bare = [], []
    for turn in range(-1, rounds):  # the first is the warm-up
        pair = await measured(subject.ours), await measured(subject.bare)
        if turn >= 0:
            ours.append(pair[0])
            bare.append(pair[1])
    wall, cpu, beside = (
        statistics.median(times) * 1_000_000 / subject.units
        for times in ([cost[0] for cost in ours], [cost[1] for cost in ours], [cost[0] for cost in bare])
    )
    ratio = statistics.median(mine[1] / max(other[1], 1e-9) for mine, other in zip(ours, bare, strict=True))
    memory = " / ".join([f"{await peak(work) / 2**20:.1f} MB" for work in (subject.ours, subject.bare)])
    aim = f"≤ {subject.aim:g} µs" if subject.aim else ""
    return f"| {subject.name} | {wall:.1f} µs | {cpu:.1f} µs | {aim} | {beside:.1f} µs | {ratio:.1f} | {memory} |"


async def main(rounds: int, quick: bool) -> None:
    """Measures everything and prints a Markdown table."""
    sizes = (1_000,) if quick else (1_000, 10_000)
    quick_worker = define_worker(type="BENCH", nodes={"BENCH.NODE": node})
    waiting_worker = define_worker(type="BENCH", nodes={"BENCH.NODE": waiting_node})
    async with (
        Ditto(workers=[quick_worker], node_types=TYPES) as runtime,
        Ditto(workers=[waiting_worker], node_types=TYPES) as waiting,
    ):
        subjects = [
            flow_subject(1),
            flow_subject(10 if quick else FLOWS),
            *graphs(runtime, sizes, waits=False),
            *graphs(waiting, sizes, waits=True),
            loop_subject(runtime, 200 if quick else 1_000),
        ]
        print(f"Python {platform.python_version()}, {platform.system()}, {os.cpu_count()} cores, {rounds} rounds")
        print("| subject | one unit | its CPU | aim | bare | CPU × bare | peak, ours / bare |")
        print("|---|---|---|---|---|---|---|")
        for subject in subjects:
            print(await row(subject, rounds), flush=True)
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print(f"\nThe process had {largest / 2**20:.0f} MB at most.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, help="measurements of each subject (default 7, quick 3)")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller subjects")
    options = parser.parse_args()
    anyio.run(main, max(1, options.rounds or (3 if options.quick else 7)), options.quick)
