"""The first pass over the input: it is checked, and equal fingerprints are brought together.

All that follows works on distinct fingerprints, so that a million copies of one cost as much as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame
from pyspark.sql.types import BinaryType, IntegralType, StringType

from simhash_doc.pinned import schemes
from simhash_doc.spark.columns import PACKED, lengths, packed, unpacked, words_of
from simhash_doc.spark.errors import BadColumnError
from simhash_doc.spark.tables import Words, mixed, spread

# Kinds of packed rows. A fingerprint that several entries have is COPIED.
ONCE, COPIED, ID_HASHES, TALLY, REPEATED_IDS = range(5)

FLUSHED = 1 << 19  # fingerprints that a task sorts by label at a time
_LABELS = 4096  # 10^10 fingerprints make 20 MB a label
_GATHERED_BYTES = 1 << 22  # of several labels that are gone through at once
_NAMED = 1000  # hashes of repeated ids that are looked up, to name some ids


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

    def unpersist(self) -> None:
        """Give back the memory and disk of the cache."""
        self.rows.unpersist()


def check_columns(df: DataFrame, id_col: str, fp_col: str, what: str = "the input") -> None:
    """Refuse a table without an id column and a fingerprint column of the right types.

    Raises:
        BadColumnError: with what would be right.
    """
    fields = {field.name: field.dataType for field in df.schema.fields}
    for name in (id_col, fp_col):
        if name not in fields:
            raise BadColumnError(f"{what} has no column {name!r}; it has {', '.join(map(repr, fields)) or 'none'}")
    kind = fields[id_col]
    if not isinstance(kind, StringType | IntegralType | BinaryType):
        raise BadColumnError(
            f"column {id_col!r} of {what} is {kind.simpleString()}; an id is a string, integer or binary"
        )
    kind = fields[fp_col]
    if not isinstance(kind, BinaryType):
        raise BadColumnError(
            f"column {fp_col!r} of {what} is {kind.simpleString()}; a fingerprint is binary, "
            f"most significant byte first{_conversion(fp_col, kind)}"
        )


def _conversion(name: str, kind: object) -> str:
    if isinstance(kind, IntegralType):
        return f": unhex(lpad(hex({name}), 16, '0')) makes one of a bigint"
    if isinstance(kind, StringType):
        return f": unhex({name}) makes one of hexadecimal digits"
    return ""


def distinct(df: DataFrame, id_col: str, fp_col: str, what: str = "the input") -> Distinct:
    """Check a table and return its distinct fingerprints; entries whose fingerprint is null are left out.

    Runs one job over the input. Each fingerprint and each id goes through the shuffle once, as 8 bytes a word.

    Raises:
        BadColumnError: wrong type of a column, a null id, an id that stands twice, or fingerprints of
            several widths or of none that a scheme has.
    """
    check_columns(df, id_col, fp_col, what)
    fingerprint, name = F.col(f"`{fp_col}`"), F.col(f"`{id_col}`")
    first = df.where(fingerprint.isNotNull()).select(F.length(fingerprint)).first()
    widths = [scheme.bits // 8 for scheme in schemes().values()]
    width = first[0] if first else min(widths)
    if width not in widths:
        raise BadColumnError(f"column {fp_col!r} of {what} holds values of {width} bytes; {_widths()}")
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
        for row in gathered.groupBy("kind").agg(F.sum(F.length("words")).alias("bytes")).collect()
    }
    tally = _tally([row["words"] for row in gathered.where(F.col("kind") == TALLY).collect()])
    made = Distinct(
        rows=gathered,
        bits=8 * width,
        entries=tally.entries,
        missing=tally.missing,
        values=(sizes.get(ONCE, 0) + sizes.get(COPIED, 0)) // width,
        copied=sizes.get(COPIED, 0) // width,
    )
    try:
        if tally.null_ids:
            raise BadColumnError(_null_ids(id_col, what, tally.null_ids))
        if tally.other_widths:
            raise BadColumnError(_several_widths(fp_col, what, width, tally.other_width, tally.other_widths))
        if sizes.get(REPEATED_IDS):
            _refuse_repeated(df, gathered, id_col, what)
    except BadColumnError:
        made.unpersist()
        raise
    return made


def check_values(df: DataFrame, id_col: str, fp_col: str, what: str, bits: int | None) -> None:
    """Read a table once, and refuse null ids and fingerprints of other widths than `bits` (None for any one width).

    Raises:
        BadColumnError: with what is wrong.
    """
    size = F.length(F.col(f"`{fp_col}`"))
    row = df.agg(
        F.count_if(F.col(f"`{id_col}`").isNull()), F.min(size), F.max(size), F.count_if(size != (bits or 0) // 8)
    ).first()
    assert row is not None
    null_ids, least, most, others = row
    if null_ids:
        raise BadColumnError(_null_ids(id_col, what, null_ids))
    if bits is not None and others:
        width = bits // 8
        raise BadColumnError(_several_widths(fp_col, what, width, least if least != width else most, others))


def _null_ids(id_col: str, what: str, rows: int) -> str:
    return f"column {id_col!r} of {what} is null in {rows:,} rows; every entry needs an id"


def _several_widths(fp_col: str, what: str, width: int, other: int, rows: int) -> str:
    return (
        f"column {fp_col!r} of {what} holds fingerprints of {other} bytes where {width} are expected, "
        f"in {rows:,} rows: those of different schemes are never compared. {_widths()}"
    )


def _widths() -> str:
    return "a fingerprint has " + ", ".join(f"{scheme.bits // 8} bytes ({scheme.id})" for scheme in schemes().values())


def _refuse_repeated(df: DataFrame, gathered: DataFrame, id_col: str, what: str) -> None:
    rows = gathered.where(F.col("kind") == REPEATED_IDS).limit(_NAMED).collect()
    hashes = np.unique(np.frombuffer(b"".join(row["words"] for row in rows), "<i8"))[:_NAMED].tolist()
    name = F.col(f"`{id_col}`")
    repeated = (
        df.where(F.xxhash64(name).isin(hashes)).groupBy(name.alias("id")).count().where("count > 1").limit(3).collect()
    )
    if repeated:  # else different ids with equal hashes
        named = ", ".join(f"{row['id']!r} ({row['count']:,} rows)" for row in repeated)
        raise BadColumnError(
            f"column {id_col!r} of {what} names some entries twice, such as {named}; an id is of one entry"
        )


@dataclass(frozen=True)
class _Tally:
    """What a task counted in its part of the input."""

    entries: int = 0
    missing: int = 0
    null_ids: int = 0
    other_widths: int = 0
    other_width: int = 0


def _tally(packed_tallies: Iterable[bytes]) -> _Tally:
    counts = np.array([np.frombuffer(data, "<i8") for data in packed_tallies], np.int64).reshape(-1, 5)
    if not len(counts):
        return _Tally()
    entries, missing, null_ids, other_widths = counts[:, :4].sum(axis=0).tolist()
    return _Tally(entries, missing, null_ids, other_widths, other_width=int(counts[:, 4].max()))


def _scatter(words: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    counts = np.zeros(5, np.uint64)
    values: list[Words] = []
    hashes: list[Words] = []
    for batch in batches:
        fingerprints, ids = batch.column(0).drop_null(), batch.column(1)
        counts[1] += batch.num_rows - len(fingerprints)
        counts[2] += ids.null_count
        sizes = lengths(fingerprints)
        right = sizes == 8 * words
        if not right.all():
            counts[3] += np.count_nonzero(~right)
            counts[4] = sizes[~right][0]
            fingerprints = fingerprints.filter(pa.array(right))
        counts[0] += len(fingerprints)
        values.append(words_of(fingerprints, words))
        hashes.append(ids.drop_null().to_numpy(zero_copy_only=False).view(np.uint64).reshape(-1, 1))
        if sum(map(len, hashes)) >= FLUSHED:
            yield from _labelled(np.concatenate(values), np.concatenate(hashes))
            values, hashes = [], []
    if hashes:
        yield from _labelled(np.concatenate(values), np.concatenate(hashes))
    yield _under_one_label(counts.reshape(-1, 1), TALLY)


def _labelled(values: Words, hashes: Words) -> Iterator[pa.RecordBatch]:
    rows, repeated = each_once(values)
    yield from by_label(rows[~repeated], ONCE)
    yield from by_label(rows[repeated], COPIED)
    yield from by_label(hashes, ID_HASHES)


def by_label(words: Words, kind: int) -> Iterator[pa.RecordBatch]:
    """Yield packed rows, each fingerprint under a label that its hash gives."""
    labels = spread(mixed(words), _LABELS)
    yield from in_order_of(labels, words, kind)


def in_order_of(labels: np.ndarray, words: Words, kind: int) -> Iterator[pa.RecordBatch]:
    """Yield packed rows of fingerprints with their labels."""
    if len(words):
        # Labels that fit 16 bits are sorted by radix.
        narrow = labels.astype(np.uint16) if labels.max() < 1 << 16 else labels
        order = np.argsort(narrow, kind="stable")
        ordered = labels[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        yield packed(words[order], starts, ordered[starts], kind)


def each_once(words: Words) -> tuple[Words, np.ndarray]:
    """Return the distinct rows, and of each whether it was there more than once."""
    ordered = np.sort(words, axis=0) if words.shape[1] == 1 else words[np.lexsort(words.T[::-1])]
    first = np.ones(len(ordered), bool)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.flatnonzero(first)
    return ordered[starts], np.diff(starts, append=len(ordered)) > 1


def _gather(words: int, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for kinds in _several(labels_of(batches)):
        for tally in kinds.get(TALLY, ()):
            yield _under_one_label(unpacked(tally, 1), TALLY)
        hashes, repeated = each_once(joined(kinds.get(ID_HASHES, []), 1))
        yield _under_one_label(hashes[repeated], REPEATED_IDS)
        once, copied = joined(kinds.get(ONCE, []), words), joined(kinds.get(COPIED, []), words)
        # A fingerprint that was copied within a task counts twice.
        values, repeated = each_once(np.concatenate((once, copied, copied)))
        yield _under_one_label(values[~repeated], ONCE)
        yield _under_one_label(values[repeated], COPIED)


def _several(labels: Iterable[tuple[int, dict[int, list[pa.Array]]]]) -> Iterator[dict[int, list[pa.Array]]]:
    """Yield the columns of several whole labels at once: one by one, thousands of small labels take seconds."""
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


def _under_one_label(words: Words, kind: int) -> pa.RecordBatch:
    return packed(words, np.zeros(min(1, len(words)), np.int64), np.zeros(min(1, len(words)), np.int64), kind)


def joined(columns: list[pa.Array], words: int) -> Words:
    """Return the fingerprints of packed columns in one array, shape (n, words)."""
    return np.concatenate([np.empty((0, words), np.uint64), *(unpacked(column, words) for column in columns)])


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
