"""Queries with many matches are searched a few at a time, others many at a time."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc import Fingerprint
from simhash_doc.store import Document, FingerprintStore, search
from simhash_doc.store.search import FIRST_QUERIES, next_size


@pytest.mark.parametrize(("matches", "most"), [(0, 1000), (1, 1000), (3000, 16), (10**6, 16)])
def test_matches_held_at_once_are_bounded(
    matches: int, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each query has `matches` matches; the search of the database is replaced."""
    sizes: list[int] = []

    def find_part(_: object, __: object, fingerprints: list[Fingerprint], *conditions: object) -> list[range]:
        sizes.append(len(fingerprints))
        return [range(matches)] * len(fingerprints)

    monkeypatch.setattr(search, "find_part", find_part)
    with FingerprintStore(tmp_path / "s.sqlite") as opened:
        assert len(list(opened.find_many(Fingerprint(1) for _ in range(5000)))) == 5000
    assert sum(sizes) == 5000
    assert max(sizes) == most
    assert max(size * matches for size in sizes[1:]) <= max(search._MATCHES_AT_ONCE, matches)


@given(queries=st.integers(1, 1000), matches=st.integers(0, 10**9))
def test_size_is_in_its_bounds(queries: int, matches: int) -> None:
    assert 1 <= next_size(queries, matches) <= 1000
    assert next_size(FIRST_QUERIES, 0) == 2 * FIRST_QUERIES


def test_answers_are_those_of_single_queries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_MATCHES_AT_ONCE", 3)
    with FingerprintStore(tmp_path / "s.sqlite") as opened:
        opened.add_many(Document(f"d{number}", Fingerprint(number % 7)) for number in range(50))
        asked = [Fingerprint(number % 9) for number in range(60)]
        assert list(opened.find_many(asked)) == [opened.find(one) for one in asked]
