"""INTERACTION.OUTPUT: one message for the application's sink, and the sink's word about it.

A delivery is handed over once. Nothing is deduplicated and nothing is tried again: only the sink could know whether
that is safe.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ditto_core.contracts.interaction import InteractionError, OutputInput, OutputReceipt
from ditto_core.contracts.ports import OutputSink
from ditto_core.errors import DependencyError, InvalidInputError
from ditto_core.runtime.worker import Handler, WorkerContext
from ditto_core.sandbox.safe_error import safe_error
from ditto_core.sandbox.text import clean_line
from ditto_core.workers.interaction.tools.attempt import attempt
from ditto_core.workers.interaction.unicode import without_surrogates

OUTPUT_ERROR = "OUTPUT_ERROR"
_UNSAFE = "the sink refused or failed; its own words are not safe to show"


def output_to(sink: OutputSink) -> Handler:
    """The Node over a sink. Raises InvalidInputError for what cannot deliver."""
    if isinstance(sink, type) or not callable(getattr(sink, "deliver", None)):
        kind = sink.__name__ if isinstance(sink, type) else type(sink).__name__
        raise InvalidInputError(f"an OutputSink with a method `deliver` is needed, this is {kind}", path="output")

    async def output(given: OutputInput, ctx: WorkerContext) -> OutputReceipt:
        return await deliver(sink, given)

    return output


async def deliver(sink: OutputSink, given: OutputInput) -> OutputReceipt:
    """Checks the delivery, hands it to the sink once, and checks the receipt.

    A `rejected` or `unknown` receipt is data. Raises InvalidInputError before the sink is called, and DependencyError
    when the sink raises or its receipt is invalid or of another delivery; whether it delivered is unknown then.
    """
    wanted = OutputInput.parse(given)
    receipt = _receipt(await attempt("the output sink", sink.deliver, wanted, passing=()))
    if receipt.delivery_id != wanted.delivery_id:
        raise _proves_nothing("the receipt of another delivery")
    return receipt


def _receipt(returned: Any) -> OutputReceipt:
    try:
        receipt = OutputReceipt.project(_readable(returned), what="receipt")
    except (InvalidInputError, RecursionError) as error:
        reason = clean_line(error.message) if isinstance(error, InvalidInputError) else "it is nested without end"
        raise _proves_nothing(f"no valid receipt ({reason})") from None
    said = receipt.error
    if said is None or safe_error(said.code, said.message):
        return receipt
    return receipt.model_copy(update={"error": _safe(None, None, said.retryable)})


def _proves_nothing(what: str) -> DependencyError:
    return DependencyError(f"the output sink gave {what}, which proves nothing about the delivery")


def _readable(returned: Any) -> Any:
    """What a sink returned, with an error that the contract takes. Without one, nothing is made up."""
    if not isinstance(returned, Mapping):
        return returned
    given = dict(without_surrogates(returned))
    error = given.get("error")
    if isinstance(error, Mapping):
        given["error"] = _safe(error.get("code"), error.get("message"), error.get("retryable"))
    return given


def _safe(code: object, message: object, retryable: object) -> InteractionError:
    code, message = safe_error(code, message) or (OUTPUT_ERROR, _UNSAFE)
    if isinstance(retryable, bool):
        return InteractionError(code=code, message=message, retryable=retryable)
    return InteractionError(code=code, message=message)
