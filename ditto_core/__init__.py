"""Ditto: an async Python runtime for agents.

The public names are loaded on first use, so that `import ditto_core` costs and does nothing. Type checkers read them
in `__init__.pyi`.
"""

_NAMES_OF = {
    "contracts.context": (
        "Context ContextCompressInput ContextIngress ContextItem ContextLoadInput ContextSelectInput ContextSelection "
        "ContextSource ContextUpdateInput DefaultSelect ProviderSelect RagSelect Scope SelectStrategy"
    ),
    "contracts.contract": "Contract",
    "contracts.events": (
        "ActionDenied ActionRequested ActionStarted Denial Event ObservationMade Observer Retry RunCompleted "
        "RunFailure RunStarted SampleCompleted SampleStarted TaggedEvent TextDelta ThinkingDelta Warned"
    ),
    "contracts.infer": (
        "ActionDescriptor ActionRequest GenerationConfig McpTarget ModelConfig ModelFailure ModelMessage "
        "NodeResult NodeTarget SampleInput SampleOutput ToolTarget Usage"
    ),
    "contracts.interaction": (
        "Artifact ExternalResult InteractionError McpCapability McpDiscoverInput McpDiscoverOutput "
        "McpInvokeInput McpInvokeOutput McpToolResult Observation ObserveInput OutputInput OutputReceipt "
        "ToolCall ToolDefinition ToolInput ToolOutcome"
    ),
    "contracts.json": "FrozenArray FrozenObject freeze_json",
    "contracts.message": "JsonPart Message MessagePart Reference ReferencePart TextPart",
    "contracts.nodes": "NODE_TYPES NodeType",
    "contracts.ports": "McpClient ModelProvider OutputSink SampleResult StreamingProvider StreamItem",
    "contracts.react": "ReactConstraints ReactInput ReactResult StopReason",
    "contracts.worker_event": "WorkerEvent",
    "errors": (
        "ConfigError ContextError DeadlineError DependencyError DittoError GraphError InferError "
        "InvalidArgumentsError InvalidInputError LoopLimitError NoWorkerAvailableError PermissionDeniedError "
        "ProviderError RoutingError RuntimeClosedError SandboxFileError SelfWaitError ToolError UnknownNodeError"
    ),
    "flows.rag": "RagFlowInput RagFlowResult run_rag_flow",
    "flows.react": "ReactRuntime run_react_flow",
    "flows.skill": "SkillFlowInput SkillFlowResult run_skill_flow",
    "flows.tool": "ToolFlowInput ToolFlowResult observation_ingress run_tool_call_flow",
    "runtime.graph": "Graph GraphNode graph",
    "runtime.loop": "Loop",
    "runtime.registration": "Registration",
    "runtime.remote": "Envelope Transport",
    "runtime.runtime": "Ditto",
    "runtime.services": "Providers Services",
    "runtime.snapshot": "WorkerSnapshot",
    "runtime.worker": "Execution WorkerAddress WorkerContext WorkerDefinition define_worker",
    "sandbox.policy": "Decision READ_ONLY SandboxPolicy decide",
    "sandbox.rules": "Rule",
    "sandbox.sandbox": "Sandbox",
    "settings.environment": "EnvFile Environment load_env_file",
    "settings.load": "load_runtime_config load_runtime_config_file",
    "settings.permissions": "Permissions",
    "settings.provider": "ProviderConfig",
    "settings.runtime_config": "ModelDefault RuntimeConfig",
    "settings.schema": "Settings",
    "settings.secret_text": "SecretText",
    "version": "__version__",
    "workers.context.embedded": "create_embedded_rag_strategy",
    "workers.context.ports": "ContextServices RagRequest RagStrategy StateQueue StateStore StoredContext",
    "workers.context.queue": "ContextQueue",
    "workers.context.rag": "RetrievedItem create_rag_strategy",
    "workers.context.store": "InMemoryStateStore",
    "workers.context.worker": "create_context_worker",
    "workers.infer.infer": "Infer InferRuntime SampleItem create_infer",
    "workers.infer.providers.configured": "create_providers",
    "workers.infer.providers.offline.provider": "OfflineProvider",
    "workers.infer.providers.registry": "ProviderRegistry",
    "workers.infer.providers.scripted": "ScriptedAction ScriptedError ScriptedProvider ScriptedTurn load_script",
    "workers.infer.worker": "create_infer_worker",
    "workers.interaction.console_sink": "ConsoleSink TextWriter",
    "workers.interaction.tools.builtin": "create_file_tools",
    "workers.interaction.tools.registry": "ToolRegistry",
    "workers.interaction.tools.tool": "RegisteredTool",
    "workers.interaction.tools.typed": "tool",
    "workers.interaction.worker": "create_interaction_nodes create_interaction_worker",
}
"""The public names by the module they live in."""

_MODULE_OF = {name: f"{__name__}.{module}" for module, names in _NAMES_OF.items() for name in names.split()}

__all__ = list(_MODULE_OF)


def __getattr__(name: str) -> object:
    import sys
    from importlib import import_module

    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no name {name!r}", name=name, obj=sys.modules[__name__])
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
