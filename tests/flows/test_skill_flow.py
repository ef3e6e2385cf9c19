"""The skill flow: resolved content becomes Context."""

from __future__ import annotations

from typing import Any

import pytest

from ditto_core.contracts.context import Context, ContextItem
from ditto_core.contracts.nodes import CONTEXT_LOAD, CONTEXT_UPDATE, NodeType
from ditto_core.errors import ContextError, InvalidInputError, NoWorkerAvailableError
from ditto_core.flows.skill import SkillFlowResult, run_skill_flow
from ditto_core.runtime.runtime import Ditto
from ditto_core.runtime.worker import WorkerContext, define_worker
from ditto_core.workers.context.worker import create_context_worker

pytestmark = pytest.mark.anyio

SKILL = {"id": "skill:brew", "content": "# Brew\n\nWarm the pot.", "metadata": {"protected": True}}
BEFORE = Context(items=(ContextItem(id="kept", content="before"),))


async def flow(given: Any, policy: Any = None) -> SkillFlowResult:
    async with Ditto(workers=[create_context_worker(policy)]) as runtime:
        return await run_skill_flow(runtime, given)


def ids(of: Context) -> list[str]:
    return [item.id for item in of.items]


async def test_without_a_context_what_is_loaded_is_the_context() -> None:
    result = await flow({"sources": [SKILL, {"uri": "skills/brew/table.md"}]})
    assert result.output == result.context
    assert result.output.items[0] == ContextItem.parse(SKILL)
    assert ids(result.output)[1].startswith("reference:")


async def test_with_a_context_the_skill_is_added_to_it_and_the_old_one_stays() -> None:
    result = await flow({"sources": [SKILL], "context": BEFORE})
    assert ids(result.output) == ["skill:brew"]
    assert ids(result.context) == ["kept", "skill:brew"]
    assert ids(BEFORE) == ["kept"]


async def test_the_same_skill_twice_is_there_once() -> None:
    first = await flow({"sources": [SKILL], "context": BEFORE})
    second = await flow({"sources": [{**SKILL, "content": "newer"}], "context": first.context})
    assert [(item.id, item.content) for item in second.context.items] == [("kept", "before"), ("skill:brew", "newer")]


async def test_no_sources_change_nothing() -> None:
    assert (await flow({"sources": [], "context": BEFORE})).context == BEFORE


async def test_the_policy_holds() -> None:
    with pytest.raises(ContextError) as caught:
        await flow({"sources": [SKILL], "context": BEFORE}, {"maxItems": 1})
    assert caught.value.code == "ITEM_LIMIT_EXCEEDED"


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ({}, "sources"),
        ({"sources": "text"}, "sources"),
        ({"sources": [{}]}, r"sources\[0\]"),
        ({"sources": [], "x": 1}, "x"),
    ],
)
async def test_invalid_input_is_raised_with_its_path(given: Any, path: str) -> None:
    with pytest.raises(InvalidInputError, match=f"SkillFlowInput.{path}"):
        await flow(given)


async def test_it_needs_nothing_but_a_context_worker() -> None:
    async with Ditto() as runtime:
        with pytest.raises(NoWorkerAvailableError):
            await run_skill_flow(runtime, {"sources": []})


class Recorder:
    """A runtime that writes down what it was asked."""

    def __init__(self, runtime: Ditto) -> None:
        self._runtime = runtime
        self.calls: list[str] = []

    async def invoke(self, node: str, input: Any) -> Any:  # noqa: A002  # the protocol's
        self.calls.append(node)
        return await self._runtime.invoke(node, input)


@pytest.mark.parametrize(
    ("more", "nodes"), [({}, [CONTEXT_LOAD]), ({"context": BEFORE}, [CONTEXT_LOAD, CONTEXT_UPDATE])]
)
async def test_it_calls_load_and_then_update_when_there_is_a_context(more: Any, nodes: list[str]) -> None:
    async with Ditto(workers=[create_context_worker()]) as runtime:
        recorder = Recorder(runtime)
        await run_skill_flow(recorder, {"sources": [SKILL], **more})
    assert recorder.calls == nodes


async def test_a_worker_may_run_it_too() -> None:
    async def load(given: Any, ctx: WorkerContext) -> Any:
        return await run_skill_flow(ctx, {"sources": [SKILL]})

    own = define_worker(type="APP", nodes={"APP.SKILL": load})
    types = {"APP.SKILL": NodeType(dict, SkillFlowResult)}
    async with Ditto(workers=[own, create_context_worker()], node_types=types) as runtime:
        assert ids((await runtime.invoke("APP.SKILL", {})).context) == ["skill:brew"]
