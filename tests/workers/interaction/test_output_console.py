"""The sink that writes to a terminal or a file."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

from ditto_core.contracts.interaction import Artifact, OutputInput, OutputReceipt
from ditto_core.contracts.message import Message, MessagePart, Reference
from ditto_core.contracts.nodes import OUTPUT
from ditto_core.runtime.runtime import Ditto
from ditto_core.workers.interaction.console_sink import ConsoleSink
from ditto_core.workers.interaction.worker import create_interaction_worker

pytestmark = pytest.mark.anyio


def output(content: Any, *artifacts: Artifact) -> OutputInput:
    return OutputInput(
        delivery_id="d1", message=Message(role="assistant", content=content), artifacts=artifacts or None
    )


def artifact(name: str, uri: str) -> Artifact:
    return Artifact(name=name, reference=Reference(uri=uri))


async def written(content: Any, *artifacts: Artifact) -> str:
    """What a delivery looks like."""
    writer = io.StringIO()
    receipt = await ConsoleSink(writer).deliver(output(content, *artifacts))
    assert receipt == OutputReceipt(delivery_id="d1", status="accepted")
    return writer.getvalue()


PARTS: list[MessagePart | dict[str, Any]] = [
    {"type": "text", "text": "see"},
    {"type": "json", "data": {"n": 1}},
    {"type": "reference", "reference": {"uri": "file:a.txt"}},
]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("hello", "hello\n"),
        ("two\nlines\n", "two\nlines\n"),
        ("", "\n"),
        (None, "null\n"),
        ("null", "null\n"),
        (1.5, "1.5\n"),
        ({"a": [1, None]}, '{"a":[1,null]}\n'),
        ("naïve 茶", "naïve 茶\n"),
        (PARTS, 'see\n{"n":1}\nfile:a.txt\n'),
    ],
)
async def test_a_delivery_is_its_text_and_a_newline(content: Any, text: str) -> None:
    assert await written(content) == text


async def test_artifacts_follow_each_on_a_line_of_its_own() -> None:
    text = await written("done", artifact("report", "file:report.pdf"), artifact("two\nlines", "x" * 5000))
    lines = text.splitlines()
    assert lines[:2] == ["done", "report: file:report.pdf"]
    assert lines[2].startswith("two\\nlines: xxx")
    assert lines[2].endswith("…")
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("\x1b[2Jgone", "\\x1b[2Jgone\n"),
        ("safe\rEVIL", "safe\nEVIL\n"),
        ("\u202egnp.exe", "\\u202egnp.exe\n"),
        ({"key\x9b": "\x07"}, '{"key\\x9b":"\\u0007"}\n'),
    ],
)
async def test_what_could_drive_a_terminal_is_escaped(content: Any, text: str) -> None:
    assert await written(content) == text


async def test_what_the_writers_encoding_cannot_say_is_escaped() -> None:
    raw = io.BytesIO()
    writer = io.TextIOWrapper(raw, encoding="ascii", newline="\n")
    assert (await ConsoleSink(writer).deliver(output("naïve 茶"))).status == "accepted"
    assert raw.getvalue() == b"na\\xefve \\u8336\n"


async def test_by_default_it_writes_to_stdout_as_it_is_at_that_moment() -> None:
    sink, writer = ConsoleSink(), io.StringIO()
    with contextlib.redirect_stdout(writer):
        await sink.deliver(output("hello"))
    assert writer.getvalue() == "hello\n"


async def test_a_writer_that_is_closed_beforehand_rejects_since_nothing_was_written() -> None:
    writer = io.StringIO()
    writer.close()
    receipt = await ConsoleSink(writer).deliver(output("hello"))
    assert receipt.error is not None
    assert (receipt.delivery_id, receipt.status, receipt.error.code) == ("d1", "rejected", "IO_ERROR")
    assert "nothing was written" in receipt.error.message


async def test_a_process_without_stdout_rejects() -> None:
    missing: Any = None
    with contextlib.redirect_stdout(missing):
        receipt = await ConsoleSink().deliver(output("hello"))
    assert receipt.status == "rejected"


async def test_a_pipe_that_nobody_reads_is_unknown_since_a_part_may_be_out() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    file = os.fdopen(writer, "w", encoding="utf-8")
    receipt = await ConsoleSink(file).deliver(output("hello"))
    with contextlib.suppress(BrokenPipeError):
        file.close()
    assert receipt.error is not None
    assert (receipt.status, receipt.error.code) == ("unknown", "IO_ERROR")
    assert receipt.error.message == "writing failed with BrokenPipeError; a part may have been written"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
async def test_a_full_disk_is_unknown() -> None:
    with Path("/dev/full").open("w", encoding="utf-8", buffering=1) as file:
        receipt = await ConsoleSink(file).deliver(output("hello"))
        with contextlib.suppress(OSError):
            file.close()
    assert receipt.status == "unknown"


class Held(io.StringIO):
    """A writer that holds its first text until it is let go, or until a second text comes meanwhile."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._held = False
        self.mixed = False
        self.go = threading.Event()

    def write(self, text: str, /) -> int:
        self.mixed = self.mixed or self._held
        self._held = True
        self.go.wait(self._seconds)
        self._held = False
        return super().write(text)


async def test_a_writer_that_does_not_take_anything_stops_only_its_own_call() -> None:
    writer = Held(seconds=10)
    with anyio.move_on_after(0.05) as scope:
        await ConsoleSink(writer).deliver(output("hello"))
    writer.go.set()
    assert scope.cancelled_caught


async def test_deliveries_at_the_same_time_do_not_mix() -> None:
    writer = Held(seconds=0.05)
    sink = ConsoleSink(writer)
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            for letter in "abc":
                tasks.start_soon(sink.deliver, output(letter))
    assert sorted(writer.getvalue().splitlines()) == ["a", "b", "c"]
    assert not writer.mixed


async def test_it_serves_the_output_node(capsys: pytest.CaptureFixture[str]) -> None:
    async with Ditto(workers=[create_interaction_worker(output=ConsoleSink())]) as runtime:
        body = {"deliveryId": "d1", "message": {"role": "assistant", "content": "hello"}}
        receipt = await runtime.invoke(OUTPUT, body)
        assert receipt.status == "accepted"
        await runtime.invoke(OUTPUT, {**body, "deliveryId": "d2"})
    assert capsys.readouterr().out == "hello\nhello\n"
    assert not sys.stdout.closed
