"""A canary in the environment and in .env occurs in nothing that the command line prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.command import CHILD, Ended, asks, run, script

CANARY = "canary-value-7f3a9"
ENV = {
    "OPENAI_API_KEY": CANARY,
    "CANARY_TOKEN": CANARY,
    "DATABASE_PASSWORD": CANARY,
    "SOME_SECRET": CANARY,
    "DITTO_WORKER_INTERACTION_BRAVE_SEARCH_API_KEY": CANARY,
}
DOTENV = (
    "DITTO_SHARED_PROVIDERS=mine\nDITTO_SHARED_PROVIDER_MINE_KIND=offline\n"
    f"DITTO_SHARED_PROVIDER_MINE_API_KEY={CANARY}\nANTHROPIC_API_KEY={CANARY}\nDITTO_TYPO_TOKEN={CANARY}\n"
)


@pytest.fixture
def project(folder: Path) -> Path:
    (folder / ".env").write_text(DOTENV, "utf-8")
    beside = folder.parent
    (beside / "broken.yaml").write_text(f"shared: {{ providers: {{ mine: {{ apiKey: {CANARY} }} }} }}\n", "utf-8")
    (beside / "line.env").write_text(f'KEY="{CANARY}\nA=1\n', "utf-8")
    (beside / "blank.env").write_text(f'DITTO_TRANSPORT_HTTP_WORKER_TOKEN="{CANARY} "\n', "utf-8")
    return folder


def clean(ended: Ended) -> bool:
    return CANARY not in ended.out + ended.err


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["react", "summarize README.md"], 6),
        (["react", "summarize README.md", "--trust-project", "-o", "ndjson"], 0),
        (["react", "x", "--dry-run", "--trust-project", "-o", "json"], 0),
        (["react", "x", "--model", "openai/x", "--dry-run"], 6),
        (["react", "x", "--model", "anthropic/x"], 6),
        (["react", "x", "--config", "../broken.yaml", "--debug"], 6),
        (["tool", "list", "--env-file", "../line.env", "--trust-project", "--debug"], 6),
        (["tool", "list", "--env-file", "../blank.env", "--trust-project", "--debug"], 6),
        (["tool", "read_text", "--path", ".env", "--debug"], 4),
        (["tool", "search_text", "--text", "canary-"], 0),
        (["react", "x", "--nope", "--debug"], 2),
    ],
)
def test_no_output_holds_a_secret(project: Path, words: list[str], code: int) -> None:
    ended = run(words, project, env=ENV)
    assert ended.code == code
    assert clean(ended)


def test_a_bug_shows_where_it_is_and_no_message_and_no_value(project: Path) -> None:
    for output in ("text", "json"):
        ended = run([output, "bug"], project, program=CHILD, env=ENV)
        assert ended.code == 1
        assert clean(ended)
        assert "child.py" in ended.err
        for kind in ("ConfigError", "ValueError", "KeyError", "ExceptionGroup"):
            assert kind in ended.err


def test_a_tool_that_fails_with_a_secret_in_its_words_tells_the_type_only(project: Path) -> None:
    ended = run(["ndjson", "react", script(project, asks("crashes"), "x")], project, program=CHILD, env=ENV)
    assert ended.code == 8
    assert clean(ended)
    assert "RuntimeError" in ended.last()["error"]["message"]


def test_debug_shows_where_an_error_came_from_and_nothing_else_does(folder: Path) -> None:
    plain = run(["tool", "read_text", "--path", "../x"], folder)
    debug = run(["--debug", "tool", "read_text", "--path", "../x"], folder)
    assert "session.py" not in plain.err
    assert "session.py" in debug.err
    assert "PermissionDeniedError" in debug.err
    assert plain.out == debug.out == ""
    usage = run(["react", "--nope", "--debug"], folder)
    assert "UsageError" in usage.err


def test_the_variables_of_a_file_do_not_become_the_environment_of_the_process(project: Path) -> None:
    ended = run(["react", "x", "--trust-project", "--model", "anthropic/x"], project)
    assert ended.code == 6
    assert "ANTHROPIC_API_KEY is not set in the process environment" in ended.err
