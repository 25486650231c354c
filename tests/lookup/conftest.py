"""Fixtures of the search."""

from __future__ import annotations

import math

import pytest

from simhash_doc.engines import select


@pytest.fixture(params=["numpy", "native"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Search in tables with NumPy alone, then with the compiled core, whatever the number of fingerprints."""
    if request.param == "native":
        pytest.importorskip("simhash_doc_native")
    monkeypatch.setattr(select, "_setting", request.param)
    search_with_tables(monkeypatch)
    return str(request.param)


def search_with_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare no small list fingerprint by fingerprint."""
    monkeypatch.setattr("simhash_doc.lookup.planning.join._IN_ORDER", math.inf)
