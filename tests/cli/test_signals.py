"""Ctrl-C, SIGTERM and SIGHUP, whenever they come."""

from __future__ import annotations

import array
import fcntl
import os
import signal
import termios
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ditto_cli.signals import GRACE
from tests.cli.command import CHILD, PATIENCE, WAITS, Running, asks, piped, script
from tests.cli.terminal import Terminal

ALL = [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
BOTH = {"actions": [{"name": "blocks", "arguments": {}}, {"name": "data", "arguments": {}}], "text": "I try."}


def waiting(folder: Path) -> list[str]:
    """A run that has said something, did something, and then waits for its model."""
    model = script(folder, {**asks("list_dir"), "text": "I look."}, WAITS)
    return ["react", "hi", "--model", model, "-o", "ndjson"]


@pytest.mark.parametrize(("number", "code"), ALL)
def test_a_signal_while_a_model_is_asked_ends_the_run_with_its_code(
    folder: Path, number: signal.Signals, code: int
) -> None:
    with Running(waiting(folder), folder) as running:
        running.until("observation")
        running.until("sample.started")
        running.signal(number)
        ended = running.ended()
    assert ended.code == code
    last = ended.last()
    assert (last["status"], last["stopReason"]) == ("partial", "cancelled")
    assert last["result"]["result"]["content"] == "I look."
    assert last["actionRequests"] == []
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(("number", "code"), ALL)
def test_a_signal_during_an_action_keeps_it_among_the_open_ones(
    folder: Path, number: signal.Signals, code: int
) -> None:
    with Running(["ndjson", "react", script(folder, BOTH, "x")], folder, program=CHILD) as running:
        running.until("action.started", name="blocks")
        running.signal(number)
        ended = running.ended()
    assert ended.code == code
    assert [request["name"] for request in ended.last()["actionRequests"]] == ["blocks", "data"]
    assert ended.last()["result"]["result"]["content"] == "I try."


@pytest.mark.parametrize(("number", "code"), ALL)
def test_a_signal_during_a_direct_tool_call_says_that_the_outcome_is_unknown(
    folder: Path, number: signal.Signals, code: int
) -> None:
    with Running(["ndjson", "tool", "blocks"], folder, program=CHILD) as running:
        running.until("action.started")
        running.signal(number)
        ended = running.ended()
    assert ended.code == code
    assert [request["name"] for request in ended.last()["actionRequests"]] == ["blocks"]
    assert "unknown" in ended.last()["error"]["message"]
    assert "stopReason" not in ended.last()


def test_half_a_sentence_is_flushed_when_a_person_stops_the_run(folder: Path) -> None:
    with Terminal(["text", "stream"], folder, program=CHILD) as terminal:
        terminal.until("half a sentence")
        terminal.type(b"\x03")
        code, seen = terminal.ended()
    assert code == 130
    assert seen.count(b"half a sentence") == 1
    assert b"Traceback" not in seen


def test_the_second_signal_ends_the_process_before_the_grace_period_with_the_open_action(folder: Path) -> None:
    with Running(["ndjson", "tool", "swallows"], folder, program=CHILD) as running:
        running.until("action.started")
        running.signal(signal.SIGINT)
        running.signal(signal.SIGTERM)
        running.process.wait(GRACE - 1)
        ended = running.ended()
    assert ended.code in (130, 143)  # the kernel delivers two pending signals in the order of their numbers
    assert [request["name"] for request in ended.last()["actionRequests"]] == ["swallows"]


def test_a_tool_that_refuses_to_be_cancelled_ends_with_the_grace_period_after_a_signal_or_the_time_limit(
    folder: Path,
) -> None:
    call = ["ndjson", "tool", "swallows"]
    with (
        Running(call, folder, program=CHILD) as stopped,
        Running(call, folder, program=CHILD, env={"TIMEOUT_MS": "1"}) as late,
    ):
        stopped.until("action.started")
        stopped.signal(signal.SIGTERM)
        assert stopped.ended().code == 143
        assert late.ended().code == 124
        for running in (stopped, late):
            assert running.ended().last()["actionRequests"][0]["name"] == "swallows"
        assert late.ended().last()["error"]["code"] == "TIMEOUT"


def test_a_signal_to_the_whole_group_is_one_signal(folder: Path) -> None:
    with Running(waiting(folder), folder, group=True) as running:
        running.until("observation")
        running.until("sample.started")
        running.signal(signal.SIGINT, group=True)
        ended = running.ended()
    assert ended.code == 130
    assert ended.last()["stopReason"] == "cancelled"


@pytest.mark.parametrize("output", ["text", "json"])
def test_every_format_ends_properly(folder: Path, output: str) -> None:
    with piped([*waiting(folder)[:-1], output], folder) as run_of:
        for line in run_of.err:
            if b"<- list_dir" in line:
                break
        run_of.process.send_signal(signal.SIGTERM)
        out, err = run_of.process.communicate(timeout=PATIENCE)
    assert run_of.process.returncode == 143
    assert b'"exitCode": 143' in out if output == "json" else out == b"I look.\n"
    assert b"Traceback" not in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_after_the_last_event_changes_nothing(folder: Path, number: signal.Signals) -> None:
    with Running(["react", "hi", "--model", script(folder, "yes"), "-o", "ndjson"], folder) as running:
        last = running.until("run.completed")
        running.signal(number)
        ended = running.ended()
    assert (last["exitCode"], ended.code) == (0, 0)
    assert ended.err == ""


def test_closing_the_window_ends_the_run(folder: Path) -> None:
    with Terminal(waiting(folder), folder) as terminal:
        terminal.until('"observation"')
        terminal.hang_up()
        assert terminal.process.wait(PATIENCE) in (129, 141)


def test_nohup_and_background_jobs_ignore_what_they_were_told_to_ignore(folder: Path) -> None:
    def ignore() -> None:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    with Running(waiting(folder), folder, before=ignore) as running:
        running.until("observation")
        running.signal(signal.SIGHUP)
        running.signal(signal.SIGINT)
        running.signal(signal.SIGTERM)
        assert running.ended().code == 143


@pytest.mark.parametrize(("number", "code"), ALL)
def test_a_signal_before_the_run_began_is_a_document_too(folder: Path, number: signal.Signals, code: int) -> None:
    reader, writer = os.pipe()
    with Running(["react", "-", "-o", "ndjson", "--file", "pipe"], folder, before=lambda: _stdin(reader)) as running:
        os.close(reader)
        os.write(writer, b"still typing")
        _wait_until_read(writer)
        running.signal(number)
        ended = running.ended()
    os.close(writer)
    assert ended.code == code
    assert len(ended.events()) == 1
    assert ended.last()["status"] == "failed"
    assert ended.last()["error"]["code"] == "CANCELLED"


def test_a_reader_that_does_not_read_cannot_hold_the_process(folder: Path) -> None:
    model = script(folder, {"text": ["x" * 100_000] * 9})
    with piped(["react", "hi", "--model", model, "-o", "ndjson"], folder) as run_of:
        assert run_of.out.readline()
        _wait_until_full(run_of.out.fileno())
        run_of.process.send_signal(signal.SIGTERM)
        assert run_of.process.wait(PATIENCE) == 143
        assert b"Traceback" not in run_of.err.read()


def _stdin(reader: int) -> None:
    os.dup2(reader, 0)


def _wait_until_read(writer: int) -> None:
    """Until the other end has taken what is in the pipe."""
    _until(lambda: _buffered(writer) == 0)


def _wait_until_full(reader: int) -> None:
    """Until a pipe holds as much as it can."""
    _until(lambda: _buffered(reader) > 60_000)


def _buffered(descriptor: int) -> int:
    size = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, size)
    return size[0]


def _until(condition: Callable[[], bool]) -> None:
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends
        os.sched_yield()
