"""The one table of Node types: what each takes and gives. An application extends it for its own Nodes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from ditto_core.contracts.context import (
    Context,
    ContextCompressInput,
    ContextLoadInput,
    ContextSelectInput,
    ContextSelection,
    ContextUpdateInput,
)
from ditto_core.contracts.contract import Contract, invalid_input
from ditto_core.contracts.infer import NodeResult, SampleInput, SampleOutput
from ditto_core.contracts.interaction import (
    ExternalResult,
    McpInput,
    McpOutput,
    Observation,
    ObserveInput,
    OutputInput,
    OutputReceipt,
    ToolInput,
)
from ditto_core.contracts.json import freeze_json
from ditto_core.errors import InvalidInputError, UnknownNodeError
from ditto_core.nearest import did_you_mean

SAMPLE = "INFER.REASONING.SAMPLE"
CONTEXT_LOAD = "CONTEXT.LOAD"
CONTEXT_UPDATE = "CONTEXT.UPDATE"
CONTEXT_SELECT = "CONTEXT.SELECT"
CONTEXT_COMPRESS = "CONTEXT.COMPRESS"
ACT_TOOL = "INTERACTION.ACT.TOOL"
ACT_MCP = "INTERACTION.ACT.MCP"
OBSERVE = "INTERACTION.OBSERVE"
OUTPUT = "INTERACTION.OUTPUT"


class NodeType(NamedTuple):
    """The contract of a Node: annotations of its input and output, anything pydantic can validate."""

    input: Any
    output: Any


NODE_TYPES: Mapping[str, NodeType] = {
    SAMPLE: NodeType(SampleInput, NodeResult[SampleOutput]),
    CONTEXT_LOAD: NodeType(ContextLoadInput, Context),
    CONTEXT_UPDATE: NodeType(ContextUpdateInput, Context),
    CONTEXT_SELECT: NodeType(ContextSelectInput, ContextSelection),
    CONTEXT_COMPRESS: NodeType(ContextCompressInput, Context),
    ACT_TOOL: NodeType(ToolInput, ExternalResult),
    ACT_MCP: NodeType(McpInput, McpOutput),
    OBSERVE: NodeType(ObserveInput, Observation),
    OUTPUT: NodeType(OutputInput, OutputReceipt),
}
"""The Node types that Ditto defines."""


def node_type(types: Mapping[str, NodeType], name: str) -> NodeType:
    """The contract of a Node. Raises UnknownNodeError that names the nearest known one."""
    found = types.get(name)
    if found is None:
        raise UnknownNodeError(f"unknown Node type {name[:120]!r}", hint=did_you_mean(name, types))
    return found


def checked(annotation: Any, value: object, what: str) -> Any:
    """`value` as its contract says; instances of contract types pass as they are. Raises InvalidInputError.

    A dict or list becomes read-only when it is JSON, because Nodes share it.
    """
    if isinstance(annotation, type):
        if isinstance(value, annotation):
            return _read_only(value)
        if issubclass(annotation, Contract):
            return annotation.parse(value, what=what)
    return _validated(annotation, value, what)


def _read_only(value: Any) -> Any:
    if not isinstance(value, dict | list):
        return value
    try:
        return freeze_json(value)
    except InvalidInputError:  # objects of the application's own in it
        return value


def _validated(annotation: Any, value: object, what: str) -> Any:
    from pydantic import ValidationError

    try:
        return _read_only(_adapter(annotation).validate_python(value))
    except ValidationError as error:
        raise invalid_input(error, what) from None
    except InvalidInputError as error:
        raise InvalidInputError(error.message, path=what) from None


@lru_cache(maxsize=256)
def _adapter(annotation: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(annotation)
