"""ditto.yaml as typed data. The defaults are the library's; the packaged ditto.yaml sets some for the command line."""

from typing import Literal

from pydantic import Field

from ditto_core.contracts.contract import Contract, Seq
from ditto_core.settings.limits import GROUP, Bytes, Count, CountOrNone, Line, Milliseconds, Section
from ditto_core.settings.rules import PolicyRule
from ditto_core.settings.schema_shared import SharedSettings
from ditto_core.settings.schema_workers import WorkersSettings


class ReactSettings(Contract):
    """Limits of the ReAct flow that a request may leave out."""

    max_action_calls: CountOrNone = Field(16, description="Attempted actions of one run; 0 runs none.")
    max_repeats: CountOrNone = Field(3, description="Same action, arguments and result in a row; 0 turns this off.")
    max_total_tokens: int | None = Field(
        None, ge=1, le=1_000_000_000, description="Tokens used so far limit the next model call; null is no limit."
    )


class SandboxSettings(Contract):
    """Limits of files and commands. `min_level` is for the user's own file only; None is medium."""

    timeout_ms: Milliseconds = Field(5_000, description="One command, in milliseconds.")
    max_output_bytes: Bytes = Field(65_536, description="Text of one file or command; more is cut and said so.")
    min_level: Literal["strong", "medium", "weak"] | None = Field(
        None, description="The user's own file only: below this level nothing is launched. Default: medium."
    )


class PolicySettings(Contract):
    """Rules that take away. What they do not match is decided by the grants."""

    deny: Seq[PolicyRule] = Field((), description="KIND:PATTERN, always refused, as in read:docs/private/**.")
    ask: Seq[PolicyRule] = Field((), description="KIND:PATTERN, a person is asked; refused where there is none.")


class NetworkSettings(Contract):
    """How HTTP leaves this machine. For the user's own file only; nothing ambient is used."""

    proxy: Line | None = Field(None, description="Address of an HTTP proxy.")
    ca_file: Line | None = Field(None, description="PEM file of certificate authorities, instead of the usual ones.")


class RuntimeSettings(Contract):
    """Limits of every run."""

    timeout_ms: Milliseconds = Field(30_000, description="A whole run, in milliseconds.")
    max_turns: Count = Field(8, description="Model calls of one ReAct run.")
    graph_concurrency: Count | None = Field(None, description="Graph nodes at a time; null is no limit.")
    loop_max_iterations: Count = Field(32, description="Rounds of a Loop that sets no limit itself.")
    react: Section[ReactSettings] = GROUP
    sandbox: Section[SandboxSettings] = GROUP
    policy: Section[PolicySettings] = GROUP
    network: Section[NetworkSettings] = GROUP


class Settings(Contract):
    """The whole of ditto.yaml."""

    runtime: Section[RuntimeSettings] = GROUP
    shared: Section[SharedSettings] = GROUP
    workers: Section[WorkersSettings] = GROUP


USER_ONLY = (("runtime", "sandbox", "minLevel"), ("runtime", "network"))
"""Keys that only the user's own file may hold: with them a cloned project could weaken or watch every run."""
