"""Tests of the runtime run on every event loop that is installed."""

from importlib.util import find_spec

import pytest

BACKENDS = ["asyncio", *(["trio"] if find_spec("trio") else [])]


@pytest.fixture(params=BACKENDS)
def anyio_backend(request: pytest.FixtureRequest) -> str:
    """Instead of the one for all tests."""
    return str(request.param)
