"""What a denial says when a file that is not trusted asked for what was denied."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ditto_core.errors import PermissionDeniedError
from ditto_core.sandbox.grants import grant_field
from ditto_core.sandbox.rules import as_kind
from ditto_core.settings.variables import ALLOW

if TYPE_CHECKING:
    from ditto_core.settings.trust import Ignored


def with_trust(denied: PermissionDeniedError, ignored: Iterable[Ignored]) -> str | None:
    """The hint of a denial, with one more sentence when an ignored variable sets the grants of its kind.

    What a rule denies no variable grants, so only the lack of a grant is told so.
    """
    variable = ALLOW + grant_field(as_kind(denied.kind)).upper()
    found = next((item for item in ignored if item.name == variable), None)
    if found is None or denied.rule != "not granted":
        return denied.hint
    added = f"{found.where} sets {found.name}, but this project is not trusted: --trust-project lets it count."
    return f"{denied.hint} {added}" if denied.hint else added
