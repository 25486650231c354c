"""The first pass over the input: it is checked, and equal fingerprints are grouped.

All later steps work on distinct fingerprints, so a million copies of one cost as much as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.arrays import Lanes, differs_from_previous, mixed, sorted_rows, spread
from simhash_doc.schemes import LANE_BITS, get_schemes
from simhash_doc.spark.columns import (
    FLUSHED,
    PACKED,
    BadColumnError,
    check_values,
    joined,
    labels_of,
    lanes_from_column,
    lengths,
    under_labels,
    under_one_label,
    unpacked,
)
from simhash_doc.spark.session import Cached, freed_on_error

# Kinds of packed rows. A fingerprint that several entries have is COPIED.
ONCE, COPIED, ID_HASHES, TALLY, REPEATED_IDS = range(5)

_LABELS = 4096  # 10^10 fingerprints make 20 MB a label
_GATHERED_BYTES = 1 << 22  # of several labels that are processed together
_SAMPLE = 1 << 14  # fingerprints; their 10^8 pairs show a share of one in a million reliably
_NAMED = 1000  # hashes of repeated ids that are searched, to name some ids


@dataclass(frozen=True)
class Distinct(Cached):
    """Checked fingerprints, each once.

    Attributes:
        rows: packed rows.
        bits: width of the fingerprints; that of the narrowest scheme if there are none.
        entries: number of entries with a fingerprint.
        missing: number of entries without one (null).
        values: number of distinct fingerprints.
        copied: number of distinct fingerprints that several entries have.
    """

    rows: DataFrame
    bits: int
    entries: int
    missing: int
    values: int
    copied: int

    def packed(self) -> DataFrame:
        """Return packed rows of all distinct fingerprints."""
        return self.rows.where(F.col("kind") <= COPIED)

    def of_kind(self, kind: int) -> DataFrame:
        """Return packed rows of one kind."""
        return self.rows.where(F.col("kind") == kind)

    @cached_property
    def sample(self) -> Lanes:
        """About 2^14 of the distinct fingerprints, shape (s, lanes), chosen by their hashes."""
        lanes = self.bits // LANE_BITS
        largest = min(_SAMPLE / max(1, self.values), 1) * (2**64 - 2048)  # a float that fits 64 bits
        rows = self.packed().mapInArrow(partial(_with_small_hashes, lanes, int(largest)), PACKED)
        return collected(rows, lanes)


def collected(rows: DataFrame, lanes: int) -> Lanes:
    """Return the fingerprints of packed rows, shape (n, lanes)."""
    return joined(rows.select("lanes").toArrow().column(0).chunks, lanes)


def distinct(rows: DataFrame, what: str = "the input") -> Distinct:
    """Check entries and return their distinct fingerprints; entries without a fingerprint (null) are left out.

    Runs one job over the input. Each fingerprint and each id is shuffled once, as 8 bytes per lane.

    Args:
        rows: columns id and fingerprint, see `entries`.

    Raises:
        BadColumnError: an id is null or occurs twice, or the fingerprints have several widths or a width of no scheme.
    """
    first = rows.where(F.col("fingerprint").isNotNull()).select(F.length("fingerprint")).first()
    width = first[0] if first else min(scheme.bits // 8 for scheme in get_schemes().values())
    check_values(what, null_ids=0, width=width, other=0, others=0)
    hashed = F.when(F.col("id").isNotNull(), F.xxhash64("id"))
    gathered = (
        rows.select("fingerprint", hashed)
        .mapInArrow(partial(_scatter, width // 8), PACKED)
        .repartition("label")
        .sortWithinPartitions("label", "kind")
        .mapInArrow(partial(_gather, width // 8), PACKED)
        .persist()
    )
    with freed_on_error(Cached([gathered])):
        tallied = F.collect_list(F.when(F.col("kind") == TALLY, F.col("lanes"))).alias("lanes")
        by_kind = gathered.groupBy("kind").agg(F.sum(F.length("lanes")).alias("bytes"), tallied).collect()
        sizes = {row["kind"]: row["bytes"] for row in by_kind}
        tallies = unpacked(pa.array([lanes for row in by_kind for lanes in row["lanes"]], pa.binary()), 5)
        entries, missing, null_ids, others = tallies[:, :4].sum(axis=0).tolist()
        check_values(what, null_ids=null_ids, width=width, other=int(tallies[:, 4].max()), others=others)
        if sizes.get(REPEATED_IDS):
            some = gathered.where(F.col("kind") == REPEATED_IDS).limit(_NAMED)
            hashes = np.unique(collected(some, 1).view(np.int64))[:_NAMED]
            _reject_repeated_ids(rows, what, hashes.tolist())
    copied = sizes.get(COPIED, 0) // width
    return Distinct([gathered], gathered, 8 * width, entries, missing, sizes.get(ONCE, 0) // width + copied, copied)


def _reject_repeated_ids(rows: DataFrame, what: str, hashes: list[int]) -> None:
    suspects = rows.where(F.xxhash64("id").isin(hashes))
    repeated = suspects.groupBy("id").count().where("count > 1").limit(3).collect()
    if repeated:  # otherwise different ids with equal hashes
        named = ", ".join(f"{row['id']!r} ({row['count']:,} rows)" for row in repeated)
        raise BadColumnError(f"{what} has repeated ids, such as {named}; an id identifies one entry")


def _scatter(lanes: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield packed rows: each fingerprint and each hash of an id under the label of its hash, and a tally."""
    counts = np.zeros(5, np.uint64)  # entries, missing, null ids, other widths, one of these
    values: list[Lanes] = []
    hashes: list[Lanes] = []
    for batch in batches:
        fingerprints, ids = batch.column(0).drop_null(), batch.column(1)
        counts[1] += batch.num_rows - len(fingerprints)
        counts[2] += ids.null_count
        sizes = lengths(fingerprints)
        right = sizes == 8 * lanes
        if not right.all():
            counts[3] += np.count_nonzero(~right)
            counts[4] = sizes[~right][0]
            fingerprints = fingerprints.filter(pa.array(right))
        counts[0] += len(fingerprints)
        values.append(lanes_from_column(fingerprints, lanes))
        hashes.append(ids.drop_null().to_numpy(zero_copy_only=False).view(np.uint64).reshape(-1, 1))
        if sum(map(len, hashes)) >= FLUSHED:
            yield from _labelled(np.concatenate(values), np.concatenate(hashes))
            values, hashes = [], []
    if hashes:
        yield from _labelled(np.concatenate(values), np.concatenate(hashes))
    yield under_one_label(counts.reshape(-1, 1), TALLY)


def _labelled(values: Lanes, hashes: Lanes) -> Iterator[pa.RecordBatch]:
    rows, repeated = each_once(values)
    for found, kind in ((rows[~repeated], ONCE), (rows[repeated], COPIED), (hashes, ID_HASHES)):
        yield from under_labels(spread(mixed(found), _LABELS), found, kind)


def each_once(values: Lanes) -> tuple[Lanes, np.ndarray]:
    """Return the distinct rows, and for each True if it occurs more than once."""
    ordered = sorted_rows(values)
    starts = np.flatnonzero(differs_from_previous(ordered))
    return ordered.take(starts, axis=0), np.diff(starts, append=len(ordered)) > 1


def _gather(lanes: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for kinds in _several(labels_of(batches)):
        for tally in kinds.get(TALLY, ()):
            yield under_one_label(unpacked(tally, 1), TALLY)
        hashes, repeated = each_once(joined(kinds.get(ID_HASHES, []), 1))
        yield under_one_label(hashes[repeated], REPEATED_IDS)
        once, copied = joined(kinds.get(ONCE, []), lanes), joined(kinds.get(COPIED, []), lanes)
        # A fingerprint that was copied within a task counts twice.
        values, repeated = each_once(np.concatenate((once, copied, copied)))
        yield under_one_label(values[~repeated], ONCE)
        yield under_one_label(values[repeated], COPIED)


def _several(labels: Iterable[tuple[int, dict[int, list[pa.Array]]]]) -> Iterator[dict[int, list[pa.Array]]]:
    """Yield the columns of several complete labels at once: one by one, thousands of small labels take seconds."""
    kinds: dict[int, list[pa.Array]] = {}
    size = 0
    for _, more in labels:
        for kind, columns in more.items():
            kinds.setdefault(kind, []).extend(columns)
            size += sum(column.nbytes for column in columns)
        if size >= _GATHERED_BYTES:
            yield kinds
            kinds, size = {}, 0
    if kinds:
        yield kinds


def _with_small_hashes(lanes: int, largest: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = unpacked(batch.column("lanes"), lanes)
        yield under_one_label(rows[mixed(rows) <= np.uint64(largest)], ONCE)
