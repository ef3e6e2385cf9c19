"""The JSON Schemas, made from the types. The committed copies in docs/schemas are compared with them by a test."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema

from ditto_core.contracts.events import RunCompleted, TaggedEvent
from ditto_core.settings.schema import Settings

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_ENVELOPE = {
    "v": {"const": 1, "description": "Version of this schema."},
    "seq": {"type": "integer", "minimum": 1, "description": "1, 2, 3 and so on, without gaps."},
    "ts": {"type": "string", "format": "date-time", "description": "RFC 3339, UTC."},
    "runId": {"type": "string", "description": "The same for every event of a command."},
}


def schema_of(document: str) -> dict[str, Any]:
    """The schema of `events`, `result` or `config`."""
    match document:
        case "events":
            return _titled(_events(), "One event of ditto -o ndjson")
        case "result":
            return _titled(_result(), "The document of ditto -o json")
        case _:
            made = Settings.model_json_schema(by_alias=True, mode="validation", schema_generator=_Input)
            return _titled(made, "ditto.yaml")


def _events() -> dict[str, Any]:
    adapter: TypeAdapter[Any] = TypeAdapter(TaggedEvent)
    schema = adapter.json_schema(by_alias=True, mode="validation", schema_generator=_Input)
    for name in _event_names(schema):
        event = schema["$defs"][name]
        event["properties"] = {**_ENVELOPE, **event["properties"]}
        event["required"] = [*_ENVELOPE, *dict.fromkeys(["type", *event.get("required", [])])]
    return schema


def _event_names(schema: dict[str, Any]) -> list[str]:
    return [entry["$ref"].rpartition("/")[2] for entry in schema["oneOf"]]


def _result() -> dict[str, Any]:
    schema = RunCompleted.model_json_schema(by_alias=True, mode="validation", schema_generator=_Input)
    del schema["properties"]["type"]
    written = ("command", "status", "exitCode", "actionRequests", "denied", "warnings")
    schema["required"] = list(written)
    return schema


def _titled(schema: dict[str, Any], title: str) -> dict[str, Any]:
    return {"$schema": DIALECT, **schema, "title": title}


class _Input(GenerateJsonSchema):
    """A generator that leaves out the titles it would make from field names: they only repeat them."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never."""
        return False
