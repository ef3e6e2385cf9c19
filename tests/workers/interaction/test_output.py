"""INTERACTION.OUTPUT over a sink of the application's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ditto_core.contracts.interaction import Artifact, InteractionError, OutputInput, OutputReceipt
from ditto_core.contracts.message import Message, Reference
from ditto_core.contracts.nodes import ACT_TOOL, OBSERVE, OUTPUT
from ditto_core.errors import (
    DeadlineError,
    DependencyError,
    InvalidInputError,
    PermissionDeniedError,
    ToolError,
)
from ditto_core.runtime.runtime import Ditto
from ditto_core.workers.interaction.output import deliver
from ditto_core.workers.interaction.worker import create_interaction_nodes, create_interaction_worker

pytestmark = pytest.mark.anyio


class Sink:
    """Keeps what it was given and answers with what a function makes of it."""

    def __init__(self, answer: Callable[[OutputInput], Any] | None = None) -> None:
        self._answer = answer or (lambda given: OutputReceipt(delivery_id=given.delivery_id, status="accepted"))
        self.taken: list[OutputInput] = []

    async def deliver(self, output: OutputInput) -> Any:
        self.taken.append(output)
        return self._answer(output)


def message(content: Any = "hello", **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


async def send(sink: Any, body: Any = None, timeout: float = 20) -> OutputReceipt:
    """One delivery through a real runtime."""
    async with Ditto(workers=[create_interaction_worker(output=sink)]) as runtime:
        receipt = await runtime.invoke(OUTPUT, body or {"deliveryId": "d1", "message": message()}, timeout=timeout)
    assert isinstance(receipt, OutputReceipt)
    return receipt


def answering(**receipt: Any) -> Sink:
    """A sink that answers with this JSON."""
    return Sink(lambda given: {"deliveryId": given.delivery_id, **receipt})


def test_output_is_exposed_only_when_a_sink_is_given() -> None:
    assert set(create_interaction_worker(output=Sink()).exposed) == {ACT_TOOL, OBSERVE, OUTPUT}
    assert OUTPUT not in create_interaction_worker().exposed
    assert set(create_interaction_nodes(output=Sink())) == {OBSERVE, OUTPUT}


@pytest.mark.parametrize("sink", [object(), Sink, 5, lambda output: None])
def test_what_cannot_deliver_is_refused_at_construction(sink: Any) -> None:
    with pytest.raises(InvalidInputError, match="output: an OutputSink"):
        create_interaction_worker(output=sink)


async def test_the_sink_gets_the_whole_delivery_and_its_receipt_is_the_output() -> None:
    sink = answering(status="accepted", metadata={"page": 1})
    artifacts = [{"name": "report", "reference": {"uri": "file:report.pdf", "mediaType": "application/pdf"}}]
    receipt = await send(sink, {"deliveryId": "d1", "message": message(name="scribe"), "artifacts": artifacts})
    assert receipt == OutputReceipt(delivery_id="d1", status="accepted", metadata={"page": 1})
    reference = Reference(uri="file:report.pdf", media_type="application/pdf")
    assert sink.taken == [
        OutputInput(
            delivery_id="d1",
            message=Message(role="assistant", content="hello", name="scribe"),
            artifacts=(Artifact(name="report", reference=reference),),
        )
    ]


@pytest.mark.parametrize("content", [None, 0, -1.5, True, "", "null", [], [1, None], {}, {"a": [{"b": None}]}])
async def test_content_keeps_its_json_meaning(content: Any) -> None:
    sink = Sink()
    await send(sink, {"deliveryId": "d1", "message": message(content)})
    assert json.dumps(sink.taken[0].message.content) == json.dumps(content)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
).filter(lambda value: not isinstance(value, list) or not any(isinstance(item, dict) for item in value))


@given(JSON)
def test_any_json_reaches_the_sink_as_it_was(content: Any) -> None:
    sink = Sink()

    async def run() -> None:
        await deliver(sink, OutputInput(delivery_id="d1", message=Message(role="user", content=content)))

    anyio.run(run)
    assert json.dumps(sink.taken[0].message.content) == json.dumps(content)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"message": message()}, "deliveryId"),
        ({"deliveryId": "  ", "message": message()}, "deliveryId"),
        ({"deliveryId": 7, "message": message()}, "deliveryId"),
        ({"deliveryId": "d1"}, "message"),
        ({"deliveryId": "d1", "message": "hello"}, "message"),
        ({"deliveryId": "d1", "message": {"role": "assistant"}}, "message.content"),
        ({"deliveryId": "d1", "message": {"role": "bot", "content": "x"}}, "message.role"),
        ({"deliveryId": "d1", "message": message(name="")}, "message.name"),
        ({"deliveryId": "d1", "message": message(float("nan"))}, "message.content"),
        ({"deliveryId": "d1", "message": message(), "artifacts": [{"name": "a"}]}, r"artifacts\[0\].reference"),
        ({"deliveryId": "d1", "message": message(), "artifacts": "a"}, "artifacts"),
        ({"deliveryId": "d1", "message": message(), "channel": "mail"}, "channel"),
    ],
)
async def test_a_delivery_is_checked_before_the_sink_is_called(body: Any, path: str) -> None:
    sink = Sink()
    with pytest.raises(InvalidInputError, match=path):
        await send(sink, body)
    with pytest.raises(InvalidInputError, match=path):
        await deliver(sink, body)
    assert sink.taken == []


@pytest.mark.parametrize("status", ["rejected", "unknown"])
async def test_a_refusal_is_data_with_the_sinks_error(status: str) -> None:
    sink = answering(status=status, error={"code": "FULL", "message": "the mailbox is full", "retryable": True})
    receipt = await send(sink)
    assert receipt.status == status
    assert receipt.error == InteractionError(code="FULL", message="the mailbox is full", retryable=True)
    assert len(sink.taken) == 1


async def test_fields_that_the_contract_does_not_know_are_dropped() -> None:
    error = {"code": "FULL", "message": "full", "trace": "x"}
    receipt = await send(answering(status="rejected", error=error, smtp={"code": 552}))
    assert receipt.to_wire() == {
        "deliveryId": "d1",
        "status": "rejected",
        "error": {"code": "FULL", "message": "full"},
    }


@pytest.mark.parametrize(
    "error",
    [
        {"code": "FULL", "message": "token=abcdef123456 was refused"},
        {"code": "FULL", "message": "cannot open /var/spool/mail"},
        {"code": "FULL", "message": "two\nlines"},
        {"code": "FULL", "message": "x" * 513},
        {"code": "no good", "message": "fine"},
        {"code": "FULL"},
        {"message": 5},
        {},
    ],
)
@pytest.mark.parametrize("status", ["rejected", "unknown"])
async def test_an_unsafe_error_of_a_sink_keeps_its_status_and_gets_the_fixed_text(status: str, error: Any) -> None:
    receipt = await send(answering(status=status, error=error))
    assert receipt.status == status
    assert receipt.error is not None
    assert receipt.error.code == "OUTPUT_ERROR"
    assert receipt.error.message == "the sink refused or failed; its own words are not safe to show"


async def test_an_unsafe_error_in_a_finished_receipt_gets_the_fixed_text_too() -> None:
    error = InteractionError(code="FULL", message="see /etc/passwd", retryable=False)
    sink = Sink(lambda given: OutputReceipt(delivery_id=given.delivery_id, status="unknown", error=error))
    receipt = await send(sink)
    assert receipt.error is not None
    assert (receipt.status, receipt.error.code, receipt.error.retryable) == ("unknown", "OUTPUT_ERROR", False)


@pytest.mark.parametrize(
    "receipt",
    [
        None,
        "accepted",
        True,
        [],
        {},
        {"deliveryId": "d1"},
        {"status": "accepted"},
        {"deliveryId": "d1", "status": "sent"},
        {"deliveryId": "d1", "status": "rejected"},
        {"deliveryId": "d1", "status": "unknown", "error": None},
        {"deliveryId": "d1", "status": "rejected", "error": "full"},
        {"deliveryId": "d1", "status": "accepted", "artifacts": [{"name": "a"}]},
        {"deliveryId": "d1", "status": "accepted", "metadata": {"at": object()}},
        {"delivery_id": "d1", "status": "accepted"},
    ],
)
async def test_an_invalid_receipt_is_raised_and_proves_nothing(receipt: Any) -> None:
    with pytest.raises(DependencyError, match="proves nothing about the delivery") as caught:
        await send(Sink(lambda _: receipt))
    assert caught.value.code == "DEPENDENCY_FAILED"


async def test_a_receipt_that_holds_itself_is_invalid() -> None:
    loop: dict[str, Any] = {}
    loop["loop"] = loop
    with pytest.raises(DependencyError, match="proves nothing"):
        await send(answering(status="accepted", metadata=loop))


@pytest.mark.parametrize("other", ["d2", "D1", "d1 ", "d"])
async def test_a_receipt_of_another_delivery_proves_nothing(other: str) -> None:
    made = OutputReceipt(delivery_id=other, status="accepted")
    with pytest.raises(DependencyError, match="another delivery"):
        await send(Sink(lambda _: made))


async def test_text_of_a_receipt_that_is_no_unicode_is_repaired() -> None:
    receipt = await send(answering(status="accepted", metadata={"note": "a\ud800"}))
    assert receipt.metadata == {"note": "a\ufffd"}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConnectionError("password=hunter22"), "DEPENDENCY_FAILED"),
        (ToolError("FULL", "the mailbox is full"), "FULL"),
        (PermissionDeniedError("network", "https://mail.example"), "PERMISSION_DENIED"),
        (SystemExit(3), "DEPENDENCY_FAILED"),
        (ExceptionGroup("two", [ValueError("a"), OSError("b")]), "DEPENDENCY_FAILED"),
    ],
)
async def test_a_sink_that_raises_is_infrastructure_and_its_words_stay_inside(error: BaseException, code: str) -> None:
    def fail(_: OutputInput) -> Any:
        raise error

    sink = Sink(fail)
    with pytest.raises(DependencyError, match="the output sink broke") as caught:
        await send(sink)
    assert caught.value.code == code
    assert "hunter22" not in caught.value.message
    assert len(sink.taken) == 1


async def test_cancelling_passes_through_the_sink() -> None:
    cancelled = anyio.Event()

    class Slow:
        async def deliver(self, output: OutputInput) -> OutputReceipt:
            try:
                await anyio.sleep_forever()
            finally:
                cancelled.set()
            raise AssertionError

    with pytest.raises(DeadlineError):
        await send(Slow(), timeout=0.01)
    assert cancelled.is_set()


async def test_nothing_is_deduplicated_and_nothing_is_tried_again() -> None:
    sink = answering(status="unknown", error={"code": "LOST", "message": "no answer", "retryable": True})
    async with Ditto(workers=[create_interaction_worker(output=sink)]) as runtime:
        for _ in range(2):
            await runtime.invoke(OUTPUT, {"deliveryId": "same", "message": message()})
    assert [taken.delivery_id for taken in sink.taken] == ["same", "same"]


async def test_a_sink_that_is_not_async_works_too_and_does_not_hold_up_the_loop() -> None:
    class Plain:
        def deliver(self, output: OutputInput) -> dict[str, Any]:
            return {"deliveryId": output.delivery_id, "status": "accepted"}

    assert (await send(Plain())).status == "accepted"
