"""One function decides, in one order, and every denial says what would lift it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_core.errors import InvalidInputError, PermissionDeniedError
from ditto_core.sandbox.grants import COMMAND_TOOLS
from ditto_core.sandbox.policy import READ_ONLY, SandboxPolicy, decide
from ditto_core.sandbox.rules import Rule
from ditto_core.sandbox.text import is_clean_line
from ditto_core.settings.rules import KINDS

EVERYTHING = SandboxPolicy(
    read=True, write=True, execute=True, tools=["*"], mcp=["*"], skills=["*"], network=["*"], sources={"read": "a flag"}
)
NAMES = {
    "read": "a.md",
    "write": "a.md",
    "execute": "/usr/bin/grep",
    "tool": "read_text",
    "mcp": "git/log",
    "skill": "review",
    "network": "https://api.example.com",
}


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_granted_by_default(kind: str) -> None:
    decision = decide(SandboxPolicy(), kind, NAMES[kind])
    assert (decision.allowed, decision.rule, decision.askable) == (False, "not granted", True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_deny_rule_wins_over_ask_and_every_grant(kind: str) -> None:
    name = NAMES[kind]
    assert decide(EVERYTHING, kind, name).allowed
    rule = Rule.parse(f"{kind}:{name}", "ditto.yaml:7")
    denied = decide(EVERYTHING.granting("read"), kind, name)
    assert denied.allowed
    policy = SandboxPolicy(read=True, write=True, execute=True, tools=["*"], mcp=["*"], skills=["*"], network=["*"],
                           deny=[rule], ask=[f"{kind}:*"])  # fmt: skip
    decision = decide(policy, kind, name)
    assert (decision.allowed, decision.rule, decision.source) == (False, f"deny {kind}:{name}", "ditto.yaml:7")
    assert "wins over every grant" in (decision.hint or "")
    assert not decision.askable


@pytest.mark.parametrize("kind", KINDS)
def test_an_ask_rule_denies_where_nobody_can_be_asked(kind: str) -> None:
    policy = SandboxPolicy(
        read=True, write=True, execute=True, tools=["*"], mcp=["*"], skills=["*"], network=["*"], ask=[f"{kind}:**"]
    )
    decision = decide(policy, kind, NAMES[kind])
    assert not decision.allowed
    assert decision.askable
    assert "nobody to ask" in (decision.hint or "")


def test_built_in_denials_come_before_every_rule() -> None:
    policy = SandboxPolicy(read=True, write=True, deny=["read:**", "write:**"])
    assert decide(policy, "read", ".env").rule == "secret file"
    assert decide(policy, "write", ".git/config").rule == "protected file"
    assert not decide(policy, "write", ".git/config").askable
    assert decide(policy, "read", "../x").rule == "the path leaves the workspace"


@pytest.mark.parametrize(
    ("kind", "flag", "variable"),
    [
        ("read", "--allow-read", "DITTO_SHARED_SANDBOX_ALLOW_READ=true"),
        ("write", "--allow-write", "DITTO_SHARED_SANDBOX_ALLOW_WRITE=true"),
        ("execute", "--allow-execute", "DITTO_SHARED_SANDBOX_ALLOW_EXECUTE=true"),
        ("tool", "--allow-tool read_text", "DITTO_SHARED_SANDBOX_ALLOW_TOOLS"),
        ("mcp", "--allow-mcp git/log", "DITTO_SHARED_SANDBOX_ALLOW_MCP"),
        ("skill", "--allow-skill review", "DITTO_SHARED_SANDBOX_ALLOW_SKILLS"),
        ("network", "--allow-network https://api.example.com", "DITTO_SHARED_SANDBOX_ALLOW_NETWORK"),
    ],
)
def test_a_denial_names_the_flag_and_the_variable(kind: str, flag: str, variable: str) -> None:
    with pytest.raises(PermissionDeniedError) as caught:
        decide(SandboxPolicy(), kind, NAMES[kind]).require()
    assert flag in (caught.value.hint or "")
    assert variable in (caught.value.hint or "")
    assert (caught.value.kind, caught.value.name) == (kind, NAMES[kind])


def test_the_hint_is_honest_where_nothing_can_grant_it() -> None:
    assert "Nothing can grant this" in (decide(EVERYTHING, "write", "ditto.yaml").hint or "")
    assert "nothing can grant" in (decide(EVERYTHING, "read", "/etc/passwd").hint or "")
    assert "--allow-secret-file .env" in (decide(EVERYTHING, "read", ".env").hint or "")
    assert "--allow-secret-file" not in (decide(EVERYTHING, "write", ".env").hint or "")
    assert "scheme://host" in (decide(EVERYTHING, "network", "example.com").hint or "")


def test_the_flag_that_grants_write_text_and_the_commands_is_the_wider_one() -> None:
    assert "--allow-write" in (decide(SandboxPolicy(), "tool", "write_text").hint or "")
    assert "--allow-execute" in (decide(SandboxPolicy(), "tool", "grep").hint or "")


@pytest.mark.parametrize(("tool", "effect"), [("write_text", "write"), ("grep", "execute")])
def test_the_hint_for_a_tool_with_an_effect_names_all_that_it_takes(tool: str, effect: str) -> None:
    hint = decide(SandboxPolicy(), "tool", tool).hint or ""
    assert f"--allow-{effect}, which grants {effect} and " in hint
    assert f"DITTO_SHARED_SANDBOX_ALLOW_{effect.upper()}=true" in hint
    assert "add it to DITTO_SHARED_SANDBOX_ALLOW_TOOLS" in hint


def test_no_hint_speaks_python() -> None:
    hints = [decide(SandboxPolicy(), kind, name).hint or "" for kind, name in NAMES.items()]
    hints += [decide(SandboxPolicy(), "tool", name).hint or "" for name in ("write_text", "grep")]
    hints.append(decide(SandboxPolicy(read=True), "read", ".env").hint or "")
    assert all(hints)
    assert not [hint for hint in hints if "(" in hint or "{" in hint]


def test_an_allowance_knows_its_rule_its_source_and_whether_it_was_named() -> None:
    named = decide(READ_ONLY, "tool", "read_text")
    assert (named.rule, named.source, named.by_name) == ("allow tool:read_text", "profile read-only", True)
    starred = decide(EVERYTHING, "tool", "read_text")
    assert (starred.rule, starred.by_name) == ("allow tool:*", False)
    assert decide(EVERYTHING, "read", "a").source == "a flag"


def test_the_read_only_profile_reads_and_changes_and_sends_nothing() -> None:
    for kind, name in (("read", "a.md"), ("tool", "search_text"), ("tool", "load_skill"), ("mcp", "files/read")):
        assert decide(READ_ONLY, kind, name).allowed
    for kind in ("write", "execute", "skill", "network"):
        assert not decide(READ_ONLY, kind, NAMES[kind]).allowed
    assert not decide(READ_ONLY, "tool", "write_text").allowed
    assert not decide(READ_ONLY, "mcp", "git").allowed


def test_granting_adds_and_never_changes_the_original() -> None:
    wider = READ_ONLY.granting("write", source="--allow-write").granting("network", "https://A.b:443", source="flag")
    assert decide(wider, "tool", "write_text").source == "--allow-write"
    assert decide(wider, "network", "https://a.b").source == "flag"
    assert decide(wider, "read", "a").source == "profile read-only"
    assert not READ_ONLY.write
    executing = READ_ONLY.granting("execute")
    assert executing.execute
    assert executing.tools >= COMMAND_TOOLS
    assert READ_ONLY.granting("skill", "x").skills == {"x"}
    assert READ_ONLY.granting("mcp", "git/log").mcp == {"files", "git/log"}


def test_a_policy_is_a_snapshot() -> None:
    tools, deny, sources = ["a"], ["tool:b"], {"tool:a": "x"}
    policy = SandboxPolicy(tools=tools, deny=deny, sources=sources)
    tools.append("b")
    deny.clear()
    sources["tool:a"] = "y"
    assert policy == SandboxPolicy(tools={"a"}, deny=["tool:b"])
    assert hash(policy) == hash(SandboxPolicy(tools={"a"}, deny=["tool:b"]))
    assert decide(policy, "tool", "a").source == "x"
    with pytest.raises(AttributeError):
        policy.read = True  # type: ignore[misc]  # frozen, and that is the point


def test_an_mcp_grant_covers_the_server_or_the_tool() -> None:
    server, tool = SandboxPolicy(mcp=["git"]), SandboxPolicy(mcp=["git/log"])
    assert decide(server, "mcp", "git").allowed
    assert decide(server, "mcp", "git/log").by_name
    assert not decide(server, "mcp", "git2/log").allowed
    assert decide(tool, "mcp", "git/log").allowed
    assert decide(tool, "mcp", "git").allowed  # starting the server and asking what it offers
    assert not decide(tool, "mcp", "git/commit").allowed
    assert not decide(tool, "mcp", "gi").allowed


def test_network_grants_are_exact_origins_in_any_spelling() -> None:
    policy = SandboxPolicy(network=["HTTPS://api.Example.com:443/"])
    assert decide(policy, "network", "https://api.example.com.").allowed
    for other in ("http://api.example.com", "https://api.example.com:444", "https://api.example.com.evil.test"):
        assert not decide(policy, "network", other).allowed
    for trick in ("https://api.example.com@127.0.0.1", "https://api.example.com/x", "http://2130706433"):
        assert decide(EVERYTHING, "network", trick).source == "built-in"


@pytest.mark.parametrize("kind", ["tool", "skill", "mcp"])
@pytest.mark.parametrize("name", ["", " ", "a\nb", "\x1b[2J"])
def test_a_name_that_is_no_name_is_denied_even_with_a_star(kind: str, name: str) -> None:
    assert not decide(EVERYTHING, kind, name).allowed


def test_a_star_in_a_name_is_not_a_grant_of_everything() -> None:
    policy = SandboxPolicy(tools=["read_text"], mcp=["git"])
    assert not decide(policy, "tool", "*").allowed
    assert not decide(policy, "mcp", "*").allowed


@pytest.mark.parametrize(
    "wrong",
    [
        {"read": "false"},
        {"write": 1},
        {"tools": "read_text"},
        {"tools": [""]},
        {"tools": ["a\nb"]},
        {"tools": [3]},
        {"tools": ["read_*"]},
        {"mcp": ["git/"]},
        {"mcp": ["/log"]},
        {"mcp": ["git/*"]},
        {"network": ["example.com"]},
        {"network": ["https://*.example.com"]},
        {"secret_files": ["*"]},
        {"secret_files": [".env.*"]},
        {"secret_files": ["../.env"]},
        {"secret_files": ["/home/me/.env"]},
        {"secret_files": ".env"},
        {"deny": "read:docs"},
        {"deny": ["docs"]},
        {"ask": ["read:/etc"]},
    ],
)
def test_a_policy_that_says_something_else_than_it_means_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InvalidInputError):
        SandboxPolicy(**wrong)  # type: ignore[arg-type]  # wrong on purpose


def test_an_unknown_kind_is_an_error_not_a_denial() -> None:
    with pytest.raises(InvalidInputError) as caught:
        decide(EVERYTHING, "tools", "x")
    assert caught.value.hint == "Did you mean tool?"


@given(st.sampled_from(KINDS), st.text(max_size=12))
def test_every_name_gets_a_decision_with_a_rule(kind: str, name: str) -> None:
    for policy in (SandboxPolicy(), EVERYTHING):
        decision = decide(policy, kind, name)
        assert decision.rule
        assert decision.allowed or decision.hint
        assert decision.hint is None or is_clean_line(decision.hint)
    assert not decide(SandboxPolicy(), kind, name).allowed
