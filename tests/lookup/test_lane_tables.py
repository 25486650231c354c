"""The tables of all lanes of wide fingerprints: each pair is found in a key, and has one first table."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.engines.lanes import ints_from_lanes, lanes_from_ints
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.planning import LaneTables, lane_distances
from simhash_doc.lookup.tables import Segment
from tests.lookup.distributions import clustered_lanes


def lane_tables(bits: int, distance: int, spare: int = 0) -> LaneTables:
    """Return tables with `spare` more blocks in each lane than a distance needs."""
    distances = lane_distances(bits // 64, distance)
    return LaneTables(
        bits, distance, tuple(None if most < 0 else Blocking(64, most + 1 + spare, most) for most in distances)
    )


@given(
    bits=st.sampled_from([128, 256, 512]),
    distance=st.integers(0, 40),
    spare=st.integers(0, 1),
    differing=st.data(),
)
def test_a_pair_has_one_first_table_whose_key_agrees(
    bits: int, distance: int, spare: int, differing: st.DataObject
) -> None:
    tables = lane_tables(bits, distance, spare)
    places = differing.draw(st.sets(st.integers(0, bits - 1), max_size=distance))
    difference = sum(1 << place for place in places)
    first = [
        number
        for number in range(len(tables))
        if tables.is_first(lanes_from_ints([difference], tables.lanes), number)[0]
    ]
    assert len(first) == 1
    assert difference & tables.masks[first[0]] == 0


@pytest.mark.parametrize(("bits", "distance"), [(128, 10), (256, 26), (512, 56)])
def test_a_segment_finds_every_match_once(bits: int, distance: int) -> None:
    values = clustered_lanes(200, bits // 64, distance + 4)
    stored, queries = np.unique(values[:120], axis=0), values[80:]
    found = Counter[tuple[int, int]]()
    for at, near in Segment.build(stored, lane_tables(bits, distance)).search(queries):
        found.update(zip(at.tolist(), ints_from_lanes(near), strict=True))
    apart = np.bitwise_count(queries[:, None] ^ stored[None]).sum(axis=2, dtype=np.int64)
    listed = ints_from_lanes(stored)
    expected = {(int(a), listed[b]) for a, b in zip(*np.nonzero(apart <= distance), strict=True)}
    assert len(expected) > 100
    assert found == dict.fromkeys(expected, 1)
