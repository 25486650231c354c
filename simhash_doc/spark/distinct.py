"""The first pass over the input: it is checked, and equal fingerprints are grouped.

All later steps work on distinct fingerprints, so a million copies of one cost as much as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame

from simhash_doc.engines.lanes import LANE_BITS, Lanes
from simhash_doc.lookup.arrays import as_rows, differs_from_previous, from_rows, mixed, sorted_values, spread
from simhash_doc.schemes import get_schemes
from simhash_doc.spark.columns import (
    PACKED,
    BadColumnError,
    check_columns,
    expected_widths,
    lanes_from_column,
    lengths,
    null_ids,
    packed,
    reject_repeated_ids,
    several_widths,
    unpacked,
)

# Kinds of packed rows. A fingerprint that several entries have is COPIED.
ONCE, COPIED, ID_HASHES, TALLY, REPEATED_IDS = range(5)

_FLUSHED = 1 << 19  # fingerprints that a task sorts by label at a time
_LABELS = 4096  # 10^10 fingerprints make 20 MB a label
_GATHERED_BYTES = 1 << 22  # of several labels that are processed together
_SAMPLE = 1 << 14  # fingerprints; their 10^8 pairs show a share of one in a million reliably
_NAMED = 1000  # hashes of repeated ids that are searched, to name some ids


@dataclass(frozen=True)
class Distinct:
    """Checked fingerprints, each once.

    Attributes:
        rows: packed rows of kind ONCE or COPIED, cached.
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
        return self.rows.where(F.col("kind") <= COPIED)

    def of_kind(self, kind: int) -> DataFrame:
        return self.rows.where(F.col("kind") == kind)

    @cached_property
    def sample(self) -> Lanes:
        """About 2^14 of the distinct fingerprints, shape (s, lanes), chosen by their hashes."""
        lanes = self.bits // LANE_BITS
        largest = min(_SAMPLE / max(1, self.values), 1) * (2**64 - 2048)  # a float that fits 64 bits
        rows = self.packed().mapInArrow(partial(_with_small_hashes, lanes, int(largest)), PACKED).collect()
        return np.frombuffer(b"".join(row["lanes"] for row in rows), "<u8").astype(np.uint64).reshape(-1, lanes)

    def unpersist(self) -> None:
        """Free the memory and disk of the cache."""
        self.rows.unpersist()


def distinct(df: DataFrame, id_col: str, fp_col: str, what: str = "the input") -> Distinct:
    """Check a table and return its distinct fingerprints; entries without a fingerprint (null) are left out.

    Runs one job over the input. Each fingerprint and each id is shuffled once, as 8 bytes per lane.

    Raises:
        BadColumnError: a column has the wrong type, an id is null or occurs twice, or the fingerprints have
            several widths or a width of no scheme.
    """
    check_columns(df, id_col, fp_col, what)
    fingerprint, name = F.col(f"`{fp_col}`"), F.col(f"`{id_col}`")
    first = df.where(fingerprint.isNotNull()).select(F.length(fingerprint)).first()
    widths = [scheme.bits // 8 for scheme in get_schemes().values()]
    width = first[0] if first else min(widths)
    if width not in widths:
        raise BadColumnError(f"column {fp_col!r} of {what} holds values of {width} bytes; {expected_widths()}")
    hashed = F.when(name.isNotNull(), F.xxhash64(name))
    gathered = (
        df.select(fingerprint.alias("fingerprint"), hashed.alias("id"))
        .mapInArrow(partial(_scatter, width // 8), PACKED)
        .repartition("label")
        .sortWithinPartitions("label", "kind")
        .mapInArrow(partial(_gather, width // 8), PACKED)
        .persist()
    )
    sizes = {
        row["kind"]: row["bytes"]
        for row in gathered.groupBy("kind").agg(F.sum(F.length("lanes")).alias("bytes")).collect()
    }
    tallies = b"".join(row["lanes"] for row in gathered.where(F.col("kind") == TALLY).collect())
    counts = np.frombuffer(tallies, "<i8").reshape(-1, 5)
    entries, missing, without_id, others = counts[:, :4].sum(axis=0).tolist()
    result = Distinct(
        rows=gathered,
        bits=8 * width,
        entries=entries,
        missing=missing,
        values=(sizes.get(ONCE, 0) + sizes.get(COPIED, 0)) // width,
        copied=sizes.get(COPIED, 0) // width,
    )
    try:
        if without_id:
            raise BadColumnError(null_ids(id_col, what, without_id))
        if others:
            raise BadColumnError(several_widths(fp_col, what, width, int(counts[:, 4].max()), others))
        if sizes.get(REPEATED_IDS):
            rows = gathered.where(F.col("kind") == REPEATED_IDS).limit(_NAMED).collect()
            hashes = np.unique(np.frombuffer(b"".join(row["lanes"] for row in rows), "<i8"))[:_NAMED]
            reject_repeated_ids(df, id_col, what, hashes.tolist())
    except BadColumnError:
        result.unpersist()
        raise
    return result


def _scatter(lanes: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
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
        if sum(map(len, hashes)) >= _FLUSHED:
            yield from _labelled(np.concatenate(values), np.concatenate(hashes))
            values, hashes = [], []
    if hashes:
        yield from _labelled(np.concatenate(values), np.concatenate(hashes))
    yield under_one_label(counts.reshape(-1, 1), TALLY)


def _labelled(values: Lanes, hashes: Lanes) -> Iterator[pa.RecordBatch]:
    """Yield packed rows, each fingerprint and each hash of an id under the label of its hash."""
    rows, repeated = each_once(values)
    for found, kind in ((rows[~repeated], ONCE), (rows[repeated], COPIED), (hashes, ID_HASHES)):
        yield from in_order_of(spread(mixed(found), _LABELS), found, kind)


def in_order_of(labels: np.ndarray, values: Lanes, kind: int) -> Iterator[pa.RecordBatch]:
    """Yield packed rows of fingerprints with their labels."""
    if len(values):
        # Labels that fit 16 bits are sorted by radix.
        narrow = labels.astype(np.uint16) if labels.max() < 1 << 16 else labels
        order = np.argsort(narrow, kind="stable")
        ordered = labels[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        yield packed(values[order], starts, ordered[starts], kind)


def each_once(values: Lanes) -> tuple[Lanes, np.ndarray]:
    """Return the distinct rows, and for each True if it occurs more than once."""
    ordered = sorted_values(from_rows(values))
    starts = np.flatnonzero(differs_from_previous(ordered))
    return as_rows(ordered[starts]), np.diff(starts, append=len(ordered)) > 1


def flushed(arrays: Iterable[Lanes]) -> Iterator[Lanes]:
    """Yield fingerprints, shapes (n, lanes), in larger arrays."""
    kept: list[Lanes] = []
    for array in arrays:
        kept.append(array)
        if sum(map(len, kept)) >= _FLUSHED:
            yield np.concatenate(kept)
            kept = []
    if kept:
        yield np.concatenate(kept)


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


def _with_small_hashes(lanes: int, largest: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = unpacked(batch.column("lanes"), lanes)
        yield under_one_label(rows[mixed(rows) <= np.uint64(largest)], ONCE)


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


def under_one_label(rows: Lanes, kind: int) -> pa.RecordBatch:
    """Return packed rows of fingerprints whose label does not matter."""
    return packed(rows, np.zeros(min(1, len(rows)), np.int64), np.zeros(min(1, len(rows)), np.int64), kind)


def joined(columns: list[pa.Array], lanes: int) -> Lanes:
    """Return the fingerprints of packed columns in one array, shape (n, lanes)."""
    return np.concatenate([np.empty((0, lanes), np.uint64), *(unpacked(column, lanes) for column in columns)])


def labels_of(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, dict[int, list[pa.Array]]]]:
    """Yield each label with its packed columns by kind, from rows that are in the order of labels and kinds."""
    label, kinds = None, dict[int, list[pa.Array]]()
    for batch in batches:
        names, of_kind, column = (batch.column(number) for number in range(3))
        key = names.to_numpy().astype(np.int64) << 8 | of_kind.to_numpy()
        edges = [0, *(np.flatnonzero(key[1:] != key[:-1]) + 1).tolist(), len(key)]
        for start, end in pairwise(edges):
            if start == end:
                continue
            named = names[start].as_py()
            if label is not None and named != label:
                yield label, kinds
                kinds = {}
            label = named
            kinds.setdefault(of_kind[start].as_py(), []).append(column.slice(start, end - start))
    if label is not None:
        yield label, kinds
