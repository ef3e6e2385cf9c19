"""Only a harmless one-line error of an outsider is passed on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_core.sandbox.safe_error import safe_error

KEY = "sk-" + "a1B2" * 6


@pytest.mark.parametrize(
    "message",
    [
        "the file docs/a.md does not exist",
        "HTTP 404 from https://api.example.com/v1/items",
        "expected text/html and/or application/json, got n/a",
        "ratio 3/4 is too low (limit 1 / 2)",
        "cannot open ./docs/../a.md",
        "rate limit reached, 5 tokens left; try again in 3 s",
        "the token is expired",
        "unknown id 123e4567-e89b-12d3-a456-426614174000",
        "syntax error in a.py at line 3",
        "naïve café: ungültig 你好",
        "x" * 512,
    ],
)
def test_a_plain_message_passes_unchanged(message: str) -> None:
    assert safe_error("NOT_FOUND", message) == ("NOT_FOUND", message)


@pytest.mark.parametrize("code", ["", "a b", "É", "x" * 65, "a\n", "a/b", None, 404])
def test_a_code_of_other_characters_is_unsafe(code: object) -> None:
    assert safe_error(code, "fine") is None


@pytest.mark.parametrize("code", ["E", "http.404", "a-b_c", "x" * 64, "500"])
def test_a_code_of_letters_digits_and_marks_is_safe(code: str) -> None:
    assert safe_error(code, "fine") == (code, "fine")


@pytest.mark.parametrize(
    "message", ["", "  ", "x" * 513, "a\nb", "a\tb", "\x1b[2J", "a\u202eb", "a\u2028b", "\ud800", None, 3]
)
def test_a_message_of_several_lines_or_with_controls_is_unsafe(message: object) -> None:
    assert safe_error("CODE", message) is None


@pytest.mark.parametrize(
    "message",
    [
        *(f"invalid key {KEY}", "api_key=abc", "password: hunter2", '"token": "abc"', "Authorization: x"),
        *("used Bearer abcdefgh12", "https://me:pw@example.com/x", "postgres://me:pw@db/x", "AKIAABCDEFGH1234"),
        *("ghp_" + "a" * 20, "AIza" + "b" * 20, "eyJhbGciOiJ9.eyJzdWIi", "-----BEGIN PRIVATE KEY-----"),
        *("https://e.com/?api_key=abc", "got " + "a1" * 20, "client_secret=abc"),
    ],
)
def test_a_message_with_a_credential_is_unsafe(message: str) -> None:
    assert safe_error("CODE", message) is None


@pytest.mark.parametrize(
    "message",
    [
        *(
            "/etc/passwd is missing",
            "open('/home/me/x')",
            "in C:\\Users\\me",
            "C:/x",
            "\\\\server\\share",
            "~/x",
            "~me/x",
        ),
        *("file:///etc/passwd", "path=/srv/x", "see:/srv/x", "error./etc/passwd", "(//srv//x)"),
    ],
)
def test_a_message_with_an_absolute_path_is_unsafe(message: str) -> None:
    assert safe_error("CODE", message) is None


@pytest.mark.parametrize(
    "message",
    [
        "Traceback (most recent call last):",
        'File "tool.py", line 3, in run',
        "line 3, in run",
        "at run (tool.js:3:14)",
        "at tool.js:3:14",
        "goroutine 1 [running]",
    ],
)
def test_a_message_with_a_stack_frame_is_unsafe(message: str) -> None:
    assert safe_error("CODE", message) is None


@given(st.text(), st.text())
def test_whatever_passes_is_unchanged(code: str, message: str) -> None:
    assert safe_error(code, message) in (None, (code, message))
