"""Tools that raise, hang, end the process or try to."""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import Any

import anyio
import pytest

from ditto_core.contracts.interaction import InteractionError, ToolOutcome
from ditto_core.errors import (
    DeadlineError,
    DependencyError,
    InvalidArgumentsError,
    PermissionDeniedError,
    SandboxFileError,
    ToolError,
)
from tests.workers.interaction.calls import act, outcome_of, plain_tool, running

pytestmark = pytest.mark.anyio

CRASHES: list[BaseException] = [
    RuntimeError("password=hunter2hunter2"),
    SystemExit(0),
    KeyboardInterrupt(),
    StopIteration(),
    StopAsyncIteration(),
    RecursionError(),
    MemoryError(),
    GeneratorExit(),
    asyncio.CancelledError(),
    OSError(2, "no such file", "/home/me/secret"),
    BaseExceptionGroup("several", [KeyboardInterrupt(), ValueError("x")]),
    ExceptionGroup("one", [ValueError("x")]),
    TimeoutError(),
]


def raising(error: BaseException, *, is_async: bool) -> Any:
    async def raise_async(arguments: Any, ctx: Any) -> Any:
        raise error

    def raise_sync(arguments: Any, ctx: Any) -> Any:
        raise error

    return raise_async if is_async else raise_sync


@pytest.mark.parametrize("is_async", [True, False])
@pytest.mark.parametrize("error", CRASHES, ids=lambda error: type(error).__name__)
async def test_a_crash_is_infrastructure_and_the_run_goes_on(error: BaseException, is_async: bool) -> None:
    tools = [plain_tool(raising(error, is_async=is_async)), plain_tool(lambda arguments, ctx: "fine", name="other")]
    async with running(tools) as runtime:
        with pytest.raises(DependencyError) as caught:
            await act(runtime, "probe")
        assert (await act(runtime, "other")).content == "fine"
    assert caught.value.code == "DEPENDENCY_FAILED"
    assert caught.value.message.startswith("tool probe broke: ")
    assert "hunter2" not in str(caught.value)
    assert "/home" not in str(caught.value)


@pytest.mark.parametrize("is_async", [True, False])
async def test_the_message_names_the_type_inside_a_group(is_async: bool) -> None:
    group = BaseExceptionGroup("g", [asyncio.CancelledError(), ExceptionGroup("h", [LookupError("x")])])
    with pytest.raises(DependencyError, match="tool probe broke: LookupError"):
        await outcome_of(raising(group, is_async=is_async))


async def test_the_cause_is_kept_for_debugging() -> None:
    cause = ValueError("x")
    with pytest.raises(DependencyError) as caught:
        await outcome_of(raising(cause, is_async=True))
    assert caught.value.__cause__ is cause


async def test_an_error_with_a_code_of_its_own_keeps_it() -> None:
    with pytest.raises(DependencyError) as caught:
        await outcome_of(raising(DeadlineError("a nested call was late"), is_async=True))
    assert caught.value.code == "TIMEOUT"
    assert not isinstance(caught.value, TimeoutError)


@pytest.mark.parametrize("is_async", [True, False])
async def test_a_tool_error_is_a_failed_result(is_async: bool) -> None:
    result = await outcome_of(raising(ToolError("NO_MONEY", "the account is empty"), is_async=is_async))
    assert result.status == "failed"
    assert result.error == InteractionError(code="NO_MONEY", message="the account is empty")


async def test_a_tool_error_inside_a_task_group_is_a_failed_result() -> None:
    async def execute(arguments: Any, ctx: Any) -> None:
        async with anyio.create_task_group():
            raise ToolError("NO_MONEY", "the account is empty")

    result = await outcome_of(execute)
    assert result.error is not None
    assert result.error.code == "NO_MONEY"


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("OK", "see /etc/passwd"),
        ("OK", "two\nlines"),
        ("OK", "\x1b[2Jred"),
        ("OK", "api_key=abcdefgh12345678"),
        ("OK", "x" * 513),
        ("no spaces here", "fine"),
        ("", "fine"),
        ("OK", ""),
    ],
)
async def test_an_unsafe_tool_error_gets_the_fixed_code_and_text(code: str, message: str) -> None:
    result = await outcome_of(raising(ToolError(code, message), is_async=True))
    assert result.status == "failed"
    assert result.error is not None
    assert result.error.code == "TOOL_ERROR"
    assert not message or message not in result.error.message


async def test_a_file_error_is_a_failed_result() -> None:
    result = await outcome_of(raising(SandboxFileError("NOT_FOUND", "a.md does not exist"), is_async=True))
    assert result.error == InteractionError(code="NOT_FOUND", message="a.md does not exist")


@pytest.mark.parametrize(
    "error", [PermissionDeniedError("network", "https://x.y"), InvalidArgumentsError("no", path="arguments.a")]
)
@pytest.mark.parametrize("is_async", [True, False])
async def test_denials_and_invalid_arguments_of_a_tool_pass_as_they_are(error: Exception, is_async: bool) -> None:
    with pytest.raises(type(error)) as caught:
        await outcome_of(raising(error, is_async=is_async))
    assert caught.value is error


async def test_a_tool_that_cancels_itself_does_not_cancel_the_run() -> None:
    async def execute(arguments: Any, ctx: Any) -> None:
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        await asyncio.sleep(0)

    with pytest.raises(DependencyError, match="CancelledError"):
        await outcome_of(execute)
    await anyio.lowlevel.checkpoint()


async def test_a_cancellation_of_the_caller_passes_through_the_tool() -> None:
    started = anyio.Event()
    seen: list[str] = []

    async def execute(arguments: Any, ctx: Any) -> None:
        started.set()
        try:
            await anyio.sleep_forever()
        except BaseException as error:
            seen.append(type(error).__name__)
            raise

    async def call(scope: anyio.CancelScope) -> None:
        with scope:
            await outcome_of(execute)
            seen.append("not reached")

    scope = anyio.CancelScope()
    with anyio.fail_after(20):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, scope)
            await started.wait()
            scope.cancel()
    assert scope.cancelled_caught
    assert seen == ["CancelledError"]


@pytest.mark.parametrize("instead", [ValueError("x"), ToolError("X", "x"), SystemExit(0)])
async def test_what_a_cancelled_tool_raises_does_not_hide_the_cancellation(instead: BaseException) -> None:
    async def execute(arguments: Any, ctx: Any) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            raise instead

    with pytest.raises(DeadlineError) as caught:
        await outcome_of(execute, timeout=0.05)
    assert isinstance(caught.value, TimeoutError)


async def test_a_blocking_tool_is_abandoned_at_the_deadline() -> None:
    release = threading.Event()
    where: list[tuple[bool, bool]] = []

    def block(arguments: Any, ctx: Any) -> str:
        current = threading.current_thread()
        where.append((current.daemon, current is threading.main_thread()))
        release.wait(20)
        return "late"

    try:
        with pytest.raises(DeadlineError):
            await outcome_of(block, timeout=0.05)
    finally:
        release.set()
    assert where == [(True, False)]


async def test_a_blocking_tool_does_not_hold_up_the_loop() -> None:
    release = threading.Event()

    def block(arguments: Any, ctx: Any) -> str:
        return "released" if release.wait(20) else "never"

    async with running([plain_tool(block)]) as runtime:
        got: list[Any] = []

        async def call() -> None:
            got.append(await act(runtime, "probe"))

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call)
            await anyio.lowlevel.checkpoint()
            release.set()
    assert got[0].content == "released"


async def test_an_abandoned_tool_does_not_keep_the_process_alive() -> None:
    script = """
import anyio, threading
from tests.workers.interaction.calls import outcome_of
from ditto_core.errors import DeadlineError

async def main():
    try:
        await outcome_of(lambda arguments, ctx: threading.Event().wait(3600), timeout=0.05)
    except DeadlineError:
        print("abandoned")

anyio.run(main)
"""
    with anyio.fail_after(60):
        done = await anyio.run_process([sys.executable, "-c", script])
    assert done.stdout.decode().strip() == "abandoned"


async def test_a_plain_function_that_returns_a_coroutine_is_awaited() -> None:
    async def inner() -> str:
        return "from the coroutine"

    assert (await outcome_of(lambda arguments, ctx: inner())).content == "from the coroutine"


async def test_an_object_with_an_async_call_stays_on_the_loop() -> None:
    class Callable:
        async def __call__(self, arguments: Any, ctx: Any) -> str:
            return str(threading.current_thread() is threading.main_thread())

    assert (await outcome_of(Callable())).content == "True"


async def test_a_tool_may_call_other_nodes_through_its_context() -> None:
    async def nested(arguments: Any, ctx: Any) -> ToolOutcome:
        result = await ctx.invoke("INTERACTION.ACT.TOOL", {"call": {"id": "inner", "name": "other", "arguments": {}}})
        return ToolOutcome(status="success", content=f"other said {result.content}")

    tools = [plain_tool(nested), plain_tool(lambda arguments, ctx: "hi", name="other")]
    async with running(tools) as runtime:
        assert (await act(runtime, "probe")).content == "other said hi"
