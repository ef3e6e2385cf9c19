"""The tools of an agent: registered by name, listed and called only as the sandbox permits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol

from pydantic import ValidationError

from ditto_core.contracts.contract import invalid_input
from ditto_core.contracts.interaction import ExternalResult, ToolCall, ToolDefinition
from ditto_core.contracts.json import freeze_json
from ditto_core.contracts.schema import ArgumentsSchema
from ditto_core.errors import (
    DependencyError,
    InvalidArgumentsError,
    InvalidInputError,
    PermissionDeniedError,
    ToolError,
)
from ditto_core.nearest import did_you_mean
from ditto_core.runtime.services import Services
from ditto_core.runtime.worker import WorkerContext
from ditto_core.sandbox.policy import Decision
from ditto_core.workers.interaction.tools.attempt import SAID_ON_PURPOSE, attempt
from ditto_core.workers.interaction.tools.outcome import as_outcome, failed, safe_message
from ditto_core.workers.interaction.tools.tool import RegisteredTool, is_tool


class HasServices(Protocol):
    """A WorkerContext, or the runtime itself."""

    @property
    def services(self) -> Services:
        """Configuration and sandbox."""
        ...


class _Entry(NamedTuple):
    """A registered tool, its definition and its compiled schema."""

    tool: RegisteredTool
    definition: ToolDefinition
    schema: ArgumentsSchema


class ToolRegistry:
    """Tools by name. They can be plugged in and out while the runtime works."""

    def __init__(self, tools: Iterable[RegisteredTool] = ()) -> None:
        self._entries: dict[str, _Entry] = {}
        for tool in tools:
            self.register(tool)

    def register(self, tool: RegisteredTool) -> Callable[[], bool]:
        """Adds a tool; returns the function that takes it out again, which answers True once and then False.

        Raises InvalidInputError for a name that is taken or invalid, and for an invalid schema. A call that is under
        way when its tool is taken out goes on.
        """
        definition = is_tool(tool).definition()
        name = definition.name
        if name in self._entries:
            raise InvalidInputError(f"a tool named {name} is registered already", path="tools")
        schema = ArgumentsSchema(definition.input_schema, what=f"tool {name}.inputSchema")
        entry = self._entries[name] = _Entry(tool, definition, schema)

        def unregister() -> bool:
            if self._entries.get(name) is not entry:
                return False
            del self._entries[name]
            return True

        return unregister

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """Every registered tool in the order of registration, permitted or not. For the application, not a model."""
        return tuple(entry.definition for entry in self._entries.values())

    def list(self, ctx: HasServices) -> tuple[ToolDefinition, ...]:
        """The definitions of the tools that may be called, in the order of registration.

        Whether their `effects` are granted too is not looked at: such a call is denied where it acts.
        """
        sandbox = ctx.services.sandbox
        return tuple(
            entry.definition
            for name, entry in self._entries.items()
            if _permits(sandbox.decide("tool", name), entry.definition)
        )

    async def call(self, call: ToolCall, ctx: WorkerContext) -> ExternalResult:
        """Runs one call.

        The checks, in this order: the call itself (InvalidInputError), the permission for the tool
        (PermissionDeniedError), whether it is registered (DependencyError TOOL_NOT_FOUND), its approval, the arguments
        (InvalidArgumentsError). A ToolError becomes a `failed` result. PermissionDeniedError and
        InvalidArgumentsError of the tool are raised as they are; whatever else goes wrong is a DependencyError.
        """
        call = ToolCall.parse(call, what="call")
        decision = ctx.services.sandbox.decide("tool", call.name)
        decision.require()
        entry = self._entries.get(call.name)
        if entry is None:
            raise self._not_found(call.name, ctx)
        if not _permits(decision, entry.definition):
            raise _unapproved(call.name)
        arguments = freeze_json(call.arguments)
        entry.schema.check(arguments)
        limit = ctx.services.config.settings.runtime.sandbox.max_output_bytes
        try:
            await _validate(entry.tool, arguments)
            returned = await attempt(f"tool {call.name}", entry.tool.execute, arguments, ctx)
            outcome = as_outcome(returned, call.name, limit)
        except ToolError as error:
            outcome = failed(error.code, error.message)
        given = {
            name: getattr(outcome, name) for name in type(outcome).model_fields if name in outcome.model_fields_set
        }
        return ExternalResult(**{**given, "call_id": call.id, "source": call.name})

    def _not_found(self, name: str, ctx: HasServices) -> DependencyError:
        known = [definition.name for definition in self.list(ctx)]
        return DependencyError(
            f"no tool named {name} is registered", code="TOOL_NOT_FOUND", hint=did_you_mean(name, known)
        )


def _permits(decision: Decision, definition: ToolDefinition) -> bool:
    return decision.allowed and (decision.by_name or not definition.requires_approval)


def _unapproved(name: str) -> PermissionDeniedError:
    return PermissionDeniedError(
        "tool",
        name,
        rule="the tool asks for approval, and * does not give it",
        hint=f"Grant it by name: --allow-tool {name} or SandboxPolicy(tools={{{name!r}}}).",
    )


async def _validate(tool: RegisteredTool, arguments: Mapping[str, Any]) -> None:
    """The tool's own check of its arguments, on the event loop."""
    if tool.validate is None:
        return
    try:
        verdict = await attempt(
            f"tool {tool.name}", tool.validate, arguments, thread=False, passing=(*SAID_ON_PURPOSE, ValueError)
        )
    except ValidationError as error:  # pydantic's, whose text quotes the arguments
        refused = invalid_input(error, "arguments")
        raise InvalidArgumentsError(refused.message.removeprefix(f"{refused.path}: "), path=refused.path) from None
    except ValueError as error:
        raise InvalidArgumentsError(safe_message(error, "the tool refuses them"), path="arguments") from error
    if verdict is False:
        raise InvalidArgumentsError("the tool refuses them", path="arguments")
