"""`workers`: the behaviour of each Worker."""

from typing import Annotated, Literal

from pydantic import Field

from ditto_core.contracts.contract import Contract
from ditto_core.contracts.infer import GenerationConfig
from ditto_core.settings.limits import GROUP, MIB, Bytes, Count, Line, Milliseconds, Section
from ditto_core.settings.schema_mcp import McpSettings


class ReservedSettings(Contract):
    """A group that has no settings yet. A key in it is refused, not ignored."""


class InferSettings(Contract):
    """INFER."""

    generation: Section[GenerationConfig] = GROUP
    constraints: Section[ReservedSettings] = GROUP
    strategies: Section[ReservedSettings] = GROUP
    deliberate: Section[ReservedSettings] = GROUP


class ContextPolicySettings(Contract):
    """What a Context may hold. A request's limits cannot relax these."""

    max_inline_bytes: Bytes = Field(
        65_536, description="Bytes of one item's content: its text in UTF-8, or its compact JSON."
    )
    max_items: Count = Field(256, description="Items of one Context.")
    max_tokens: Count | None = Field(None, description="Estimated tokens of a selection; null is no limit.")
    duplicate: Literal["replace", "keep-first", "reject"] = Field("replace", description="An id that is there already.")
    missing_removal: Literal["ignore", "reject"] = Field("ignore", description="Removing an id that is not there.")


class ContextCacheSettings(Contract):
    """A store outside this process."""

    ttl_ms: Milliseconds = Field(3_600_000, description="How long a scope lives after its last write.")
    key_prefix: Line = Field("ditto:context:", description="What every key of the store begins with.")


class ContextLocalCacheSettings(Contract):
    """The store in memory."""

    ttl_ms: Milliseconds = Field(3_600_000, description="How long a scope lives after its last write.")
    max_entries: Count = Field(1_000, description="Scopes kept; the least recently used goes first.")


class ContextQueueSettings(Contract):
    """The optional queue, one line per scope."""

    max_pending: Count = Field(1_024, description="Jobs waiting and running; more are refused.")


class ContextSettings(Contract):
    """CONTEXT."""

    policy: Section[ContextPolicySettings] = GROUP
    cache: Section[ContextCacheSettings] = GROUP
    local_cache: Section[ContextLocalCacheSettings] = GROUP
    queue: Section[ContextQueueSettings] = GROUP


class CommandsSettings(Contract):
    """The read-only commands offered as tools."""

    max_entries: Annotated[int, Field(ge=1, le=10_000)] = Field(1_000, description="Lines or files of one result.")
    max_output_bytes: Annotated[int, Field(ge=1, le=MIB)] = Field(65_536, description="Bytes of standard output.")
    max_error_bytes: Annotated[int, Field(ge=1, le=65_536)] = Field(8_192, description="Bytes of standard error.")


class WebSearchSettings(Contract):
    """The web_search tool."""

    timeout_ms: Milliseconds = Field(30_000, description="One search, in milliseconds.")
    max_response_bytes: Bytes = Field(MIB, description="Bytes of an answer, as sent and as decoded.")


class InteractionSettings(Contract):
    """INTERACTION."""

    commands: Section[CommandsSettings] = GROUP
    web_search: Section[WebSearchSettings] = GROUP
    mcp: Section[McpSettings] = GROUP


class MemorySettings(Contract):
    """MEMORY."""

    query_limit: Count = Field(100, description="Results of a query that sets no limit.")
    search_limit: Count = Field(10, description="Results of a search that sets no limit.")


class RetrievalSettings(Contract):
    """RETRIEVAL."""

    search_limit: Count = Field(10, description="Results of a search that sets no limit.")


class WorkersSettings(Contract):
    """One group per Worker."""

    infer: Section[InferSettings] = GROUP
    context: Section[ContextSettings] = GROUP
    interaction: Section[InteractionSettings] = GROUP
    memory: Section[MemorySettings] = GROUP
    retrieval: Section[RetrievalSettings] = GROUP
