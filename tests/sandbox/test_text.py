"""Text from outside cannot move the cursor, change direction, hide or overwrite anything."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_core.sandbox.text import clean_line, clean_text, is_clean_line

ANY_TEXT = st.text(st.one_of(st.characters(), st.sampled_from("\x1b\x07\r\n\t\x9b\u202e\u2066\U000e0041\ud800\u2028a")))
BIDI = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}


def is_forbidden(character: str) -> bool:
    """Said in another way than the code under test does."""
    number = ord(character)
    category = unicodedata.category(character)
    return (
        (category == "Cc" and character not in "\n\t")
        or category == "Cs"
        or number in BIDI
        or 0xE0000 <= number <= 0xE007F
    )


@given(ANY_TEXT)
def test_clean_text_holds_nothing_forbidden_and_cleaning_twice_changes_nothing(text: str) -> None:
    cleaned = clean_text(text)
    assert not [character for character in cleaned if is_forbidden(character)]
    assert clean_text(cleaned) == cleaned
    cleaned.encode()


@given(ANY_TEXT)
def test_ordinary_text_is_kept(text: str) -> None:
    ordinary = "".join(character for character in text if not is_forbidden(character))
    assert clean_text(ordinary) == ordinary


def test_every_single_character_is_judged_right() -> None:
    wrong = [
        number
        for number in range(0x110000)
        if (clean_text(chr(number)) != chr(number)) != is_forbidden(chr(number)) and not 0x206A <= number <= 0x206F
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]52;c;cm0=\x07", "\\x1b]52;c;cm0=\\x07"),
        ("\x1b[2J\x9b31m", "\\x1b[2J\\x9b31m"),
        ("denied\rallowed", "denied\nallowed"),
        ("a\r\nb\r\r\nc", "a\nb\n\nc"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("hi\U000e0068\U000e0069", "hi\\U000e0068\\U000e0069"),
        ("half \ud83d", "half \\ud83d"),
        ("a\0b\x7f", "a\\x00b\\x7f"),
        ("tab\tand\nline é 你好 👩‍👩‍👧 שלום", "tab\tand\nline é 你好 👩‍👩‍👧 שלום"),
    ],
)
def test_what_is_taken_out_stays_visible(text: str, shown: str) -> None:
    assert clean_text(text) == shown


def test_a_megabyte_of_escapes_is_cleaned() -> None:
    assert clean_text("\x1b" * 1_000_000) == "\\x1b" * 1_000_000


@given(ANY_TEXT, st.integers(1, 30))
def test_a_clean_line_is_one_line_within_its_limit(text: str, limit: int) -> None:
    line = clean_line(text, limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert is_clean_line(line)
    assert clean_line(line, limit) == line


@pytest.mark.parametrize(
    ("text", "limit", "line"),
    [
        ("one\ntwo\r\n\tx", 50, "one\\ntwo\\r\\n\\tx"),
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcde…"),
        ("ab\x1b", 5, "ab\\x…"),
        ("x\u2028y", 50, "x\\u2028y"),
    ],
)
def test_a_line_escapes_line_breaks_and_is_cut_with_an_ellipsis(text: str, limit: int, line: str) -> None:
    assert clean_line(text, limit) == line


def test_nothing_forbidden_counts_as_printable() -> None:
    forbidden = [chr(number) for number in range(0x110000) if is_forbidden(chr(number))]
    assert len(forbidden) > 2000
    assert [character for character in (*forbidden, *"\t\n\u2028\u2029") if character.isprintable()] == []
