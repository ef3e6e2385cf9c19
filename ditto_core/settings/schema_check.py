"""Checks a YAML document against `Settings` and says what is wrong where it is."""

from __future__ import annotations

from typing import Annotated, Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from ditto_core.errors import ConfigError
from ditto_core.nearest import did_you_mean
from ditto_core.settings.key_path import KeyPath, shown
from ditto_core.settings.schema import USER_ONLY, Settings
from ditto_core.settings.schema_shared import is_credential_name
from ditto_core.settings.yaml_document import YamlDocument

_NEEDS = {
    "string_type": "text is needed: quote the value",
    "int_type": "a whole number is needed",
    "int_from_float": "a whole number is needed",
    "float_type": "a number is needed",
    "bool_type": "true or false is needed",
    "tuple_type": "a list is needed, [] for an empty one",
    "dict_type": "a mapping (key: value) is needed",
    "mapping_type": "a mapping (key: value) is needed",
    "model_type": "a mapping (key: value) is needed",
    "model_attributes_type": "a mapping (key: value) is needed",
}
_ENVIRONMENT = {
    "baseurl": "BASE_URL",
    "url": "BASE_URL",
    "endpoint": "BASE_URL",
    "host": "BASE_URL",
    "kind": "KIND",
    "type": "KIND",
    "model": "MODEL",
    "key": "API_KEY",
    "token": "API_KEY",
}
"""What people write for a provider in YAML that belongs in its variables."""


def read_settings(document: YamlDocument, *, user_file: bool = False) -> Settings:
    """The document as Settings. `user_file` allows the keys that only the user's own file may hold.

    Raises ConfigError for the first thing that is wrong, with its place and key path; it never quotes a value.
    """
    if not user_file:
        refuse_user_only(document)
    try:
        return Settings.model_validate(document.data, by_name=False, by_alias=True)
    except ValidationError as error:
        raise _config_error(document, error) from None


def refuse_user_only(document: YamlDocument) -> None:
    """Raises ConfigError when the document sets a key that only the user's own file may hold."""
    for path in USER_ONLY:
        if path in document.marks:
            raise document.error(
                "only your own file may set this, not a project's",
                path,
                key=True,
                hint="Move it to ditto.yaml in your own configuration folder.",
            )


def _config_error(document: YamlDocument, error: ValidationError) -> ConfigError:
    details = error.errors(include_url=False, include_context=True, include_input=False)
    first = min(details, key=lambda detail: _order(document, detail))
    path, at_key = _path(first)
    message, hint = _sentence(first, path)
    if len(details) > 1:
        message += f" (and {len(details) - 1} more)"
    return document.error(message, path, key=at_key, hint=hint)


def _order(document: YamlDocument, detail: ErrorDetails) -> tuple[int, int]:
    path, _ = _path(detail)
    mark = document.marks.get(path)
    return mark.value if mark else (0, 0)


def _path(detail: ErrorDetails) -> tuple[KeyPath, bool]:
    """Where the problem is, and whether the key itself is the problem."""
    path = detail["loc"]
    if path and path[-1] == "[key]":
        return path[:-1], True
    return path, detail["type"] == "extra_forbidden"


def _sentence(detail: ErrorDetails, path: KeyPath) -> tuple[str, str | None]:
    kind = detail["type"]
    if kind == "extra_forbidden":
        return f"unknown key {shown(str(path[-1]))}", _hint(path)
    if kind == "missing":
        return "required, but missing", None
    if kind in _NEEDS:
        return _NEEDS[kind], None
    message = detail["msg"].removeprefix("Value error, ").removeprefix("Input ")
    if path[:2] == ("shared", "providers") and len(path) > 2:
        message = message.replace("<NAME>", str(path[2]).upper())
    return message, None


def _hint(path: KeyPath) -> str | None:
    name = str(path[-1])
    folded = name.replace("_", "").replace("-", "").casefold()
    field = "API_KEY" if is_credential_name(name) else _ENVIRONMENT.get(folded)
    if path[:2] == ("shared", "providers") and len(path) == 4 and field:
        return f"It belongs in the environment: set DITTO_SHARED_PROVIDER_{str(path[2]).upper()}_{field}."
    if path[:4] == ("workers", "interaction", "mcp", "servers") and (field == "API_KEY" or folded == "headers"):
        return "ditto.yaml holds no secret: name variables in bearerFromEnv, headersFromEnv or envFrom."
    known = valid_keys(path[:-1])
    if field == "API_KEY":
        return "ditto.yaml holds no credentials: a provider's key is DITTO_SHARED_PROVIDER_<NAME>_API_KEY."
    return did_you_mean(name, known) or (f"Known here: {', '.join(known)}." if known else "No key is known here yet.")


def valid_keys(path: KeyPath) -> tuple[str, ...]:
    """The keys that the group at `path` may have; empty where names are free or there is no such group."""
    annotation: Any = Settings
    for part in path:
        annotation = _below(_bare(annotation), part)
    annotation = _bare(annotation)
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return tuple(str(field.alias) for field in annotation.model_fields.values())
    return ()


def _below(annotation: Any, part: str | int) -> Any:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = annotation.model_fields.values()
        return next((field.annotation for field in fields if field.alias == part), None)
    arguments = get_args(annotation)
    return arguments[-1] if arguments else None


def _bare(annotation: Any) -> Any:
    return _bare(get_args(annotation)[0]) if get_origin(annotation) is Annotated else annotation
