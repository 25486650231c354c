"""Fixtures of the search."""

from __future__ import annotations

import math

import pytest

ENGINES = ["numpy", pytest.param("numba", marks=pytest.mark.slow)]  # compiling takes seconds


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Search in tables with NumPy alone, then with compiled loops, whatever the number of fingerprints."""
    if request.param == "numba":
        pytest.importorskip("numba")
    monkeypatch.setenv("SIMHASH_DOC_ENGINE", request.param)
    search_with_tables(monkeypatch)
    return str(request.param)


def search_with_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare no small list fingerprint by fingerprint."""
    monkeypatch.setattr("simhash_doc.lookup.planning.join._IN_ORDER", math.inf)
