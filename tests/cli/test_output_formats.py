"""`-o json` and `-o ndjson`: what a program can rely on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from ditto_cli.schemas import schema_of
from tests.cli.command import CHILD, PROGRAM, Ended, asks, run, script

SCHEMAS = Path(__file__).resolve().parents[2] / "docs" / "schemas"
BROKEN = "runtime: { maxTurns: many }\n"

RUNS: dict[str, tuple[Sequence[str], int]] = {
    "success": (["react", "summarize README.md"], 0),
    "tool": (["tool", "read_text", "--path", "README.md"], 0),
    "tool failed": (["tool", "read_text", "--path", "nope"], 10),
    "tool denied": (["tool", "read_text", "--path", "../x"], 4),
    "limit": (["react", "summarize README.md", "--max-steps", "1"], 3),
    "usage": (["react", "x", "--nope"], 2),
    "no command": ([], 2),
    "unknown command": (["rect"], 2),
    "unknown tool": (["react", "x", "--tool", "nope"], 2),
    "configuration": (["react", "x", "--config", "broken.yaml"], 6),
    "unknown provider": (["react", "x", "--model", "nobody/x"], 6),
    "dry run": (["react", "x", "--dry-run"], 0),
    "list": (["tool", "list"], 0),
    "init": (["init", "-C", "/proc/self"], 6),
}


def validator(name: str) -> Any:
    return jsonschema_rs.validator_for(json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8")))


def checked_events(ended: Ended) -> list[dict[str, Any]]:
    """The events of a process, each valid, in one gapless sequence of one run, the last one run.completed."""
    events = ended.events()
    schema = validator("events")
    for event in events:
        schema.validate(event)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert len({event["runId"] for event in events}) == 1
    assert all(datetime.fromisoformat(event["ts"]).utcoffset() is not None for event in events)
    assert [event["type"] for event in events].count("run.completed") == 1
    assert ended.last() == events[-1]
    return events


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Ended]:
    """How every run ends in both formats. They are independent, so they run beside each other."""
    folder = tmp_path_factory.mktemp("runs") / "project"
    folder.mkdir()
    (folder / "README.md").write_text("# Tea\n\nGreen tea is steeped for two minutes.\n", "utf-8")
    (folder / "broken.yaml").write_text(BROKEN, "utf-8")
    calls = [(name, output) for name in RUNS for output in ("json", "ndjson")]

    def end(call: tuple[str, str]) -> Ended:
        return run([*RUNS[call[0]][0], "-o", call[1]], folder)

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(calls, pool.map(end, calls), strict=True))


@pytest.mark.parametrize("name", RUNS)
def test_json_is_one_valid_document_and_ndjson_ends_with_the_same_whatever_happens(
    ends: dict[tuple[str, str], Ended], name: str
) -> None:
    code = RUNS[name][1]
    ended = ends[name, "json"]
    assert ended.code == code
    document = ended.document()
    validator("result").validate(document)
    assert document["exitCode"] == code
    assert document["status"] == "completed" if code == 0 else document["status"] in ("partial", "failed")
    assert (document.get("error") is None) == (code in (0, 3))

    streamed = ends[name, "ndjson"]
    assert streamed.code == code
    events = checked_events(streamed)
    if code in (2, 6):
        assert len(events) == 1, "a usage or configuration error is the only event"
    payload = {key: value for key, value in events[-1].items() if key not in ("v", "seq", "ts", "runId", "type")}
    assert payload.keys() == document.keys()
    assert payload == document


def test_a_run_begins_with_run_started_and_shows_every_step(folder: Path) -> None:
    events = checked_events(run(["react", "summarize README.md", "-o", "ndjson"], folder))
    assert [event["type"] for event in events if event["type"] != "text.delta"] == [
        "run.started",
        "warning",
        "sample.started",
        "sample.completed",
        "action.requested",
        "action.started",
        "observation",
        "sample.started",
        "sample.completed",
        "run.completed",
    ]
    answer = "".join(event["text"] for event in events if event["type"] == "text.delta")
    assert answer == events[-1]["result"]["result"]["content"]


def test_a_denial_is_an_event_and_is_listed(folder: Path) -> None:
    model = script(folder, asks("read_text", path=".env"), "I could not do it.")
    ended = run(["react", "hi", "--model", model, "-o", "ndjson"], folder)
    assert ended.code == 0
    denied = [event for event in checked_events(ended) if event["type"] == "action.denied"]
    assert [(event["kind"], event["name"]) for event in denied] == [("read", ".env")]
    assert [denial["name"] for denial in ended.last()["denied"]] == [".env"]


def test_thinking_is_an_event_only_on_request(folder: Path) -> None:
    model = script(folder, {"thinking": ["hm", "m"], "text": "yes"})
    call = ["react", "hi", "--model", model, "-o", "ndjson"]
    assert "thinking.delta" not in {event["type"] for event in run(call, folder).events()}
    shown = checked_events(run([*call, "--show-thinking"], folder))
    assert [event["text"] for event in shown if event["type"] == "thinking.delta"] == ["hm", "m"]


@pytest.mark.parametrize("output", ["json", "ndjson"])
def test_a_bug_is_a_document_too(folder: Path, output: str) -> None:
    ended = run([output, "bug"], folder, program=CHILD, env={"CANARY_TOKEN": "canary-value-123"})
    assert ended.code == 1
    if output == "json":
        validator("result").validate(ended.document())
        assert ended.document()["error"]["code"] == "EXECUTION_FAILED"
    else:
        checked_events(ended)


@pytest.mark.parametrize("output", ["json", "ndjson"])
def test_both_are_pure_ascii_without_control_characters(folder: Path, output: str) -> None:
    ended = run([output, "tool", "hostile"], folder, program=CHILD)
    assert ended.code == 0
    assert ended.out.isascii()
    assert not set(ended.out) & set(map(chr, [*range(10), *range(11, 32), 127]))
    assert "\\u001b]52" in ended.out


def test_lone_surrogates_from_a_provider_leave_valid_json(folder: Path) -> None:
    model = script(folder, {"error": {"code": "PROVIDER_ERROR", "message": "a\ud800b"}})
    ended = run(["react", "hi", "--model", model, "-o", "json"], folder)
    assert ended.code == 5
    assert "\\ud800" not in ended.out.replace("\\\\ud800", "")


def test_progress_and_the_error_are_on_stderr_in_json_too(folder: Path) -> None:
    ended = run(["tool", "read_text", "--path", "nope", "--json"], folder)
    assert "-> read_text" in ended.err
    assert "error: nope does not exist" in ended.err
    assert run(["tool", "read_text", "--path", "README.md", "--json", "-q"], folder).err == ""


def test_warnings_and_logs_of_libraries_stay_off_stdout(folder: Path) -> None:
    (folder / "sitecustomize.py").write_text(
        "import logging, warnings\nlogging.basicConfig(level=0)\nwarnings.simplefilter('always')\n"
        "warnings.warn('old', DeprecationWarning)\nprint('from sitecustomize', file=__import__('sys').stderr)\n",
        "utf-8",
    )
    ended = run(["tool", "list", "--json"], folder, env={"PYTHONPATH": str(folder), "PYTHONASYNCIODEBUG": "1"})
    assert ended.document()["status"] == "completed"
    assert "from sitecustomize" in ended.err


@pytest.mark.parametrize("name", ["events", "result", "config"])
def test_the_committed_schemas_are_what_the_command_prints(folder: Path, name: str) -> None:
    committed = (SCHEMAS / f"{name}.schema.json").read_text("utf-8")
    ended = run(["schema", name], folder)
    assert ended.code == 0
    assert ended.out == committed
    assert json.loads(committed) == schema_of(name)


def test_the_schemas_refuse_what_is_wrong(folder: Path) -> None:
    event = run(["tool", "list", "-o", "ndjson"], folder).events()[-1]
    events = validator("events")
    events.validate(event)
    for wrong in ({**event, "seq": 0}, {**event, "type": "run.ended"}, {**event, "more": 1}, {**event, "v": 2}):
        assert not events.is_valid(wrong)
    document = run(["tool", "list", "-o", "json"], folder).document()
    results = validator("result")
    assert results.is_valid(document)
    for missing in ("command", "status", "exitCode", "actionRequests", "denied", "warnings"):
        assert not results.is_valid({key: value for key, value in document.items() if key != missing})


def test_the_packaged_configuration_fits_its_schema() -> None:
    import yaml

    root = Path(__file__).resolve().parents[2]
    config = validator("config")
    config.validate(yaml.safe_load((root / "ditto.yaml").read_text("utf-8")))
    assert not config.is_valid({"runtime": {"maxTurn": 1}})


def test_the_module_and_the_program_are_the_same(folder: Path) -> None:
    assert PROGRAM[1:] == ("-m", "ditto_cli")
    program = Path(PROGRAM[0]).with_name("ditto")
    if not program.exists():
        pytest.skip("the program is not installed beside this interpreter")
    assert run(["tool", "list"], folder, program=(str(program),)).out == run(["tool", "list"], folder).out
