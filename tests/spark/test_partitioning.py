"""Fingerprints under their labels, joined per label, give every pair once: without Spark, to try many."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.spark.conftest import require_spark

require_spark()

from simhash_doc.arrays import Lanes, ints_from_lanes, lanes_from_ints
from simhash_doc.lookup.blocks import Blocking, BlockTables
from simhash_doc.spark.columns import column_from_lanes, labels_of, lanes_from_column, lengths, packed, unpacked
from simhash_doc.spark.distinct import each_once
from simhash_doc.spark.partitioning import BOTH, QUERIES, STORED, Partitioning, described, joined_by_label
from tests.lookup.distributions import FINGERPRINTS, integers
from tests.lookup.test_planning import lane_tables
from tests.spark.tables import values_of

WIDTHS = (64, 128, 256, 512)


def rows_of(values: list[int], bits: int) -> Lanes:
    return lanes_from_ints(values, bits // 64)


@st.composite
def wide(draw: st.DrawFn) -> tuple[int, list[int]]:
    """Distinct fingerprints of a width, in whose lanes those of 64 bits are repeated or shifted."""
    bits = draw(st.sampled_from(WIDTHS))
    narrow = draw(FINGERPRINTS)
    places = draw(st.lists(st.integers(0, bits - 64), min_size=1, max_size=3))
    return bits, sorted({sum((value << place) for place in set(places)) % (1 << bits) for value in narrow})


@st.composite
def shapes(draw: st.DrawFn) -> tuple[int, int]:
    distance = draw(st.integers(0, 4))
    return draw(st.integers(distance + 1, distance + 3)), distance


def joined(partitioning: Partitioning, sent: list[tuple[Lanes, int]]) -> list[tuple[int, int]]:
    """Do what a shuffle does: group packed rows by label, in any order of batches."""
    batches = [batch for rows, side in sent for batch in partitioning.scatter(rows, side)]
    if not batches:
        return []
    table = pa.Table.from_batches(batches).sort_by([("label", "ascending"), ("kind", "ascending")])
    found = joined_by_label(partitioning, table.to_batches(max_chunksize=3))
    return [pair for a, b in found for pair in zip(ints_from_lanes(a), ints_from_lanes(b), strict=True)]


@st.composite
def with_tables(draw: st.DrawFn) -> tuple[BlockTables, list[int]]:
    """Tables of the complete fingerprint, or of its lanes at distances up to those of near-duplicates; and values."""
    if draw(st.booleans()):
        bits, values = draw(wide())
        return Blocking(bits, *draw(shapes())), values
    lanes = draw(st.sampled_from([2, 4, 8]))
    distance = draw(st.integers(0, 6) | st.just(7 * lanes))
    tables = lane_tables(64 * lanes, distance, spare=draw(st.integers(0, 1)) if distance <= 6 else 0)
    return tables, sorted(set(draw(integers(lanes, farthest=distance))))


@given(given_=with_tables(), buckets=st.integers(1, 5), pieces=st.integers(1, 4), data=st.data())
def test_every_pair_is_found_once(
    given_: tuple[BlockTables, list[int]], buckets: int, pieces: int, data: st.DataObject
) -> None:
    tables, values = given_
    labels = data.draw(st.sets(st.integers(0, len(tables) * buckets - 1), max_size=6)) if pieces > 1 else set()
    partitioning = Partitioning(tables, buckets, dict.fromkeys(sorted(labels), (pieces, pieces)))
    cut = data.draw(st.integers(0, len(values)))
    rows = rows_of(values, tables.bits)
    found = [tuple(sorted(pair)) for pair in joined(partitioning, [(rows[:cut], BOTH), (rows[cut:], BOTH)])]
    expected = [pair for pair in combinations(values, 2) if (pair[0] ^ pair[1]).bit_count() <= tables.distance]
    assert sorted(found) == expected


@given(
    given_=with_tables(),
    buckets=st.integers(1, 5),
    pieces=st.tuples(*[st.integers(1, 3)] * 2),
    data=st.data(),
)
def test_every_match_of_a_query_is_found_once(
    given_: tuple[BlockTables, list[int]], buckets: int, pieces: tuple[int, int], data: st.DataObject
) -> None:
    tables, values = given_
    bits, distance = tables.bits, tables.distance
    labels = data.draw(st.sets(st.integers(0, len(tables) * buckets - 1), max_size=6))
    partitioning = Partitioning(tables, buckets, dict.fromkeys(sorted(labels), pieces), within=False)
    stored = [value for value in values if data.draw(st.booleans())]
    found = joined(partitioning, [(rows_of(stored, bits), STORED), (rows_of(values, bits), QUERIES)])
    expected = [(query, value) for query in values for value in stored if (query ^ value).bit_count() <= distance]
    assert sorted(found) == expected


@given(given_=wide(), large=st.booleans())
def test_columns_and_packed_rows_keep_fingerprints(given_: tuple[int, list[int]], large: bool) -> None:
    bits, values = given_
    lanes = rows_of(values, bits)
    column = column_from_lanes(lanes)
    assert column.to_pylist() == [value.to_bytes(bits // 8, "big") for value in values]
    column = pa.concat_arrays([pa.array([b"x"]), column])[1:]
    if large:
        column = column.cast(pa.large_binary())
    assert set(lengths(column).tolist()) <= {bits // 8}
    assert ints_from_lanes(lanes_from_column(column, bits // 64)) == values
    if values:
        rows = packed(lanes, np.zeros(1, np.int64), np.array([7]), 1)
        assert [(label, set(kinds)) for label, kinds in labels_of([rows])] == [(7, {1})]
        assert ints_from_lanes(unpacked(rows.column("lanes"), bits // 64)) == values


def test_a_packed_row_is_never_large() -> None:
    lanes = np.arange(100_000, dtype=np.uint64).reshape(-1, 8)
    rows = packed(lanes, np.array([0, 3]), np.array([1, 2]), 0)
    assert max(lengths(rows.column("lanes"))) <= 8192
    assert rows.column("label").to_pylist()[:2] == [1, 2]
    assert (unpacked(rows.column("lanes"), 8) == lanes).all()


@given(given_=wide(), data=st.data())
def test_equal_fingerprints_become_one(given_: tuple[int, list[int]], data: st.DataObject) -> None:
    bits, values = given_
    given_values = data.draw(st.lists(st.sampled_from(values), max_size=20)) if values else []
    once, repeated = each_once(rows_of(given_values, bits))
    assert ints_from_lanes(once) == sorted(set(given_values))
    assert repeated.tolist() == [given_values.count(value) > 1 for value in sorted(set(given_values))]


def test_the_candidates_are_those_of_the_fingerprints_not_of_random_ones() -> None:
    values, tables = np.unique(values_of("skewed", 2000)), Blocking(64, 5, 3)
    counts = [np.unique(values & np.uint64(mask), return_counts=True)[1] for mask in tables.masks]
    met = sum(int((count * (count - 1)).sum()) for count in counts) / len(values)
    chosen = described(len(values), tables, values.reshape(-1, 1))
    assert chosen.candidates == pytest.approx(met, rel=0.01)
    assert chosen.candidates > 100 * described(len(values), tables, values[:0].reshape(-1, 1)).candidates
