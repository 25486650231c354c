"""The engine of these tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.engines.engines import setting


@pytest.fixture(autouse=True)
def _in_processes() -> Iterator[None]:
    """Use the engine numpy: for several workers `auto` may take the engine native, which has threads."""
    with setting("numpy"):
        yield
