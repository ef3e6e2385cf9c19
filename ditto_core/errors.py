"""Every error that Ditto raises on purpose.

    DittoError                    code, message, hint
    ├── ConfigError               a file or variable of the configuration: where, key
    ├── InvalidInputError         what a caller gave does not fit the contract: path
    │   └── InvalidArgumentsError arguments that a tool's inputSchema refuses
    ├── PermissionDeniedError     kind, name, rule
    ├── ToolError                 a tool says that it failed; the model may react
    │   └── SandboxFileError      a file that cannot be read or written
    ├── ContextError              CONTEXT could not do what was asked
    ├── InferError                a SAMPLE failed
    │   └── ProviderError         somebody else's fault: status, error_type
    ├── DependencyError           a tool, server or sink that is missing or broke
    ├── GraphError                a graph that cannot be built
    ├── RoutingError              no Worker can take the Node
    │   ├── UnknownNodeError
    │   └── NoWorkerAvailableError
    ├── LoopLimitError            a Loop that was not done in its rounds: state, iterations
    ├── SelfWaitError             a wait that only its own caller could end
    ├── DeadlineError             the time limit passed (also a TimeoutError)
    └── RuntimeClosedError        work offered to a runtime that is closing

`code` is stable and upper case, for programs. `message` is one line for people. `hint` says how to mend it.
Errors carry data; they never print.
"""

from __future__ import annotations

from collections.abc import Sequence


class DittoError(Exception):
    """The root. Catch it to catch everything that Ditto raises on purpose."""

    code = "EXECUTION_FAILED"

    def __init__(self, message: str, *, code: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        if code is not None:
            self.code = code


class ConfigError(DittoError):
    """A setting that cannot be used. `where` is `file:line:column` or the variable's name, `key` its dotted path."""

    code = "CONFIG_INVALID"

    def __init__(
        self, message: str, *, where: str | None = None, key: str | None = None, hint: str | None = None
    ) -> None:
        super().__init__(f"{where}: {message}" if where else message, hint=hint)
        self.where = where
        self.key = key


class InvalidInputError(DittoError):
    """A value that its contract refuses. `path` leads to the first offending place, as in `messages[0].role`."""

    code = "INVALID_INPUT"

    def __init__(self, message: str, *, path: str = "", code: str | None = None, hint: str | None = None) -> None:
        super().__init__(f"{path}: {message}" if path else message, code=code, hint=hint)
        self.path = path


class InvalidArgumentsError(InvalidInputError):
    """Arguments that a tool's inputSchema or its own check refuses. Raised before the tool runs."""

    code = "INVALID_ARGUMENTS"


class PermissionDeniedError(DittoError):
    """The sandbox said no. `kind` is read, write, execute, tool, mcp, skill or network; `rule` is what decided."""

    code = "PERMISSION_DENIED"

    def __init__(self, kind: str, name: str, *, rule: str = "not granted", hint: str | None = None) -> None:
        super().__init__(
            f"{kind} {name} is not permitted ({rule})" if name else f"{kind} is not permitted ({rule})", hint=hint
        )
        self.kind = kind
        self.name = name
        self.rule = rule


class ToolError(DittoError):
    """A tool's own failure, safe to show to the model: `code` and a one-line `message`."""

    code = "TOOL_ERROR"

    def __init__(self, code: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(message, code=code, hint=hint)


class SandboxFileError(ToolError):
    """A permitted path that cannot be used: NOT_FOUND, NOT_A_FILE, NOT_TEXT, TOO_LARGE or IO_ERROR."""


class ContextError(DittoError):
    """CONTEXT refused or failed; the codes are listed in `ditto_core.contracts.context`."""

    code = "INVALID_INPUT"


class InferError(DittoError):
    """INFER failed; the codes are listed in `ditto_core.contracts.infer`."""


class ProviderError(InferError):
    """A model provider failed. `status` is the HTTP status and `error_type` the vendor's own word, where known."""

    code = "MODEL_ERROR"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        hint: str | None = None,
        status: int | None = None,
        error_type: str | None = None,
    ) -> None:
        super().__init__(message, code=code, hint=hint)
        self.status = status
        self.error_type = error_type


class DependencyError(DittoError):
    """Something an action needs is missing or broke: an unregistered tool, a lost server, a crashed tool."""

    code = "DEPENDENCY_FAILED"


class GraphError(DittoError):
    """A graph that cannot be built: a repeated id, or a dependency that is not an earlier node."""

    code = "INVALID_GRAPH"


class RoutingError(DittoError):
    """No Worker can take the Node."""

    code = "NO_WORKER"


class UnknownNodeError(RoutingError):
    """A Node type that has no contract; the message names the nearest known one."""

    code = "UNKNOWN_NODE"


class NoWorkerAvailableError(RoutingError):
    """Every registered Worker was ruled out; `reasons` says why, one line each."""

    def __init__(self, node: str, reasons: Sequence[str]) -> None:
        why = "; ".join(reasons) if reasons else "no Worker is registered"
        super().__init__(f"no Worker can take {node}: {why}", hint=f"Register a Worker that exposes {node}.")
        self.node = node
        self.reasons = tuple(reasons)


class LoopLimitError(DittoError):
    """A Loop made all its rounds without being done. `state` is what the last of its `iterations` left."""

    code = "LOOP_LIMIT"

    def __init__(self, state: object, iterations: int) -> None:
        super().__init__(
            f"the loop was not done after {iterations} rounds",
            hint="Raise max_iterations or runtime.loopMaxIterations, or check when it is done.",
        )
        self.state = state
        self.iterations = iterations


class SelfWaitError(DittoError):
    """The caller asked to wait for something that it is a part of, as when a handler closes its own Worker."""

    code = "SELF_WAIT"


class DeadlineError(DittoError, TimeoutError):
    """The time limit of a call passed. What was under way has an unknown outcome."""

    code = "TIMEOUT"


class RuntimeClosedError(DittoError):
    """The runtime is closing or closed and takes no new work."""

    code = "RUNTIME_CLOSED"
