"""A tool out of a typed function: its signature becomes the schema, its docstring the descriptions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, wraps
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, get_type_hints, overload

from ditto_core.contracts.interaction import Effect, ToolOutcome
from ditto_core.errors import InvalidInputError
from ditto_core.workers.interaction.tools.tool import RegisteredTool

if TYPE_CHECKING:
    from pydantic import BaseModel

_CONTEXT = "ctx"
_PREFIX = "argument_"
"""Before the names of the model's fields: an argument may be called `schema` or `copy`, which a model has already."""

_ARGUMENTS = re.compile(r"(?:Args|Arguments|Parameters):\s*$")
_ENTRY = re.compile(r"\s+\*{0,2}(?P<name>\w+)\s*(?:\([^)]*\))?:\s*(?P<what>.*)$")
_REST = re.compile(r"\s*:param\s+(?:[^:]*\s)?(?P<name>\w+):\s*(?P<what>.*)$")


@overload
def tool(function: Callable[..., Any], /) -> RegisteredTool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    effects: Sequence[Effect] = (),
    requires_approval: bool = False,
) -> Callable[[Callable[..., Any]], RegisteredTool]: ...


def tool(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    description: str | None = None,
    effects: Sequence[Effect] = (),
    requires_approval: bool = False,
) -> RegisteredTool | Callable[[Callable[..., Any]], RegisteredTool]:
    """Makes a RegisteredTool from a function, as `@tool` or `@tool(effects=["network"])`.

    Name and description default to the function's name and the text of its docstring; its `Args:` or `:param x:`
    lines describe the arguments. Types are read when the tool is registered, with pydantic. An argument without a
    default is required, and unknown ones are refused. A parameter called `ctx` is given the WorkerContext and is no
    argument. Raises InvalidInputError for `*args`, `**kwargs` and positional-only parameters.
    """

    def made(target: Callable[..., Any]) -> RegisteredTool:
        text, about = _documented(inspect.getdoc(target) or "")
        arguments = _Arguments(target, about)
        return RegisteredTool(
            name=name or _name_of(target),
            description=text if description is None else description,
            input_schema=arguments.schema,
            execute=_execute(target, arguments),
            effects=tuple(effects),
            requires_approval=requires_approval,
            validate=arguments.validate,
        )

    return made if function is None else made(function)


class _Arguments:
    """The parameters of a function; their model is made when it is first needed."""

    def __init__(self, function: Callable[..., Any], about: Mapping[str, str]) -> None:
        self._function = function
        self._about = about
        parameters = inspect.signature(function).parameters
        self.takes_context = _CONTEXT in parameters
        self._parameters = [one for name, one in parameters.items() if name != _CONTEXT]
        for one in self._parameters:
            if one.kind not in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
                raise InvalidInputError(
                    f"the parameter {one.name} cannot be given by name", path=f"tool {_name_of(function)}"
                )
        self.model = cache(self._model)

    def schema(self) -> dict[str, Any]:
        """The JSON Schema, without the titles that pydantic makes out of names."""
        from pydantic.errors import PydanticUserError
        from pydantic.json_schema import GenerateJsonSchema

        class Untitled(GenerateJsonSchema):
            ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012  # as in its base

            def field_title_should_be_set(self, schema: Any) -> bool:
                return False

        try:
            schema = self.model().model_json_schema(schema_generator=Untitled)
        except PydanticUserError as error:
            reason = str(error).splitlines()[0][:200]
            raise InvalidInputError(
                f"a parameter has no JSON Schema: {reason}", path=f"tool {_name_of(self._function)}"
            ) from error
        schema.pop("title", None)
        schema.setdefault("properties", {})
        return schema

    def validate(self, arguments: Mapping[str, Any]) -> None:
        """What a schema cannot say, such as a date that does not exist. Raises pydantic's ValidationError."""
        self.model().model_validate(dict(arguments))

    def values(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the types of the signature; those left out are left to the function's own defaults."""
        made = self.model().model_validate(dict(arguments))
        return {field.removeprefix(_PREFIX): getattr(made, field) for field in made.model_fields_set}

    def _model(self) -> type[BaseModel]:
        from pydantic import ConfigDict, Field, create_model

        hints = self._hints()
        fields: dict[str, Any] = {}
        for one in self._parameters:
            default = ... if one.default is one.empty else one.default
            about: dict[str, Any] = {"description": self._about[one.name]} if one.name in self._about else {}
            fields[_PREFIX + one.name] = (hints.get(one.name, Any), Field(default, alias=one.name, **about))
        return create_model(_name_of(self._function), __config__=ConfigDict(extra="forbid"), **fields)

    def _hints(self) -> dict[str, Any]:
        """The types of the arguments only: those of `ctx` and of the result may exist for type checkers alone."""
        wanted = {one.name: one.annotation for one in self._parameters if one.annotation is not one.empty}
        module = getattr(inspect.unwrap(self._function), "__globals__", {})
        try:
            return get_type_hints(SimpleNamespace(__annotations__=wanted), module, include_extras=True)
        except (NameError, TypeError) as error:
            raise InvalidInputError(
                f"the types of its parameters cannot be read: {error}", path=f"tool {_name_of(self._function)}"
            ) from error


def _execute(function: Callable[..., Any], arguments: _Arguments) -> Callable[[Mapping[str, Any], Any], Any]:
    def call(given: Mapping[str, Any], ctx: Any) -> Any:
        values = arguments.values(given)
        return function(**values, ctx=ctx) if arguments.takes_context else function(**values)

    if inspect.iscoroutinefunction(function):

        @wraps(function)
        async def execute_async(given: Mapping[str, Any], ctx: Any) -> Any:
            return _dumped(await call(given, ctx))

        return execute_async

    @wraps(function)
    def execute(given: Mapping[str, Any], ctx: Any) -> Any:
        return _dumped(call(given, ctx))

    return execute


def _dumped(value: Any) -> Any:
    """A pydantic model as JSON; anything else as it is."""
    from pydantic import BaseModel

    if isinstance(value, BaseModel) and not isinstance(value, ToolOutcome):
        return value.model_dump(mode="json", by_alias=True)
    return value


def _documented(text: str) -> tuple[str, dict[str, str]]:
    """The description of a docstring, and what it says of each parameter (Google's `Args:`, reST's `:param x:`)."""
    description: list[str] = []
    about: dict[str, str] = {}
    inside = False
    current = ""
    for line in text.splitlines():
        indented = line[:1].isspace()
        entry = _REST.match(line) or (_ENTRY.match(line) if inside else None)
        if entry:
            current = entry["name"]
            about[current] = entry["what"]
        elif _ARGUMENTS.match(line):
            inside, current = True, ""
        elif current and indented and line.strip():
            about[current] = f"{about[current]} {line.strip()}"
        else:
            inside, current = inside and (indented or not line), ""
            description.append(line)
    return "\n".join(description).strip(), {name: what.strip() for name, what in about.items() if what.strip()}


def _name_of(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))
