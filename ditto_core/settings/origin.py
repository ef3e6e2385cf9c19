"""Origins and base URLs, in one normal form, so that comparing text compares addresses."""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import SplitResult, urlsplit

_PORTS: Final = {"http": 80, "https": 443}
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?"
_NUMBER = r"[0-9]+|0x[0-9a-f]*"
_BRACKETED = r"\[[0-9A-Fa-f:.]+\](?::[0-9]+)?"


def origin_of(url: str) -> str:
    """`scheme://host[:port]` of an http(s) URL: lower case, no default port, no trailing dot of the host.

    Raises ValueError, without the URL in it, for another scheme, a missing or odd host (also an IPv4 address in a
    form like `127.1` or `0x7f000001`), an invalid port, or credentials.
    """
    parts = _split(url)
    port = _port(parts)
    return f"{parts.scheme}://{_host(parts)}{'' if port is None else f':{port}'}"


def parse_origin(text: str) -> str:
    """An origin given as such: what `origin_of` takes, without path, query and fragment."""
    parts = _split(text)
    if parts.path not in ("", "/") or "?" in text or "#" in text:
        raise ValueError("an origin is scheme://host[:port], without a path, query or fragment")
    return origin_of(text)


def parse_base_url(text: str) -> str:
    """A base URL: an origin and a path. A trailing slash is dropped; a query or fragment is refused."""
    parts = _split(text)
    if "?" in text or "#" in text:
        raise ValueError("the address must not have a query or fragment")
    return origin_of(text) + parts.path.rstrip("/")


def _split(url: str) -> SplitResult:
    if not url.isprintable() or " " in url or "\\" in url:
        raise ValueError("the address holds white space, a backslash or a control character")
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError("the address is not a URL") from None
    if parts.scheme not in _PORTS or not parts.netloc:
        raise ValueError("the address must begin with https:// or http:// and a host")
    if "@" in parts.netloc:
        raise ValueError("the address must not hold a user name or password")
    return parts


def _port(parts: SplitResult) -> int | None:
    try:
        port = parts.port
    except ValueError:
        raise ValueError("the port must be a number from 1 to 65535") from None
    if port == 0 or parts.netloc.endswith(":"):
        raise ValueError("the port must be a number from 1 to 65535")
    return None if port == _PORTS[parts.scheme] else port


def _host(parts: SplitResult) -> str:
    host = (parts.hostname or "").removesuffix(".")
    if parts.netloc.startswith("["):
        if not re.fullmatch(_BRACKETED, parts.netloc):  # urlsplit drops what follows the bracket, as in `[::1]evil.com`
            raise ValueError("the host is not an IPv6 address")
        try:
            return f"[{ipaddress.IPv6Address(host).compressed}]"
        except ValueError:
            raise ValueError("the host is not an IPv6 address") from None
    if not host.isascii():
        raise ValueError("write the host in its ASCII form (xn--…)")
    labels = host.split(".")
    if len(host) > 253 or not all(len(label) < 64 and re.fullmatch(_LABEL, label) for label in labels):
        raise ValueError("the host is not a valid name")
    if re.fullmatch(_NUMBER, labels[-1]):
        try:
            return str(ipaddress.IPv4Address(host))
        except ValueError:
            raise ValueError("write the IPv4 address as four decimal numbers") from None
    return host
