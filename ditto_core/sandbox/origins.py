"""Exact origins `scheme://host[:port]`, in one spelling."""

from __future__ import annotations

import ipaddress
import re

from ditto_core.errors import InvalidInputError

_ORIGIN = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?P<port>[0-9]{1,5}))?/?", re.IGNORECASE
)
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_HINT = "Write it as scheme://host[:port], as in https://api.example.com or http://127.0.0.1:8080."


def normalise_origin(text: str) -> str:
    """Returns the one spelling of an origin: lower case, no default port, no trailing dot or slash.

    Refused with InvalidInputError: user names, paths, queries, wildcards, other schemes than http and https, hosts
    outside ASCII (write their xn-- form), and numbers that only look like names (`2130706433`, `127.1`, `0x7f000001`).
    The text itself is not repeated in the message, it may hold a password.
    """
    match = _ORIGIN.fullmatch(text)
    if match is None:
        raise InvalidInputError("this is not an exact origin", hint=_HINT)
    scheme = match["scheme"].lower()
    host = _normal_host(match["host"].lower())
    port = int(match["port"]) if match["port"] else _DEFAULT_PORTS[scheme]
    if not 0 < port < 65536:
        raise InvalidInputError("the port of an origin is 1 to 65535", hint=_HINT)
    return f"{scheme}://{host}" if port == _DEFAULT_PORTS[scheme] else f"{scheme}://{host}:{port}"


def _normal_host(host: str) -> str:
    try:
        if host.startswith("["):
            return f"[{ipaddress.IPv6Address(host[1:-1]).compressed}]"
        host = host.removesuffix(".")
        labels = host.split(".")
        if _NUMBER.fullmatch(labels[-1]):  # the URL standard reads such a host as an IPv4 number
            return str(ipaddress.IPv4Address(host))
    except ValueError:
        raise InvalidInputError("the host of this origin is not a plain address", hint=_HINT) from None
    if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        raise InvalidInputError("the host of this origin is not a valid name", hint=_HINT)
    return host
