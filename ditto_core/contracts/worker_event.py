"""What Workers and the application tell each other without waiting for an answer."""

from ditto_core.contracts.contract import Contract, Identifier
from ditto_core.contracts.json import JsonValue


class WorkerEvent(Contract):
    """Something happened. Subscribers choose by `type`; `source` is who says so, for a Worker its id."""

    type: Identifier
    data: JsonValue = None
    source: Identifier | None = None
