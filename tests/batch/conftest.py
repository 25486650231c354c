"""The engine of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engines.engines import setting


@pytest.fixture(autouse=True)
def _without_numba() -> Iterator[None]:
    """Use the engine numpy: for several workers `auto` takes numba, which compiles for 20 seconds at the first use."""
    with setting("numpy"):
        yield
