"""The border to code that an application injected."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ditto_core.errors import ContextError, DittoError


@contextmanager
def injected(what: str, code: str) -> Iterator[None]:
    """Whatever unexpected comes out of the block is a ContextError `code`; Ditto's own errors pass.

    The message names the type only, since an exception of unknown code may say anything, a credential too.
    """
    try:
        yield
    except DittoError:
        raise
    except Exception as error:
        raise ContextError(f"the {what} raised {type(error).__name__}", code=code) from error


def invalid_output(what: str, problem: str) -> ContextError:
    """The error for an answer of injected code that cannot be used."""
    return ContextError(f"the {what} gave {problem}", code="INVALID_PROVIDER_OUTPUT")
