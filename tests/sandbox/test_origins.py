"""An origin has one spelling, and everything that is not exactly an origin is refused."""

from __future__ import annotations

import pytest

from ditto_core.errors import InvalidInputError
from ditto_core.sandbox.origins import normalise_origin


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("https://api.example.com", "https://api.example.com"),
        ("HTTPS://API.Example.COM.:443/", "https://api.example.com"),
        ("http://localhost:80", "http://localhost"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("https://example.com:080", "https://example.com:80"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://[0:0::1]", "http://[::1]"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("http://my_host", "http://my_host"),
    ],
)
def test_an_origin_is_normalised(text: str, normal: str) -> None:
    assert normalise_origin(text) == normal
    assert normalise_origin(normal) == normal


@pytest.mark.parametrize(
    "text",
    [
        *("", "*", "example.com", "//example.com", "ftp://example.com", "file:///etc/passwd", "https://"),
        *(
            "https://user:pw@example.com",
            "https://example.com@127.0.0.1",
            "https://example.com/v1",
            "https://e.com?x=1",
        ),
        *("https://e.com#x", "https://*.example.com", "https://exa mple.com", "https://e.com\n", " https://e.com"),
        *("https://bücher.example", "https://ｅxample.com", "https://e%2ecom", "https://e.com\\x", "https://e..com"),
        *("http://2130706433", "http://127.1", "http://0x7f000001", "http://0177.0.0.1", "http://1.2.3.4.5"),
        *("http://[::1", "http://[::ffff:999.0.0.1]", "http://e.com:0", "http://e.com:65536", "http://e.com:"),
        *("http://-e.com", f"http://{'a' * 64}.com", f"http://{'a.' * 130}com", "http://.", "http://[fe80::1%25eth0]"),
        *("http://[::1]example.com", "http://[::1].", "http://[::1]:80:80"),
    ],
)
def test_what_is_not_exactly_an_origin_is_refused(text: str) -> None:
    with pytest.raises(InvalidInputError):
        normalise_origin(text)


def test_a_password_in_a_refused_origin_is_not_repeated() -> None:
    with pytest.raises(InvalidInputError) as caught:
        normalise_origin("https://me:hunter2hunter2@example.com")
    assert "hunter2" not in f"{caught.value} {caught.value.hint}"
