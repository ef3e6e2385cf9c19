"""Reads the DITTO_* variables as typed values."""

from __future__ import annotations

from pathlib import Path

from ditto_core.nearest import did_you_mean
from ditto_core.settings.environment import Environment
from ditto_core.settings.origin import parse_base_url, parse_origin
from ditto_core.settings.permissions import Permissions
from ditto_core.settings.provider import BUILT_IN, DEFAULT_BASE_URLS, DEFAULT_KIND, ProviderConfig, ProviderKind
from ditto_core.settings.schema_shared import PROVIDER_NAME
from ditto_core.settings.secret_text import SecretText
from ditto_core.settings.variables import ALLOW, PROVIDERS, WORKSPACE, provider_variable


def read_text(environment: Environment, name: str) -> str | None:
    """A variable as one line of text without surrounding white space; None when unset."""
    raw = environment.get(name)
    if raw is None:
        return None
    text = raw.strip()
    if not text:
        raise environment.error("holds only white space", name)
    if not text.isprintable():
        raise environment.error("holds a line break or control character", name)
    return text


def read_key(environment: Environment, name: str) -> SecretText | None:
    """A credential, exactly as it is. White space in or around it is an error that does not show it."""
    text = environment.get(name)
    if text is None:
        return None
    if text != text.strip() or any(character.isspace() for character in text):
        raise environment.error("the key has white space or a line break in or around it", name, hint="Paste it again.")
    if not text.isascii() or not text.isprintable():
        raise environment.error("the key holds a character that no key has", name, hint="Paste it again.")
    return SecretText(text)


def read_list(environment: Environment, name: str) -> tuple[str, ...] | None:
    """A comma list; blanks around its items do not count, and an empty item is an error."""
    text = read_text(environment, name)
    if text is None:
        return None
    items = tuple(item.strip() for item in text.split(","))
    if not all(items):
        raise environment.error("an item of the list is empty", name, hint="Write NAME,NAME or *.")
    return items


def read_switch(environment: Environment, name: str) -> bool | None:
    """`true` or `false`; None when unset."""
    text = read_text(environment, name)
    if text is None:
        return None
    if text.lower() not in ("true", "false"):
        raise environment.error("must be true or false", name)
    return text.lower() == "true"


def read_workspace(environment: Environment, folder: Path) -> Path:
    """The workspace, absolute; a relative one is relative to its `.env` file, else to `folder`. Default: `folder`."""
    raw = environment.get(WORKSPACE)
    if raw is None:
        return folder.absolute()
    if not raw.isprintable():
        raise environment.error("holds a line break or control character", WORKSPACE)
    if raw.startswith("~"):
        raise environment.error("~ is not expanded: write the path out", WORKSPACE)
    return (environment.variables[WORKSPACE].folder or folder).absolute() / raw


def read_permissions(environment: Environment) -> Permissions:
    """The DITTO_SHARED_SANDBOX_ALLOW_* variables."""
    return Permissions(
        read=read_switch(environment, f"{ALLOW}READ"),
        write=read_switch(environment, f"{ALLOW}WRITE"),
        execute=read_switch(environment, f"{ALLOW}EXECUTE"),
        tools=_names(environment, f"{ALLOW}TOOLS"),
        mcp=_names(environment, f"{ALLOW}MCP"),
        skills=_names(environment, f"{ALLOW}SKILLS"),
        network=_origins(environment, f"{ALLOW}NETWORK"),
    )


def _names(environment: Environment, name: str) -> frozenset[str] | None:
    items = read_list(environment, name)
    if items is None:
        return None
    if any("*" in item and item != "*" for item in items):
        raise environment.error("* stands alone for all; a part of a name cannot be *", name)
    return frozenset(items)


def _origins(environment: Environment, name: str) -> frozenset[str] | None:
    items = read_list(environment, name)
    if items is None:
        return None
    try:
        return frozenset(item if item == "*" else parse_origin(item) for item in items)
    except ValueError as error:
        raise environment.error(
            str(error), name, hint="As in https://api.example.com or http://localhost:8080."
        ) from None


def read_providers(environment: Environment) -> dict[str, ProviderConfig]:
    """The enabled providers by name, in their order."""
    names = read_list(environment, PROVIDERS) or ()
    for name in names:
        if name in BUILT_IN:
            hint = f"Choose it with --model {name if name == 'offline' else name + '/FILE'}."
            raise environment.error(f"{name} is built in and is not enabled here", PROVIDERS, hint=hint)
        if not PROVIDER_NAME.fullmatch(name):
            raise environment.error("a name is lower-case letters, digits and _, a letter first", PROVIDERS)
    if len(set(names)) != len(names):
        raise environment.error("a name is there twice", PROVIDERS)
    return {name: _provider(environment, name) for name in names}


def _provider(environment: Environment, name: str) -> ProviderConfig:
    kind = _kind(environment, name)
    return ProviderConfig(
        name=name,
        kind=kind,
        base_url=_base_url(environment, name, kind),
        api_key=read_key(environment, provider_variable(name, "API_KEY")),
        model=read_text(environment, provider_variable(name, "MODEL")),
    )


def _kind(environment: Environment, name: str) -> ProviderKind:
    variable = provider_variable(name, "KIND")
    text = read_text(environment, variable)
    if text is None:
        _refuse_foreign_default(environment, name)
        return DEFAULT_KIND
    for kind in DEFAULT_BASE_URLS:
        if text == kind:
            return kind
    if text == "local":
        raise environment.error("the kind local is not in this release", variable)
    known = f"It is one of {', '.join(DEFAULT_BASE_URLS)}."
    raise environment.error("unknown kind of provider", variable, hint=did_you_mean(text, DEFAULT_BASE_URLS) or known)


def _refuse_foreign_default(environment: Environment, name: str) -> None:
    """`anthropic` or `gemini` without a kind and an address would send that vendor's key to another vendor."""
    if name in DEFAULT_BASE_URLS and environment.get(provider_variable(name, "BASE_URL")) is None:
        raise environment.error(
            f"the provider {name} has no kind, and the default would send its key to {DEFAULT_BASE_URLS[DEFAULT_KIND]}",
            PROVIDERS,
            hint=f"Set {provider_variable(name, 'KIND')}={name}.",
        )


def _base_url(environment: Environment, name: str, kind: ProviderKind) -> str | None:
    variable = provider_variable(name, "BASE_URL")
    text = read_text(environment, variable)
    if text is None:
        return DEFAULT_BASE_URLS[kind]
    if kind == "offline":
        raise environment.error("a provider of the kind offline has no address", variable)
    try:
        return parse_base_url(text)
    except ValueError as error:
        raise environment.error(str(error), variable) from None
