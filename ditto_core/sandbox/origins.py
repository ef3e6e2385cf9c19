"""Exact origins `scheme://host[:port]`, as a caller names them."""

from __future__ import annotations

from ditto_core.errors import InvalidInputError
from ditto_core.settings.origin import parse_origin

_HINT = "Write it as scheme://host[:port], as in https://api.example.com or http://127.0.0.1:8080."


def normalise_origin(text: str) -> str:
    """The one spelling of an origin, as `parse_origin` makes it.

    Raises InvalidInputError. The text itself is not repeated in the message, it may hold a password.
    """
    try:
        return parse_origin(text)
    except ValueError as error:
        raise InvalidInputError(f"this is not an exact origin: {error}", hint=_HINT) from None
