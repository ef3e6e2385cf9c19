"""Patterns of rules: `*` in a segment, `**` across, and what lies below."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_core.errors import InvalidInputError
from ditto_core.sandbox.rules import Rule
from ditto_core.settings.rules import MAX_PATTERN


@pytest.mark.parametrize(
    ("rule", "covered", "free"),
    [
        ("read:docs/a.md", ["docs/a.md", "DOCS/A.md", "docs/a.md/x"], ["docs", "docs/a.mdx", "x/docs/a.md"]),
        ("read:docs/*.md", ["docs/a.md", "docs/.md"], ["docs/sub/a.md", "docs/a.txt"]),
        ("read:docs/**", ["docs", "docs/a", "docs/a/b/c"], ["docs2", "x/docs"]),
        ("read:docs", ["docs", "docs/a/b"], ["docs.md"]),
        ("read:./docs/", ["docs/a"], ["a"]),
        ("read:**/private", ["private", "a/private", "a/b/private/c"], ["aprivate", "a/privateer"]),
        ("read:**/*.key", ["x.key", "a/b/x.key"], ["x.key2"]),
        ("read:a/**/z", ["a/z", "a/b/z", "a/b/c/z"], ["az", "a/bz"]),
        ("read:a**z", ["az", "a/b/z", "a/z/below"], ["b/az"]),
        ("read:*", [".", "a", "a/b"], []),
        ("read:**", [".", "a", "a/b"], []),
        ("read:.", [".", "a", "a/b"], []),
        ("read:[a].md", ["[a].md"], ["a.md"]),
        ("write:stra\u00dfe", ["STRASSE/x"], ["strase"]),
        ("tool:write_*", ["write_text"], ["WRITE_text", "rewrite_text"]),
        ("tool:*", ["anything"], []),
        ("mcp:github", ["github", "github/search"], ["github2/search"]),
        ("mcp:github/*", ["github/search", "github/a/b"], ["github", "git/search"]),
        ("mcp:*/delete_*", ["x/delete_all"], ["x/undelete_all"]),
        ("execute:git", ["git", "/usr/bin/git"], ["/usr/bin/git-lfs", "legit"]),
        ("execute:*", ["/usr/bin/git", "git", ""], []),
        (
            "network:https://*.example.com",
            ["https://a.example.com", "https://a.b.example.com"],
            ["https://example.com"],
        ),
        ("network:HTTPS://API.example.com:443/", ["https://api.example.com"], ["http://api.example.com"]),
        ("network:*", ["https://a.b"], []),
    ],
)
def test_a_rule_covers_exactly_this(rule: str, covered: list[str], free: list[str]) -> None:
    parsed = Rule.parse(rule)
    assert [name for name in covered if not parsed.matches(name)] == []
    assert [name for name in free if parsed.matches(name)] == []


@pytest.mark.parametrize(
    "text",
    [
        *("docs/**", "", ":", "read:", "raed:docs", "read:/etc/**", "read:../x", "write:~/x", "read:a\nb"),
        *("network:api.example.com", "network:https://a.b/path", f"tool:{'x' * (MAX_PATTERN + 1)}"),
    ],
)
def test_a_rule_that_could_never_match_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError):
        Rule.parse(text)


def test_a_misspelt_kind_names_the_nearest_one() -> None:
    with pytest.raises(InvalidInputError) as caught:
        Rule.parse("raed:docs")
    assert caught.value.hint == "Did you mean read?"


def test_a_rule_prints_as_it_was_written_and_keeps_its_source() -> None:
    rule = Rule.parse(" read : ./docs ", "ditto.yaml:3")
    assert (str(rule), rule.source) == ("read:./docs", "ditto.yaml:3")


def test_a_pattern_of_many_wildcards_is_not_slow() -> None:
    rule = Rule.parse("read:" + "**a" * 200 + "b")
    assert not rule.matches("a" * 2000)  # a backtracking matcher would not come back


def expected(pattern: str, name: str) -> bool:
    """The same language as a regular expression; only for short patterns, because that may backtrack."""
    while pattern.endswith("/**"):
        pattern = pattern.removesuffix("/**")
    pieces = re.split(r"((?:(?<=/)|(?<![^/]))\*\*/|\*\*|\*)", pattern)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    regex = "".join(words.get(piece, re.escape(piece)) for piece in pieces)
    return re.fullmatch(f"(?:{regex})(?:/.*)?", name) is not None or pattern in ("*", "**")


@given(st.text("ab/*", min_size=1, max_size=8), st.text("ab/", min_size=1, max_size=8))
def test_matching_agrees_with_a_regular_expression(pattern: str, name: str) -> None:
    rule = Rule("mcp", pattern)
    assert rule.matches(name) == expected(pattern, name)
