"""Slices: the database and Python compute the same, and no match is missed."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.fingerprint import Fingerprint
from simhash_doc.store import Document, FingerprintStore
from simhash_doc.store.layout import (
    KEY_BITS,
    cut_slices,
    expected_candidates,
    from_signed_lanes,
    needed,
    to_signed_lanes,
)

WIDTHS = (64, 128, 256, 512)
any_cut = st.sampled_from(WIDTHS).flatmap(lambda bits: st.tuples(st.just(bits), st.integers(1, bits)))


@given(any_cut)
def test_slices_cover_every_bit_once_and_evenly(chosen: tuple[int, int]) -> None:
    bits, slices = chosen
    parts = cut_slices(bits, slices)
    assert [bit for part in parts for bit in range(part.start, part.start + part.width)] == list(range(bits))
    assert max(part.width for part in parts) - min(part.width for part in parts) <= 1


@given(any_cut, st.data())
def test_slices_are_equal_in_the_database_and_in_python(chosen: tuple[int, int], data: st.DataObject) -> None:
    bits, slices = chosen
    value = data.draw(st.integers(0, (1 << bits) - 1) | st.sampled_from([0, (1 << bits) - 1, 1 << 63]))
    lanes = to_signed_lanes(value, bits // 64)
    assert from_signed_lanes(lanes) == value
    digits = f"{value:0{bits}b}"
    parts = cut_slices(bits, slices)
    right = [int(digits[part.start : part.start + part.width][:KEY_BITS], 2) for part in parts]
    assert [part.key(value, bits) for part in parts] == right
    expressions = ", ".join(part.sql([str(lane) for lane in lanes]) for part in parts)
    connection = sqlite3.connect(":memory:")
    assert list(connection.execute(f"SELECT {expressions}").fetchone()) == right
    connection.close()


@given(any_cut, st.data())
def test_values_within_the_distance_share_one_of_the_slices_searched(
    chosen: tuple[int, int], data: st.DataObject
) -> None:
    bits, slices = chosen
    distance = data.draw(st.integers(0, min(2 * slices - 1, 80)))
    value = data.draw(st.integers(0, (1 << bits) - 1))
    flips = data.draw(st.sets(st.integers(0, bits - 1), max_size=distance))
    other = value ^ sum(1 << bit for bit in flips)
    parts = cut_slices(bits, slices)
    searched = needed(bits, slices, distance)
    assert sum(radius + 1 for radius in searched.values()) == distance + 1
    assert {*searched.values()} <= ({0} if distance < slices else {0, 1})
    assert any(parts[at].key(value, bits) in parts[at].keys(other, bits, radius) for at, radius in searched.items())


def test_expected_candidates_are_those_of_uniform_fingerprints() -> None:
    assert expected_candidates(1_000_000, 64, 4, 3) == 4 * 1_000_000 / 2**16
    # 64 bits in 5 slices: four of 13 bits and one of 12; at distance 0 one of the widest is searched.
    assert expected_candidates(1 << 20, 64, 5, 4) == 4 * 2**7 + 2**8
    assert expected_candidates(1 << 20, 64, 5, 0) == 2**7


@pytest.mark.slow
def test_a_query_may_search_more_slices_than_sqlite_takes_in_one_union(tmp_path: Path) -> None:
    with FingerprintStore(tmp_path / "near.sqlite") as store:
        store.create_collection("far", scheme="sd512", slices=512)
        store.add(Document("a", Fingerprint(2**511 - 1, "sd512"), collection="far"))
        assert [match.distance for match in store.find(Fingerprint(0, "sd512"), distance=511, collection="far")] == [
            511
        ]
