# The public names for type checkers; the table in __init__.py says the same at run time.
# isort: off
from ditto_core.contracts.context import (
    Context as Context,
    ContextCompressInput as ContextCompressInput,
    ContextIngress as ContextIngress,
    ContextItem as ContextItem,
    ContextLoadInput as ContextLoadInput,
    ContextSelectInput as ContextSelectInput,
    ContextSelection as ContextSelection,
    ContextSource as ContextSource,
    ContextUpdateInput as ContextUpdateInput,
    DefaultSelect as DefaultSelect,
    ProviderSelect as ProviderSelect,
    RagSelect as RagSelect,
    Scope as Scope,
    SelectStrategy as SelectStrategy,
)
from ditto_core.contracts.contract import (
    Contract as Contract,
)
from ditto_core.contracts.events import (
    ActionDenied as ActionDenied,
    ActionRequested as ActionRequested,
    ActionStarted as ActionStarted,
    Denial as Denial,
    Event as Event,
    ObservationMade as ObservationMade,
    Observer as Observer,
    Retry as Retry,
    RunCompleted as RunCompleted,
    RunFailure as RunFailure,
    RunStarted as RunStarted,
    SampleCompleted as SampleCompleted,
    SampleStarted as SampleStarted,
    TaggedEvent as TaggedEvent,
    TextDelta as TextDelta,
    ThinkingDelta as ThinkingDelta,
    Warned as Warned,
)
from ditto_core.contracts.infer import (
    ActionDescriptor as ActionDescriptor,
    ActionRequest as ActionRequest,
    GenerationConfig as GenerationConfig,
    McpTarget as McpTarget,
    ModelConfig as ModelConfig,
    ModelFailure as ModelFailure,
    ModelMessage as ModelMessage,
    NodeResult as NodeResult,
    NodeTarget as NodeTarget,
    SampleInput as SampleInput,
    SampleOutput as SampleOutput,
    ToolTarget as ToolTarget,
    Usage as Usage,
)
from ditto_core.contracts.interaction import (
    Artifact as Artifact,
    ExternalResult as ExternalResult,
    InteractionError as InteractionError,
    McpCapability as McpCapability,
    McpDiscoverInput as McpDiscoverInput,
    McpDiscoverOutput as McpDiscoverOutput,
    McpInvokeInput as McpInvokeInput,
    McpInvokeOutput as McpInvokeOutput,
    McpToolResult as McpToolResult,
    Observation as Observation,
    ObserveInput as ObserveInput,
    OutputInput as OutputInput,
    OutputReceipt as OutputReceipt,
    ToolCall as ToolCall,
    ToolDefinition as ToolDefinition,
    ToolInput as ToolInput,
    ToolOutcome as ToolOutcome,
)
from ditto_core.contracts.json import (
    FrozenArray as FrozenArray,
    FrozenObject as FrozenObject,
    freeze_json as freeze_json,
)
from ditto_core.contracts.message import (
    JsonPart as JsonPart,
    Message as Message,
    MessagePart as MessagePart,
    Reference as Reference,
    ReferencePart as ReferencePart,
    TextPart as TextPart,
)
from ditto_core.contracts.nodes import (
    NODE_TYPES as NODE_TYPES,
    NodeType as NodeType,
)
from ditto_core.contracts.ports import (
    McpClient as McpClient,
    ModelProvider as ModelProvider,
    OutputSink as OutputSink,
    SampleResult as SampleResult,
    StreamingProvider as StreamingProvider,
    StreamItem as StreamItem,
)
from ditto_core.contracts.react import (
    ReactConstraints as ReactConstraints,
    ReactInput as ReactInput,
    ReactResult as ReactResult,
    StopReason as StopReason,
)
from ditto_core.contracts.worker_event import (
    WorkerEvent as WorkerEvent,
)
from ditto_core.errors import (
    ConfigError as ConfigError,
    ContextError as ContextError,
    DeadlineError as DeadlineError,
    DependencyError as DependencyError,
    DittoError as DittoError,
    GraphError as GraphError,
    InferError as InferError,
    InvalidArgumentsError as InvalidArgumentsError,
    InvalidInputError as InvalidInputError,
    LoopLimitError as LoopLimitError,
    NoWorkerAvailableError as NoWorkerAvailableError,
    PermissionDeniedError as PermissionDeniedError,
    ProviderError as ProviderError,
    RoutingError as RoutingError,
    RuntimeClosedError as RuntimeClosedError,
    SandboxFileError as SandboxFileError,
    SelfWaitError as SelfWaitError,
    ToolError as ToolError,
    UnknownNodeError as UnknownNodeError,
)
from ditto_core.flows.rag import (
    RagFlowInput as RagFlowInput,
    RagFlowResult as RagFlowResult,
    run_rag_flow as run_rag_flow,
)
from ditto_core.flows.react import (
    ReactRuntime as ReactRuntime,
    run_react_flow as run_react_flow,
)
from ditto_core.flows.skill import (
    SkillFlowInput as SkillFlowInput,
    SkillFlowResult as SkillFlowResult,
    run_skill_flow as run_skill_flow,
)
from ditto_core.flows.tool import (
    ToolFlowInput as ToolFlowInput,
    ToolFlowResult as ToolFlowResult,
    observation_ingress as observation_ingress,
    run_tool_call_flow as run_tool_call_flow,
)
from ditto_core.runtime.graph import (
    Graph as Graph,
    GraphNode as GraphNode,
    graph as graph,
)
from ditto_core.runtime.loop import (
    Loop as Loop,
)
from ditto_core.runtime.registration import (
    Registration as Registration,
)
from ditto_core.runtime.remote import (
    Envelope as Envelope,
    Transport as Transport,
)
from ditto_core.runtime.runtime import (
    Ditto as Ditto,
)
from ditto_core.runtime.services import (
    Providers as Providers,
    Services as Services,
)
from ditto_core.runtime.snapshot import (
    WorkerSnapshot as WorkerSnapshot,
)
from ditto_core.runtime.worker import (
    Execution as Execution,
    WorkerAddress as WorkerAddress,
    WorkerContext as WorkerContext,
    WorkerDefinition as WorkerDefinition,
    define_worker as define_worker,
)
from ditto_core.sandbox.policy import (
    Decision as Decision,
    READ_ONLY as READ_ONLY,
    SandboxPolicy as SandboxPolicy,
    decide as decide,
)
from ditto_core.sandbox.rules import (
    Rule as Rule,
)
from ditto_core.sandbox.sandbox import (
    Sandbox as Sandbox,
)
from ditto_core.settings.environment import (
    EnvFile as EnvFile,
    Environment as Environment,
    load_env_file as load_env_file,
)
from ditto_core.settings.load import (
    load_runtime_config as load_runtime_config,
    load_runtime_config_file as load_runtime_config_file,
)
from ditto_core.settings.permissions import (
    Permissions as Permissions,
)
from ditto_core.settings.provider import (
    ProviderConfig as ProviderConfig,
)
from ditto_core.settings.runtime_config import (
    ModelDefault as ModelDefault,
    RuntimeConfig as RuntimeConfig,
)
from ditto_core.settings.schema import (
    Settings as Settings,
)
from ditto_core.settings.secret_text import (
    SecretText as SecretText,
)
from ditto_core.version import (
    __version__ as __version__,
)
from ditto_core.workers.context.embedded import (
    create_embedded_rag_strategy as create_embedded_rag_strategy,
)
from ditto_core.workers.context.ports import (
    ContextServices as ContextServices,
    RagRequest as RagRequest,
    RagStrategy as RagStrategy,
    StateQueue as StateQueue,
    StateStore as StateStore,
    StoredContext as StoredContext,
)
from ditto_core.workers.context.queue import (
    ContextQueue as ContextQueue,
)
from ditto_core.workers.context.rag import (
    RetrievedItem as RetrievedItem,
    create_rag_strategy as create_rag_strategy,
)
from ditto_core.workers.context.store import (
    InMemoryStateStore as InMemoryStateStore,
)
from ditto_core.workers.context.worker import (
    create_context_worker as create_context_worker,
)
from ditto_core.workers.infer.infer import (
    Infer as Infer,
    InferRuntime as InferRuntime,
    SampleItem as SampleItem,
    create_infer as create_infer,
)
from ditto_core.workers.infer.providers.configured import (
    create_providers as create_providers,
)
from ditto_core.workers.infer.providers.offline.provider import (
    OfflineProvider as OfflineProvider,
)
from ditto_core.workers.infer.providers.registry import (
    ProviderRegistry as ProviderRegistry,
)
from ditto_core.workers.infer.providers.scripted import (
    ScriptedAction as ScriptedAction,
    ScriptedError as ScriptedError,
    ScriptedProvider as ScriptedProvider,
    ScriptedTurn as ScriptedTurn,
    load_script as load_script,
)
from ditto_core.workers.infer.worker import (
    create_infer_worker as create_infer_worker,
)
from ditto_core.workers.interaction.console_sink import (
    ConsoleSink as ConsoleSink,
    TextWriter as TextWriter,
)
from ditto_core.workers.interaction.tools.builtin import (
    create_file_tools as create_file_tools,
)
from ditto_core.workers.interaction.tools.registry import (
    ToolRegistry as ToolRegistry,
)
from ditto_core.workers.interaction.tools.tool import (
    RegisteredTool as RegisteredTool,
)
from ditto_core.workers.interaction.tools.typed import (
    tool as tool,
)
from ditto_core.workers.interaction.worker import (
    create_interaction_nodes as create_interaction_nodes,
    create_interaction_worker as create_interaction_worker,
)
