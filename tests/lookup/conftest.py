"""Fixtures of the search."""

from __future__ import annotations

import pytest

ENGINES = ["numpy", pytest.param("numba", marks=pytest.mark.slow)]  # compiling takes seconds


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Search with NumPy alone, then with compiled loops, whatever the number of fingerprints."""
    if request.param == "numba":
        pytest.importorskip("numba")
    monkeypatch.setenv("SIMHASH_DOC_ENGINE", request.param)
    return str(request.param)
