"""The rag flow: it selects, and writes no answer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ditto_core.contracts.context import Context, ContextItem
from ditto_core.errors import ContextError, InvalidInputError
from ditto_core.flows.rag import RagFlowResult, run_rag_flow
from ditto_core.runtime.runtime import Ditto
from ditto_core.sandbox.policy import READ_ONLY
from ditto_core.sandbox.sandbox import Sandbox
from ditto_core.workers.context.embedded import create_embedded_rag_strategy
from ditto_core.workers.context.ports import ContextServices, RagStrategy
from ditto_core.workers.context.rag import create_rag_strategy
from ditto_core.workers.context.worker import create_context_worker

pytestmark = pytest.mark.anyio

BEFORE = Context(items=(ContextItem(id="kept", content="before"),))


async def flow(strategy: RagStrategy | None, given: Mapping[str, Any], folder: Path | None = None) -> RagFlowResult:
    worker = create_context_worker(services=ContextServices(rag_strategy=strategy))
    sandbox = None if folder is None else Sandbox(folder, READ_ONLY)
    async with Ditto(workers=[worker], sandbox=sandbox) as runtime:
        return await run_rag_flow(runtime, given)


async def test_everything_that_is_asked_reaches_the_strategy_and_the_selection_is_the_output() -> None:
    heard: list[Any] = []

    async def retrieve(*asked: Any) -> Any:
        heard.append(asked)
        return [{"item": {"id": name, "content": name}} for name in "cab"]

    result = await flow(
        create_rag_strategy(retrieve),
        {
            "context": BEFORE,
            "query": {"q": 1},
            "corpus": {"uri": "kb:docs"},
            "limit": 2,
            "maxTokens": 500,
            "options": {"k": 1},
        },
    )
    (asked,) = heard
    assert (asked[0], asked[1], asked[2].uri, asked[3], asked[4]) == (BEFORE.items, {"q": 1}, "kb:docs", 2, {"k": 1})
    assert result.output.purpose == "infer"
    assert result.output.selected_item_ids == ("c", "a")
    assert result.context == result.output.context
    assert [item.id for item in BEFORE.items] == ["kept"]


async def test_the_token_budget_holds() -> None:
    async def retrieve(*_: Any) -> Any:
        return [{"item": {"id": "long", "content": "x" * 400}}, {"item": {"id": "a", "content": "a"}}]

    result = await flow(create_rag_strategy(retrieve), {"context": BEFORE, "maxTokens": 10})
    assert result.output.selected_item_ids == ("a",)


async def test_without_a_strategy_there_is_no_rag() -> None:
    with pytest.raises(ContextError) as caught:
        await flow(None, {"context": BEFORE, "query": "q"})
    assert caught.value.code == "STRATEGY_UNAVAILABLE"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"context": []},
        {"context": {"items": []}, "limit": -1},
        {"context": {"items": []}, "strategy": {"kind": "rag"}},
    ],
)
async def test_invalid_input_is_raised(given: Mapping[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="RagFlowInput"):
        await flow(None, given)


async def test_the_embedded_strategy_selects_passages_of_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "tea.md").write_text("# Tea\n\nGreen tea is steeped for two minutes.\n", "utf-8")
    (tmp_path / "coffee.md").write_text("# Coffee\n\nIs ground.\n", "utf-8")
    given = {
        "context": {"items": []},
        "query": "How long is green tea steeped?",
        "corpus": {"uri": tmp_path.as_uri()},
        "options": {"paths": ["tea.md", "coffee.md"]},
        "limit": 5,
    }
    result = await flow(create_embedded_rag_strategy(), given, tmp_path)
    assert result.output.selected_item_ids == ("tea.md:1",)
