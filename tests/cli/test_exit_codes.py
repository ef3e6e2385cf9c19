"""The exit codes of a run, as far as a scripted model can bring them about."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ditto_cli.exits import EXITS, exit_of_direct, exit_of_result, exit_of_run
from tests.cli.command import CHILD, WAITS, Ended, asks, run, script, shell

READS = asks("read_text", path="README.md")
USAGE = {"usage": {"inputTokens": 60, "outputTokens": 60, "totalTokens": 120}}

ENDS: dict[str, tuple[int, str, list[Any], list[str]]] = {
    "an answer": (0, "completed", ["hello"], []),
    "an action that failed and an answer": (0, "completed", [asks("read_text", path="nope"), "sorry"], []),
    "an action with wrong arguments and an answer": (0, "completed", [asks("read_text"), "sorry"], []),
    "too many steps": (3, "max_steps", [READS, READS], ["--max-steps", "1"]),
    "too many actions": (3, "max_action_calls", [READS, "x"], ["--max-action-calls", "0"]),
    "too many tokens": (3, "max_tokens", [{**READS, **USAGE}, "x"], ["--max-total-tokens", "100"]),
    "an answer that was cut": (3, "completed", [{"text": "half an", "finishReason": "length"}], []),
    "nothing but reasoning until the limit": (3, "error", [{"text": "", "finishReason": "length"}], []),
    "an action that was cut": (3, "error", [{**READS, "finishReason": "length"}], []),
    "the same action over and over": (3, "error", [READS, READS, READS, "x"], []),
    "a provider error": (5, "error", [{"error": {"code": "PROVIDER_RATE_LIMITED", "status": 429}}], []),
    "an empty answer": (5, "error", ["   "], []),
    "an undeclared action": (5, "error", [asks("nope")], []),
    "a malformed answer": (5, "error", [{"answer": {"message": {"role": "user", "content": 5}}}], []),
    "a stream that breaks off": (5, "error", [{"text": "half", "noResult": True}], []),
    "a spent script": (5, "error", [READS], []),
    "no permission from the provider": (7, "error", [{"error": {"code": "PROVIDER_AUTH_ERROR", "status": 401}}], []),
    "a timeout": (124, "timeout", [WAITS], ["--timeout", "300ms"]),
}


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Ended]:
    """How every run ends. They are independent, so they run beside each other."""
    folder = tmp_path_factory.mktemp("runs") / "project"
    folder.mkdir()
    (folder / "README.md").write_text("# Tea\n", "utf-8")

    def end(name: str) -> Ended:
        _, _, turns, words = ENDS[name]
        model = script(folder, *turns, name=f"{name}.json")
        return run(["react", "hi", "--model", model, *words, "-o", "ndjson"], folder)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(ENDS, pool.map(end, ENDS), strict=True))


@pytest.mark.parametrize("name", ENDS)
def test_a_run_ends_with_the_code_of_its_reason(ends: dict[str, Ended], name: str) -> None:
    code, reason, _, _ = ENDS[name]
    ended = ends[name]
    assert ended.code == code
    last = ended.last()
    assert last["stopReason"] == reason
    assert last["status"] == "completed" if reason == "completed" else last["status"] in ("partial", "failed")


@pytest.mark.parametrize("name", ["a provider error", "an empty answer", "a stream that breaks off", "a timeout"])
def test_an_error_is_on_stderr_and_never_printed_as_the_answer(folder: Path, name: str) -> None:
    _, _, turns, words = ENDS[name]
    ended = run(["react", "hi", "--model", script(folder, *turns), *words], folder)
    assert ended.out == ""
    assert "error: " in ended.err
    assert "Traceback" not in ended.err


def test_a_partial_answer_is_printed_when_a_limit_ends_the_run(folder: Path) -> None:
    model = script(folder, {**READS, "text": "I look at the file."}, "x")
    ended = run(["react", "hi", "--model", model, "--max-steps", "1"], folder)
    assert (ended.code, ended.out) == (3, "I look at the file.\n")
    assert "stopped: the limit of 1 model call is reached (maxSteps)" in ended.err


@pytest.mark.parametrize("output", ["text", "ndjson"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("too many steps", "1 model call is reached (maxSteps); --max-steps N or runtime.maxTurns"),
        ("too many actions", "0 actions is reached (maxActionCalls); --max-action-calls N or runtime.react.max"),
        ("too many tokens", "100 tokens is reached (maxTotalTokens); --max-total-tokens N or runtime.react.max"),
    ],
)
def test_a_limit_is_told_with_its_value_and_how_to_raise_it(folder: Path, name: str, said: str, output: str) -> None:
    _, _, turns, words = ENDS[name]
    ended = run(["react", "hi", "--model", script(folder, *turns), *words, "-o", output], folder)
    assert f"stopped: the limit of {said}" in ended.err
    assert ended.err.endswith(" raises it; not run: read_text\n")


@pytest.mark.parametrize(
    ("tool", "words", "hint"),
    [
        ("write_text", [], "Grant it with --allow-write, which grants write and write_text"),
        ("list_dir", ["--tool", "read_text"], "add --tool list_dir"),
        ("write_text", ["--allow-tool", "write_text"], "Grant it with --allow-write or"),
    ],
)
def test_an_action_that_was_not_offered_is_told_with_the_way_to_offer_it(
    folder: Path, tool: str, words: list[str], hint: str
) -> None:
    model = script(folder, asks(tool))
    ended = run(["react", "hi", "--model", model, *words, "-o", "json"], folder)
    assert ended.code == 5
    assert hint in ended.document()["error"]["hint"]


def test_an_action_that_there_is_not_has_no_hint(folder: Path) -> None:
    document = run(["react", "hi", "--model", script(folder, asks("nope")), "-o", "json"], folder).document()
    assert "hint" not in document["error"]


def test_an_answer_that_was_cut_is_printed_and_said_to_be_cut(folder: Path) -> None:
    ended = run(["react", "hi", "--model", script(folder, {"text": "half an", "finishReason": "length"})], folder)
    assert (ended.code, ended.out) == (3, "half an\n")
    assert "the output limit cut the answer" in ended.err


def test_what_was_said_before_a_provider_failed_is_no_answer(folder: Path) -> None:
    model = script(folder, {**READS, "text": "I look."}, {"error": {"code": "PROVIDER_ERROR", "message": "down"}})
    ended = run(["react", "hi", "--model", model], folder)
    assert (ended.code, ended.out) == (5, "")
    document = run(["react", "hi", "--model", model, "-o", "json"], folder).document()
    assert document["result"]["result"]["content"] == "I look."


def test_half_a_sentence_is_kept_when_the_time_is_over(folder: Path) -> None:
    ended = run(["text", "stream"], folder, program=CHILD, env={"TIMEOUT_MS": "300"})
    assert (ended.code, ended.out) == (124, "half a sentence\n")


def test_actions_that_were_asked_for_and_not_run_are_listed(folder: Path) -> None:
    turn = {"actions": [{"name": "read_text", "arguments": {"path": name}} for name in ("a", "b")]}
    model = script(folder, turn, "x")
    call = ["react", "hi", "--model", model, "-o", "json"]
    ended = run([*call, "--max-action-calls", "1"], folder)
    assert ended.code == 3
    assert [request["arguments"] for request in ended.document()["actionRequests"]] == [{"path": "b"}]


@pytest.mark.parametrize(("tool", "code"), [("crashes", 8), ("unknown", 8)])
def test_a_tool_that_breaks_ends_the_run_as_a_failed_dependency(folder: Path, tool: str, code: int) -> None:
    model = script(folder, asks(tool), "I go on.")
    ended = run(["ndjson", "react", model], folder, program=CHILD, env={"CANARY_TOKEN": "canary-value-123"})
    assert ended.code == code
    assert ended.last()["stopReason"] == "dependency_failed"
    assert "canary-value" not in ended.out + ended.err


def test_set_e_stops_a_script_after_a_failure(folder: Path) -> None:
    ended = shell("set -e; $ditto react 'summarize nope.md'; touch after", folder)
    assert ended.code == 10
    assert not (folder / "after").exists()


def test_the_table_has_a_reason_for_every_code_that_is_given() -> None:
    stops = ("completed", "max_steps", "max_action_calls", "max_tokens", "timeout", "cancelled", "dependency_failed")
    given = {exit_of_run(stop, None, length=False, signal=None) for stop in stops}
    given |= {exit_of_run("cancelled", None, length=False, signal=number) for number in (1, 2, 15)}
    given |= {exit_of_run("error", code, length=False, signal=None) for code in ("PROVIDER_AUTH_ERROR", "X", None)}
    given |= {exit_of_result(status) for status in ("success", "failed", "timeout", "cancelled", "unknown")}
    given |= {exit_of_direct(code) for code in ("USAGE", "CONFIG_INVALID", "PERMISSION_DENIED", "ANYTHING")}
    assert given <= set(EXITS)
