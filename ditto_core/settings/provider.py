"""One model provider as the environment configures it."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, TypeAlias

from ditto_core.settings.secret_text import SecretText

ProviderKind: TypeAlias = Literal["openai-compatible", "anthropic", "gemini", "offline"]

DEFAULT_KIND: Final[ProviderKind] = "openai-compatible"

DEFAULT_BASE_URLS: Final[dict[ProviderKind, str | None]] = {
    "openai-compatible": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta",
    "offline": None,
}
"""The vendor's own address; `offline` runs in process and has none."""

BUILT_IN: Final = ("offline", "scripted")
"""Providers that are always there, chosen by name. They do not count as configured."""


class ProviderConfig(NamedTuple):
    """An enabled provider. `base_url` has no trailing slash; it is None for a provider that runs in process.

    Its behaviour (options, timeouts, field names) is in `Settings.shared.providers` under the same name.
    """

    name: str
    kind: ProviderKind = DEFAULT_KIND
    base_url: str | None = None
    api_key: SecretText | None = None
    model: str | None = None
