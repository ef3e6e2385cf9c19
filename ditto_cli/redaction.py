"""Configuration as it may be shown: without keys, tokens and passwords."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ditto_core.settings.schema_mcp import is_secret_name
from ditto_core.settings.secret_text import SecretText
from ditto_core.settings.variables import FIXED, provider_of

HIDDEN = "********"
_USER = re.compile(r"(?<=://)[^/?#\s]*@")
"""Who logs in, in an address."""
_SHORTEST = 8
"""Characters from which on a secret is looked for inside other values."""


class Redaction:
    """Hides what is known to be a secret, what is called one, and what nobody knows."""

    def __init__(self, secrets: Iterable[SecretText]) -> None:
        texts = {secret.reveal() for secret in secrets}
        self._secrets = sorted((text for text in texts if len(text) >= _SHORTEST), key=len, reverse=True)

    def variable(self, name: str, text: str) -> str:
        """The value of a variable; of one that is a secret, or that Ditto does not know, only that it is set."""
        provider = provider_of(name)
        known = name in FIXED or (provider is not None and provider[1] != "API_KEY")
        return self.text(text) if known and not is_secret_name(name) else HIDDEN

    def json(self, value: Any) -> Any:
        """JSON with every text redacted, and the value of every key that names a secret."""
        if isinstance(value, Mapping):
            return {key: self._under(str(key), inner) for key, inner in value.items()}
        if isinstance(value, list | tuple):
            return [self.json(inner) for inner in value]
        return self.text(value) if isinstance(value, str) else value

    def text(self, text: str) -> str:
        """A text without the secrets in it and without the user and password of an address."""
        for secret in self._secrets:
            text = text.replace(secret, HIDDEN)
        return _USER.sub(f"{HIDDEN}@", text)

    def _under(self, key: str, value: Any) -> Any:
        if key in ("envFrom", "headersFromEnv"):
            return value  # names of variables
        return HIDDEN if isinstance(value, str) and is_secret_name(key) else self.json(value)
