"""The one place that knows everything: from a configuration and options to a runtime."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from ditto_cli.configuration import load_config
from ditto_cli.grants import policy_of
from ditto_cli.options import Globals
from ditto_core.contracts.events import Observer
from ditto_core.contracts.interaction import ToolDefinition
from ditto_core.contracts.ports import ModelProvider
from ditto_core.errors import ConfigError
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.services import Providers
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.settings.model_choice import ModelChoice, choose_model
from ditto_core.settings.runtime_config import RuntimeConfig
from ditto_core.workers.context.embedded import create_embedded_rag_strategy
from ditto_core.workers.context.ports import ContextServices
from ditto_core.workers.context.worker import create_context_worker
from ditto_core.workers.infer.providers.registry import ProviderRegistry
from ditto_core.workers.infer.worker import create_infer_worker
from ditto_core.workers.interaction.tools.builtin import create_file_tools
from ditto_core.workers.interaction.tools.registry import ToolRegistry
from ditto_core.workers.interaction.worker import create_interaction_worker


@dataclass(frozen=True, slots=True)
class Assembly:
    """What a command works with."""

    config: RuntimeConfig
    sandbox: Sandbox
    tools: ToolRegistry

    def runtime(self, observer: Observer, providers: Providers | None = None) -> Ditto:
        """A runtime with the three Workers."""
        workers = (
            create_interaction_worker(tools=self.tools),
            create_context_worker(services=ContextServices(rag_strategy=create_embedded_rag_strategy())),
            create_infer_worker(),
        )
        return Ditto(config=self.config, sandbox=self.sandbox, providers=providers, workers=workers, events=observer)

    def granting(self, kind: str, name: str, source: str) -> Assembly:
        """The same with one more grant. Deny rules still win."""
        policy = self.sandbox.policy.granting(kind, name, source=source)
        return replace(self, sandbox=Sandbox(self.config.workspace, policy))


def assemble(config: RuntimeConfig, options: Globals) -> Assembly:
    """Builds sandbox and tools. Raises ConfigError and InvalidInputError."""
    sandbox = Sandbox(config.workspace, policy_of(config, options))
    return Assembly(config, sandbox, ToolRegistry(create_file_tools()))


def assembled(options: Globals) -> Assembly:
    """What a command works with, out of its options."""
    return assemble(load_config(options).config, options)


def tool_definition(name: str) -> ToolDefinition:
    """The definition of a tool of the command line, known without any configuration."""
    return next(tool for tool in create_file_tools() if tool.name == name).definition()


def choose_provider(config: RuntimeConfig, requested: str | None) -> tuple[ModelChoice, Providers]:
    """The model of a run and the registry that holds its provider. Raises ConfigError; never falls back."""
    choice = choose_model(config, requested, os.environ)
    return choice, ProviderRegistry({choice.provider: _provider(choice)})


def _provider(choice: ModelChoice) -> ModelProvider:
    if choice.provider == "scripted" and choice.config is None:
        from ditto_core.workers.infer.providers.scripted import load_script

        return load_script(Path(choice.model))
    if choice.config is None or choice.config.kind == "offline":
        from ditto_core.workers.infer.providers.offline.provider import OfflineProvider

        return OfflineProvider()
    raise ConfigError(
        f"providers of the kind {choice.config.kind} are not part of this release",
        where=choice.provider,
        hint="Use --model offline, or --model scripted/FILE.",
    )
