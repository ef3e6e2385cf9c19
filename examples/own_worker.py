"""A Worker with resources of its own: a database that is opened with the first call and closed with the runtime.

Run it with `python examples/own_worker.py` from the root of the repository.

Prints:
    opened
    2 notes, the last is 'call Ada back'
    closed
"""

import sqlite3

import anyio

from ditto_core import Ditto, NodeType, Services, WorkerContext, define_worker, graph

TYPES = {"NOTES.ADD": NodeType(str, int), "NOTES.LAST": NodeType(int, str)}


def open_notes(services: Services) -> sqlite3.Connection:
    """Called once for each registration of the Worker. It may be async, like the function that closes."""
    print("opened")
    notes = sqlite3.connect(":memory:")
    notes.execute("CREATE TABLE note (text TEXT NOT NULL)")
    return notes


def close_notes(notes: sqlite3.Connection) -> None:
    notes.close()
    print("closed")


async def add(text: str, ctx: WorkerContext) -> int:
    """How many notes there are, with this one."""
    ctx.resources.execute("INSERT INTO note VALUES (?)", (text,))
    count: int = ctx.resources.execute("SELECT COUNT(*) FROM note").fetchone()[0]
    return count


async def last(count: int, ctx: WorkerContext) -> str:
    """The note with this number."""
    text: str = ctx.resources.execute("SELECT text FROM note WHERE rowid = ?", (count,)).fetchone()[0]
    return text


NOTES = define_worker(
    type="NOTES", nodes={"NOTES.ADD": add, "NOTES.LAST": last}, resources=open_notes, dispose=close_notes, concurrency=1
)
PLAN = (
    graph("notes")
    .node("first", "NOTES.ADD", [], lambda texts, _: texts[0])
    .node("second", "NOTES.ADD", ["first"], lambda texts, _: texts[1])
    .node("last", "NOTES.LAST", ["second"], lambda _, outputs: outputs["second"])
)


async def main() -> None:
    """Adds two notes and reads the last."""
    async with Ditto(workers=[NOTES], node_types=TYPES) as runtime:
        outputs = await runtime.run(PLAN, ["buy tea", "call Ada back"])
        print(f"{outputs['second']} notes, the last is {outputs['last']!r}")


anyio.run(main)
