"""Words as they are compared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_core.workers.context.lexical import Candidate, best_matches
from ditto_core.workers.context.term import folded, query_terms, terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Green TEA, green-tea!", ["green", "tea", "green", "tea"]),
        ("read_text", ["read", "text", "readtext"]),
        ("readText", ["read", "text", "readtext"]),
        ("HTTPServer", ["http", "server", "httpserver"]),
        ("__init__", ["init"]),
        ("timeouts classes class bus", ["timeout", "classe", "class", "bus"]),
        ("Café CAFÉ Cafe\u0301 straße", ["cafe", "cafe", "cafe", "strasse"]),
        ("３ｘ", ["3x"]),
        ("東京都", ["東", "京", "都", "東京", "京都"]),
        ("가나", ["가", "나", "가나"]),
        ("v1.2 ...", ["v1", "2"]),
        ("", []),
    ],
)
def test_a_text_is_its_folded_words(text: str, found: list[str]) -> None:
    assert terms(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("How do I set the timeout?", ["set", "timeout"]),
        ("what is this", ["what", "is", "thi"]),
        ("東京", ["東京"]),
        ("茶", ["茶"]),
        ('"tea" AND NEAR(x) OR *', ["tea", "near", "x"]),
    ],
)
def test_a_query_is_plain_words_without_function_words_unless_there_are_no_others(text: str, found: list[str]) -> None:
    assert query_terms(text) == found


@given(st.text(max_size=40))
def test_whatever_a_query_says_a_text_that_is_the_query_has_one_of_its_words(text: str) -> None:
    assert set(query_terms(text)) <= set(terms(text))
    if query_terms(text):
        assert best_matches([Candidate("a", text), Candidate("b", "")], text)[0].thing == "a"


@given(st.text(max_size=40))
def test_folding_twice_changes_nothing_for_letters(text: str) -> None:
    assert folded(folded(text)) == folded(folded(folded(text)))


def found(query: str, *texts: str) -> list[int]:
    return [match.thing for match in best_matches([Candidate(n, text) for n, text in enumerate(texts)], query)]


def test_more_of_the_words_and_rarer_words_come_first_and_equal_texts_keep_their_order() -> None:
    assert found("green tea", "tea", "green tea", "coffee", "green tea") == [1, 3, 0]
    assert found("tea zebra", "tea", "tea", "zebra", "tea") == [2, 0, 1, 3]
    assert found("tea", "tea and a long story about the sea", "tea") == [1, 0]


def test_no_word_in_common_is_no_match() -> None:
    assert found("tea", "steam", "teapot") == []
    assert found("???", "what") == []


def test_what_shares_only_a_common_word_with_the_query_is_left_out_beside_a_real_match() -> None:
    common = ["the kettle boils"] * 8
    assert found("kettle whistle aardvark", "the kettle is an aardvark and will whistle", *common) == [0]
    assert found("kettle", *common) == list(range(8))


def test_words_beside_the_text_count_too() -> None:
    assert [match.thing for match in best_matches([Candidate("a", "two minutes", "Green tea")], "tea")] == ["a"]
