"""`shared`: how model providers behave. Where they are and with which key is the environment's."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from ditto_core.contracts.check import After
from ditto_core.contracts.contract import Contract
from ditto_core.contracts.json import JsonObject, ReadOnlyDict
from ditto_core.settings.limits import GROUP, Milliseconds, Section, Table

PROVIDER_NAME = re.compile(r"[a-z][a-z0-9_]*")

_CREDENTIAL_NAMES = frozenset(
    ("apikey", "xapikey", "xgoogapikey", "authorization", "bearer", "accesstoken", "authtoken", "password", "secret")
)


def is_credential_name(name: str) -> bool:
    """Whether a setting of this name would hold a credential: `api_key`, `apiKey`, `Authorization` …"""
    return re.sub(r"[-_ ]", "", name).casefold() in _CREDENTIAL_NAMES


def _provider_name(name: str) -> str:
    if not PROVIDER_NAME.fullmatch(name):
        raise ValueError("a provider's name is lower-case letters, digits and _, a letter first")
    return name


def _without_credentials(options: Any) -> Any:
    for holder in _objects(options):
        if any(is_credential_name(name) for name in holder):
            raise ValueError("a credential does not belong in ditto.yaml: set DITTO_SHARED_PROVIDER_<NAME>_API_KEY")
    return options


def _objects(value: Any) -> list[Mapping[str, Any]]:
    """Every JSON object in a value. The value's depth is bounded, so is this recursion."""
    if isinstance(value, Mapping):
        return [value, *(found for item in value.values() for found in _objects(item))]
    if isinstance(value, list):
        return [found for item in value for found in _objects(item)]
    return []


ProviderName: TypeAlias = Annotated[str, After(_provider_name)]


class ProviderTimeouts(Contract):
    """Limits of one model call, each with its own message. The whole run is bounded by `runtime.timeoutMs`."""

    connect_ms: Milliseconds = Field(10_000, description="Until the connection stands.")
    first_token_ms: Milliseconds = Field(120_000, description="Until the first content; a model may think silently.")
    idle_ms: Milliseconds = Field(120_000, description="Between two pieces of an answer.")


class ProviderSettings(Contract):
    """Behaviour of the provider of this name. Naming one here does not enable it."""

    max_tokens_field: Literal["max_completion_tokens", "max_tokens"] | None = Field(
        None, description="openai-compatible only: the field of the token limit. Default: max_completion_tokens."
    )
    stream_usage: bool | None = Field(
        None, description="openai-compatible only: whether streams are asked for usage. Default: true."
    )
    options: Annotated[JsonObject, After(_without_credentials)] = Field(
        default_factory=ReadOnlyDict, description="Extra fields of the request body, as the vendor names them."
    )
    timeouts: Section[ProviderTimeouts] = GROUP


class SharedSettings(Contract):
    """What several Workers use."""

    providers: Table[ProviderName, Section[ProviderSettings]] = Field(default_factory=ReadOnlyDict)
