"""A tool: what a model is told of it, and the function that does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ditto_core.contracts.contract import Contract
from ditto_core.contracts.interaction import Effect, ToolDefinition
from ditto_core.errors import InvalidInputError

Execute: TypeAlias = Callable[[Mapping[str, Any], Any], Any]
"""`execute(arguments, ctx)`, async or not. A plain function runs in a thread of its own; an async one must not block.

Returns a ToolOutcome, text, or any JSON value. Says that it failed with a failed outcome or a ToolError.
"""

Validate: TypeAlias = Callable[[Mapping[str, Any]], Any]
"""`validate(arguments)` refuses by raising ValueError or InvalidArgumentsError, or by returning False."""

MakeSchema: TypeAlias = Callable[[], Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredTool:
    """A tool as it is given to a ToolRegistry. Nothing is checked before that.

    `name` is 1 to 64 letters, digits, `_` and `-`. `input_schema` is a JSON Schema (draft 2020-12) with
    `"type": "object"`, or a function that makes one, called when the tool is registered. `effects` says what the tool
    does to the world; `requires_approval` makes every call ask unless the tool was granted by its name.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any] | MakeSchema
    execute: Execute
    effects: tuple[Effect, ...] = ()
    requires_approval: bool = False
    validate: Validate | None = None

    def definition(self) -> ToolDefinition:
        """What a model is told. Raises InvalidInputError for an invalid name, description, schema or effect."""
        made = self.input_schema() if callable(self.input_schema) else self.input_schema
        given: dict[str, Any] = {"name": self.name, "input_schema": made, "effects": tuple(self.effects)}
        if self.description:
            given["description"] = self.description
        if self.requires_approval:
            given["requires_approval"] = True
        return _parsed(given, self.name)


def _parsed(given: Mapping[str, Any], name: object) -> ToolDefinition:
    what = f"tool {name}" if isinstance(name, str) and name.isprintable() and len(name) <= 64 else "tool"
    return ToolDefinition.parse(given, what=what)


def is_tool(value: object) -> RegisteredTool:
    """`value` itself if it is a tool. Raises InvalidInputError, with the likeliest reason."""
    if isinstance(value, RegisteredTool):
        return value
    kind = type(value).__name__
    if isinstance(value, Contract):
        hint = "A ToolDefinition has no function; build a RegisteredTool with `execute`."
    elif callable(value):
        hint = "Wrap a plain function with the decorator `tool`."
    else:
        hint = "Build a RegisteredTool."
    raise InvalidInputError(f"a RegisteredTool is needed, this is {kind}", path="tools", hint=hint)
