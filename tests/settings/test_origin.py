"""Origins and base URLs in one normal form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_core.settings.origin import origin_of, parse_base_url, parse_origin


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://api.example.com", "https://api.example.com"),
        ("HTTPS://API.Example.COM:443/", "https://api.example.com"),
        ("http://example.com:80", "http://example.com"),
        ("http://example.com:443", "http://example.com:443"),
        ("https://example.com.", "https://example.com"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434"),
        ("http://[0:0:0:0:0:0:0:1]:80", "http://[::1]"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("http://my_host", "http://my_host"),
    ],
)
def test_an_origin_has_one_form(url: str, origin: str) -> None:
    assert parse_origin(url) == origin
    assert origin_of(url.rstrip("/") + "/path?query#fragment") == origin


@pytest.mark.parametrize(
    "url",
    [
        *("", "example.com", "//example.com", "ftp://example.com", "file:///etc/passwd", "https://", "https:///x"),
        *("https://user@example.com", "https://user:pw@example.com", "https://@example.com"),
        *("https://exa mple.com", "https://example.com\n", "https://example.com\\@evil.com", "https://\x00"),
        *("https://example.com:0", "https://example.com:99999", "https://example.com:", "https://example.com:a"),
        *(
            "http://127.1",
            "http://2130706433",
            "http://0x7f000001",
            "http://0177.0.0.1",
            "http://0",
            "http://1.2.3.4.5",
        ),
        *("https://bücher.example", "https://①②⑦.0.0.1", "https://a..b", "https://-a.com", "https://*.example.com"),
        *(
            "https://[::1",
            "https://[zz]",
            "https://[fe80::1%25eth0]",
            f"https://{'a' * 64}.com",
            "https://exam%70le.com",
            "https://[::1]example.com",
            "https://[::1].:443",
        ),
    ],
)
def test_what_is_no_plain_http_origin_is_refused(url: str) -> None:
    for read in (origin_of, parse_origin, parse_base_url):
        with pytest.raises(ValueError):
            read(url)


@pytest.mark.parametrize(
    "url", ["https://a.b/path", "https://a.b/?q", "https://a.b?", "https://a.b#", "https://a.b/#f"]
)
def test_an_origin_has_no_path_query_or_fragment(url: str) -> None:
    with pytest.raises(ValueError, match="without a path"):
        parse_origin(url)


def test_a_base_url_keeps_its_path_and_loses_its_trailing_slash() -> None:
    assert parse_base_url("https://API.example.com:443/v1/") == "https://api.example.com/v1"
    assert parse_base_url("http://localhost:8080") == "http://localhost:8080"
    assert parse_base_url("https://a.b/Case/Kept//") == "https://a.b/Case/Kept"
    for url in ("https://a.b/v1?key=canary", "https://a.b/v1#canary", "https://a.b/?"):
        with pytest.raises(ValueError, match="query or fragment") as caught:
            parse_base_url(url)
        assert "canary" not in str(caught.value)


@given(st.text(max_size=40) | st.text("ahtps:/.@[]0x1#?%", max_size=30).map("https://".__add__))
def test_any_text_has_a_stable_normal_form_or_is_refused(text: str) -> None:
    try:
        origin = origin_of(text)
    except ValueError:
        return
    assert parse_origin(origin) == origin
