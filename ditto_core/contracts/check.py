"""Checks that stand in an annotation: functions of one value that return it, changed or not, or raise ValueError.

They do what pydantic's `BeforeValidator`, `AfterValidator` and `PlainValidator` do. Those read the signature of their
function wherever a type is used, which is a tenth of the start of a command; these know it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pydantic_core import core_schema

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler

Check = Callable[[Any], Any]


class Before:
    """Runs before the check of the type itself."""

    __slots__ = ("_check",)

    def __init__(self, check: Check) -> None:
        self._check = check

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> core_schema.CoreSchema:
        return core_schema.no_info_before_validator_function(self._check, handler(source))


class After:
    """Runs on what the type itself accepts."""

    __slots__ = ("_check",)

    def __init__(self, check: Check) -> None:
        self._check = check

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(self._check, handler(source))


class Instead:
    """Runs instead of the check of the type. `kind` is what JSON Schema says of it; `dump` makes it JSON."""

    __slots__ = ("_check", "_dump", "_kind")

    def __init__(self, check: Check, kind: core_schema.CoreSchema, dump: Check | None = None) -> None:
        self._check = check
        self._kind = kind
        self._dump = dump

    def __get_pydantic_core_schema__(self, source: Any, handler: "GetCoreSchemaHandler") -> core_schema.CoreSchema:
        dump = self._dump and core_schema.plain_serializer_function_ser_schema(self._dump)
        return core_schema.no_info_plain_validator_function(
            self._check, json_schema_input_schema=self._kind, serialization=dump
        )
