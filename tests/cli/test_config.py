"""`ditto config`: what counts, what is wrong, and the schema."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.command import run

KEY = "key-of-a-person-1"
ENV = f"""DITTO_SHARED_PROVIDERS=mine
DITTO_SHARED_PROVIDER_MINE_API_KEY={KEY}
DITTO_SHARED_PROVIDER_MINE_BASE_URL=https://api.example.com/v1
DITTO_SHARED_PROVIDER_MINE_MODEL=m-{KEY}
DITTO_SHARED_PROVIDER_MINE_APIKEY=misspelt-secret
DITTO_WORKER_CONTEXT_STORE=redis://user:hush-hush@example.com/0
OTHER_TOKEN=token-in-the-file
"""
SERVERS = """workers: { interaction: { mcp: { servers: {
  mine: { command: serve, args: [--key, token-in-the-file], envFrom: { A_TOKEN: MY_VARIABLE } } } } } }
"""
SECRETS = (KEY, "misspelt-secret", "hush-hush", "token-in-the-file", "from-the-process")
MISTAKES = """runtime:
  maxTurn: 3
  timeoutMs: soon
  policy: { deny: [nope, "read:ok", "bad:x", 3] }
  network: { proxy: "http://x" }
shared: { providers: { deepseek: { apiKey: canary-value } } }
"""


def test_the_effective_values_are_shown_one_a_line(folder: Path) -> None:
    (folder / "ditto.yaml").write_text("runtime: { maxTurns: 3 }\n", "utf-8")
    ended = run(["config", "show"], folder)
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert f"workspace: {folder}" in lines
    assert {"runtime.maxTurns: 3", "runtime.timeoutMs: 120000", "grants.read: true"} <= set(lines)


def test_every_value_says_where_it_came_from(folder: Path) -> None:
    own = folder.parent / "home" / ".config" / "ditto"
    own.mkdir(parents=True)
    (own / "ditto.yaml").write_text("runtime: { react: { maxRepeats: 2 } }\n", "utf-8")
    (folder / "ditto.yaml").write_text("runtime: { maxTurns: 3, policy: { deny: ['read:x/**'] } }\n", "utf-8")
    (folder / ".env").write_text("DITTO_SHARED_SANDBOX_ALLOW_EXECUTE=false\n", "utf-8")
    words = ["config", "show", "--origin", "--allow-write", "-o", "json"]
    result = run(words, folder, env={"DITTO_RUNTIME_ENV": "ci"}).document()["result"]
    origins = result["origins"]
    assert origins["settings"]["runtime.maxTurns"] == f"project {folder}/ditto.yaml:1:22"
    assert origins["settings"]["runtime.policy.deny"].startswith(f"project {folder}/ditto.yaml:1:")
    assert origins["settings"]["runtime.react.maxRepeats"] == f"user {own}/ditto.yaml:1:33"
    assert origins["settings"]["runtime.timeoutMs"].startswith("packaged ")
    assert origins["settings"]["runtime.policy.ask"] == "default"
    assert origins["environment"] == {
        "DITTO_RUNTIME_ENV": "environment",
        "DITTO_SHARED_SANDBOX_ALLOW_EXECUTE": f"{folder}/.env:1",
    }
    assert origins["grants"]["write"] == "--allow-write"
    assert result["settings"]["runtime"]["maxTurns"] == 3
    assert f"runtime.maxTurns: 3  # project {folder}/ditto.yaml:1:22\n" in run(words[:3], folder).out


@pytest.mark.parametrize("words", [[], ["--origin"], ["-o", "json"], ["--origin", "-o", "json"]])
@pytest.mark.parametrize("trust", [[], ["--trust-project"]])
def test_no_secret_is_shown(folder: Path, words: list[str], trust: list[str]) -> None:
    (folder / ".env").write_text(ENV, "utf-8")
    (folder / "ditto.yaml").write_text(SERVERS, "utf-8")
    env = {"DITTO_WORKER_INTERACTION_BRAVE_SEARCH_API_KEY": "from-the-process", "MY_VARIABLE": "from-the-process"}
    ended = run(["config", "show", *words, *trust], folder, env=env)
    assert ended.code == 0, ended.err
    assert [secret for secret in SECRETS if secret in ended.out + ended.err] == []
    if trust:
        assert "https://api.example.com/v1" in ended.out
        assert "MY_VARIABLE" in ended.out


def test_what_an_untrusted_project_did_not_get_is_listed_with_its_reason(folder: Path) -> None:
    (folder / "ditto.yaml").write_text("runtime: { maxTurns: 500 }\n", "utf-8")
    result = run(["config", "show", "-o", "json"], folder).document()["result"]
    assert result["settings"]["runtime"]["maxTurns"] == 8
    assert result["ignored"] == [
        {"name": "runtime.maxTurns", "reason": "raises a limit", "where": f"{folder}/ditto.yaml:1:22"}
    ]


def test_a_configuration_that_cannot_be_used_is_an_error(folder: Path) -> None:
    (folder / "ditto.yaml").write_text("runtime: { maxTurns: many }\n", "utf-8")
    ended = run(["config", "show", "-o", "json"], folder)
    assert ended.code == 6
    assert "ditto.yaml:1:22" in ended.document()["error"]["message"]


def test_every_mistake_of_a_file_is_named_with_its_place(folder: Path) -> None:
    (folder / "bad.yaml").write_text(MISTAKES, "utf-8")
    ended = run(["config", "validate", "bad.yaml"], folder)
    assert ended.code == 6
    places = [line.split(" ")[0:2] for line in ended.out.splitlines() if not line.startswith(" ")]
    assert places == [
        ["bad.yaml:5:3:", "runtime.network:"],
        ["bad.yaml:2:3:", "runtime.maxTurn:"],
        ["bad.yaml:3:14:", "runtime.timeoutMs:"],
        ["bad.yaml:4:20:", "runtime.policy.deny[0]:"],
        ["bad.yaml:4:37:", "runtime.policy.deny[2]:"],
        ["bad.yaml:4:46:", "runtime.policy.deny[3]:"],
        ["bad.yaml:6:36:", "shared.providers.deepseek.apiKey:"],
    ]
    assert "hint: Did you mean maxTurns?" in ended.out
    assert ended.err == "error: bad.yaml: 7 mistakes\n"
    assert "canary-value" not in ended.out + ended.err


def test_the_mistakes_are_data_too(folder: Path) -> None:
    (folder / "bad.yaml").write_text("runtime: { timeoutMs: soon }\n", "utf-8")
    document = run(["config", "validate", "bad.yaml", "-o", "json"], folder).document()
    assert document["exitCode"] == 6
    assert document["result"] == {
        "file": "bad.yaml",
        "valid": False,
        "problems": [
            {"where": "bad.yaml:1:23", "key": "runtime.timeoutMs", "message": "a whole number is needed"},
        ],
    }


@pytest.mark.parametrize("text", ["", "# nothing\n", "runtime: { maxTurns: 3 }\n"])
def test_a_file_without_a_mistake_is_valid(folder: Path, text: str) -> None:
    (folder / "good.yaml").write_text(text, "utf-8")
    ended = run(["config", "validate", "good.yaml"], folder)
    assert (ended.code, ended.out, ended.err) == (0, "good.yaml: valid\n", "")


@pytest.mark.parametrize("text", ["a: [1\n", "- 1\n", "a: 1\na: 2\n", "&x a: *x\n", "a: \x01\n"])
def test_what_is_no_strict_yaml_is_a_mistake_with_its_line(folder: Path, text: str) -> None:
    (folder / "bad.yaml").write_text(text, "utf-8")
    ended = run(["config", "validate", "bad.yaml"], folder)
    assert ended.code == 6
    assert ended.out.startswith("bad.yaml:")


def test_what_is_no_file_fails_at_once(folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    for name in ("missing.yaml", "pipe", "."):
        assert run(["config", "validate", name], folder).code == 6


def test_the_own_file_may_hold_what_a_project_may_not(folder: Path) -> None:
    own = folder.parent / "home" / ".config" / "ditto"
    own.mkdir(parents=True)
    for place in (own, folder):
        (place / "ditto.yaml").write_text("runtime: { sandbox: { minLevel: weak } }\n", "utf-8")
    assert run(["config", "validate", str(own / "ditto.yaml")], folder).code == 0
    assert run(["config", "validate", "ditto.yaml"], folder).code == 6


def test_the_schema_is_that_of_the_schema_command(folder: Path) -> None:
    schema = run(["config", "schema"], folder)
    assert json.loads(schema.out)["title"] == "ditto.yaml"
    assert schema.out == run(["schema", "config"], folder).out


def test_a_misspelt_subcommand_is_named_with_the_nearest(folder: Path) -> None:
    ended = run(["config", "shw", "-o", "json"], folder)
    assert ended.code == 2
    assert ended.document()["error"]["hint"] == "Did you mean show?"
