"""`--dry-run`: what would happen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.cli.command import run, script


def plan(folder: Path, *words: str) -> dict[str, Any]:
    document = run(["react", *words, "--dry-run", "-o", "json"], folder).document()
    assert document["status"] == "completed"
    result = document["result"]
    assert isinstance(result, dict)
    return result


def test_no_model_is_called_and_nothing_is_changed(folder: Path) -> None:
    model = script(folder, {"error": {"code": "CALLED"}})
    before = sorted(folder.rglob("*"))
    ended = run(["react", "hi", "--model", model, "--dry-run", "-o", "ndjson"], folder)
    assert ended.code == 0
    assert "sample.started" not in {event["type"] for event in ended.events()}
    assert sorted(folder.rglob("*")) == before


def test_it_shows_messages_tools_permissions_model_limits_and_tokens(folder: Path) -> None:
    result = plan(folder, "hi", "--max-steps", "3", "--file", "README.md", "--system", "Be brief.", "--allow-write")
    assert [message["role"] for message in result["messages"]] == ["system", "user", "user"]
    assert result["messages"][0]["content"] == "Be brief."
    assert result["messages"][1]["content"].startswith("Source: README.md\n\n# Tea")
    assert result["messages"][2]["content"] == "hi"
    tools = {tool["name"]: tool["inputSchema"]["type"] for tool in result["tools"]}
    assert tools == dict.fromkeys(("read_text", "list_dir", "search_text", "write_text"), "object")
    assert result["permissions"] == dict.fromkeys(("read_text", "list_dir", "search_text", "write_text"), True)
    assert result["model"] == {"provider": "offline", "model": "offline"}
    assert result["limits"] == {"maxSteps": 3, "maxActionCalls": 16, "maxTotalTokens": None, "timeoutMs": 120000}
    assert 100 < result["estimatedInputTokens"] < 5000


def test_what_is_not_granted_is_not_offered(folder: Path) -> None:
    result = plan(folder, "hi")
    assert result["permissions"]["write_text"] is False
    assert "write_text" not in {tool["name"] for tool in result["tools"]}


def test_the_text_for_people_says_the_same(folder: Path) -> None:
    ended = run(["react", "hello there", "--dry-run"], folder)
    assert ended.code == 0
    for part in (
        "Model: offline/offline",
        "read_text: offered",
        "write_text: not granted",
        "hello there",
        "maxSteps 8",
    ):
        assert part in ended.out


def test_it_fails_where_the_run_would(folder: Path) -> None:
    assert run(["react", "hi", "--dry-run", "--model", "nobody/x"], folder).code == 6
    assert run(["react", "hi", "--dry-run", "--tool", "nope"], folder).code == 2
    assert run(["react", "hi", "--dry-run", "--tool", "write_text"], folder).code == 4
    assert run(["react", "hi", "--dry-run", "--file", ".env"], folder).code == 4
