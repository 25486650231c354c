"""Columns of a table of fingerprints: checks, conversion to arrays of lanes, and packed rows.

A fingerprint is a BINARY of bits / 8 bytes, most significant byte first as in the text form (SD-TEXT-1,
SD-WIDE-3), in every width. Not a BIGINT: Spark has no unsigned one, so half of all fingerprints would
be negative and sort before the others, and three of the four widths would not fit. Two binaries
compare as the numbers do.

Packed rows hold many fingerprints each: in a shuffle each takes 8 bytes per lane, without 16 or more per row.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame
from pyspark.sql.types import BinaryType, DataType, IntegralType, StringType

from simhash_doc.arrays import Lanes, bytes_from_lanes, lanes_from_bytes, popcount
from simhash_doc.errors import SimhashDocError
from simhash_doc.schemes import get_schemes
from simhash_doc.spark.session import reject_connect

PAIRS = "a binary, b binary, distance int"
PACKED = "label int, kind int, lanes binary"

_PACKED = pa.schema([("label", pa.int32()), ("kind", pa.int32()), ("lanes", pa.binary())])
# 8 KB in a packed row: a batch of Spark's 10,000 rows stays under 100 MB.
_PACKED_LANES = 1024
FLUSHED = 1 << 19  # fingerprints that a task sorts by label at a time


class BadColumnError(SimhashDocError, ValueError):
    """A column is absent, has the wrong type or holds invalid values."""

    code = "bad-column"


class MissingColumnError(BadColumnError):
    """A table has no column of the given name."""

    code = "missing-column"
    is_usage = True


# Checks


def entries(df: DataFrame, id_col: str = "id", fp_col: str = "fingerprint", what: str = "the input") -> DataFrame:
    """Return the columns id and fingerprint of a table under these names.

    Raises:
        BadColumnError: a column is absent or of another type.
        SparkConnectError: the table is of Spark Connect.
    """
    reject_connect(df)
    types = column_types(df, id_col, fp_col, what=what)
    kind = types[id_col]
    if not isinstance(kind, StringType | IntegralType | BinaryType):
        raise BadColumnError(
            f"column {id_col!r} of {what} is {kind.simpleString()}; an id is a string, integer or binary"
        )
    kind = types[fp_col]
    if not isinstance(kind, BinaryType):
        conversion = ""
        if isinstance(kind, IntegralType):
            conversion = f": unhex(lpad(hex({fp_col}), 16, '0')) converts a bigint"
        elif isinstance(kind, StringType):
            conversion = f": unhex({fp_col}) converts hexadecimal digits"
        raise BadColumnError(
            f"column {fp_col!r} of {what} is {kind.simpleString()}; a fingerprint is binary, most significant byte "
            f"first{conversion}"
        )
    return df.select(F.col(f"`{id_col}`").alias("id"), F.col(f"`{fp_col}`").alias("fingerprint"))


def column_types(df: DataFrame, *names: str, what: str = "the input") -> dict[str, DataType]:
    """Return the types of all columns of a table, by name.

    Raises:
        MissingColumnError: a column of one of `names` is absent.
    """
    types = {field.name: field.dataType for field in df.schema.fields}
    for name in names:
        if name not in types:
            raise MissingColumnError(f"{what} has no column {name!r}; it has {', '.join(map(repr, types)) or 'none'}")
    return types


def check_values(what: str, *, null_ids: int, width: int, other: int, others: int) -> None:
    """Reject the values of a table, given what was counted.

    Args:
        null_ids: number of null ids.
        width: bytes that a fingerprint should have.
        other, others: another number of bytes, and how many fingerprints have another number.

    Raises:
        BadColumnError: an id is null, or a fingerprint has another width or that of no scheme.
    """
    if null_ids:
        raise BadColumnError(f"the ids of {what} are null in {null_ids:,} rows; every entry needs an id")
    widths = {scheme.bits // 8: scheme.id for scheme in get_schemes().values()}
    expected = "a fingerprint has " + ", ".join(f"{size} bytes ({name})" for size, name in widths.items())
    if width not in widths:
        raise BadColumnError(f"the fingerprints of {what} have {width} bytes; {expected}")
    if others:
        raise BadColumnError(
            f"{what} has fingerprints of {other} bytes where {width} are expected, in {others:,} rows: different "
            f"schemes are never compared; {expected}"
        )


# Arrays


def lengths(column: pa.Array) -> npt.NDArray[np.integer]:
    """Return the length of each value of a binary column without nulls, in bytes, shape (n,)."""
    return np.diff(_offsets(column))


def lanes_from_column(column: pa.Array, lanes: int) -> Lanes:
    """Return a binary column without nulls, whose values have 8 * lanes bytes each, as shape (n, lanes)."""
    return lanes_from_bytes(_bytes(column), lanes)


def column_from_lanes(rows: Lanes) -> pa.Array:
    """Return fingerprints, shape (n, lanes), as a binary column."""
    width = 8 * rows.shape[1]
    offsets = np.arange(len(rows) + 1, dtype=np.int32) * np.int32(width)
    return _binary(offsets, np.frombuffer(bytes_from_lanes(rows), np.uint8))


def pair_rows(a: Lanes, b: Lanes) -> pa.RecordBatch:
    """Return pairs of fingerprints, shapes (n, lanes), with their distances as rows of the columns `PAIRS`."""
    return pa.record_batch(
        {"a": column_from_lanes(a), "b": column_from_lanes(b), "distance": pa.array(popcount(a ^ b).astype(np.int32))}
    )


def _offsets(column: pa.Array) -> npt.NDArray[np.integer]:
    # A session may use large_binary, whose offsets have 64 bits.
    kind: type[np.signedinteger] = np.int64 if pa.types.is_large_binary(column.type) else np.int32
    buffer = column.buffers()[1]
    if not len(column) or buffer is None:
        return np.zeros(1, kind)
    return np.frombuffer(buffer, kind)[column.offset : column.offset + len(column) + 1]


def _bytes(column: pa.Array) -> npt.NDArray[np.uint8]:
    offsets = _offsets(column)
    data = column.buffers()[2]
    return np.frombuffer(data if data is not None else b"", np.uint8)[offsets[0] : offsets[-1]]


def _binary(offsets: npt.NDArray[np.int32], data: npt.NDArray[np.generic]) -> pa.Array:
    return pa.Array.from_buffers(
        pa.binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(data))]
    )


# Packed rows


def packed(
    values: Lanes, starts: npt.NDArray[np.integer], labels: npt.NDArray[np.integer], kind: int
) -> pa.RecordBatch:
    """Return packed rows of fingerprints that are in the order of their labels.

    Args:
        values: shape (n, lanes).
        starts: where the fingerprints of each label begin, ascending, shape (l,).
        labels: shape (l,).
    """
    most = max(1, _PACKED_LANES // values.shape[1])
    sizes = np.diff(starts, append=len(values))
    rows = -(-sizes // most)
    row_labels = np.repeat(labels, rows)
    number = np.arange(len(row_labels)) - np.repeat(np.cumsum(rows) - rows, rows)
    edges = np.append(np.repeat(starts, rows) + number * most, len(values))
    column = _binary((edges * 8 * values.shape[1]).astype(np.int32), values.astype("<u8", copy=False))
    kinds = np.full(len(row_labels), kind, np.int32)
    return pa.record_batch([pa.array(row_labels.astype(np.int32)), pa.array(kinds), column], schema=_PACKED)


def under_one_label(rows: Lanes, kind: int) -> pa.RecordBatch:
    """Return packed rows of fingerprints whose label does not matter."""
    return packed(rows, np.zeros(min(1, len(rows)), np.int64), np.zeros(min(1, len(rows)), np.int64), kind)


def under_labels(labels: npt.NDArray[np.integer], values: Lanes, kind: int) -> Iterator[pa.RecordBatch]:
    """Yield packed rows of fingerprints, given the label of each."""
    if len(values):
        # Labels that fit 16 bits are sorted by radix.
        narrow = labels.astype(np.uint16) if labels.max() < 1 << 16 else labels
        order = np.argsort(narrow, kind="stable")
        ordered = labels[order]
        starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1])))
        yield packed(values[order], starts, ordered[starts], kind)


def unpacked(column: pa.Array, lanes: int) -> Lanes:
    """Return the fingerprints of the `lanes` column of packed rows, shape (n, lanes)."""
    return _bytes(column).view("<u8").reshape(-1, lanes).astype(np.uint64, copy=False)


def joined(columns: Iterable[pa.Array], lanes: int) -> Lanes:
    """Return the fingerprints of several columns of packed rows in one array, shape (n, lanes)."""
    return np.concatenate([np.empty((0, lanes), np.uint64), *(unpacked(column, lanes) for column in columns)])


def in_pieces(batches: Iterable[pa.RecordBatch], lanes: int) -> Iterator[Lanes]:
    """Yield the fingerprints of many packed rows at a time, shape (n, lanes)."""
    return flushed(unpacked(batch.column("lanes"), lanes) for batch in batches)


def flushed(arrays: Iterable[Lanes]) -> Iterator[Lanes]:
    """Yield fingerprints, shapes (n, lanes), in larger arrays."""
    kept: list[Lanes] = []
    for array in arrays:
        kept.append(array)
        if sum(map(len, kept)) >= FLUSHED:
            yield np.concatenate(kept)
            kept = []
    if kept:
        yield np.concatenate(kept)


def labels_of(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, dict[int, list[pa.Array]]]]:
    """Yield each label with its packed columns by kind, from rows that are in the order of labels and kinds."""
    label, kinds = None, dict[int, list[pa.Array]]()
    for batch in batches:
        names, of_kind, column = (batch.column(number) for number in range(3))
        for start, end in equal_runs(names.to_numpy().astype(np.int64) << 8 | of_kind.to_numpy()):
            named = names[start].as_py()
            if label is not None and named != label:
                yield label, kinds
                kinds = {}
            label = named
            kinds.setdefault(of_kind[start].as_py(), []).append(column.slice(start, end - start))
    if label is not None:
        yield label, kinds


def equal_runs(values: npt.NDArray[np.integer]) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each run of equal values."""
    if len(values):
        yield from pairwise([0, *(np.flatnonzero(values[1:] != values[:-1]) + 1).tolist(), len(values)])
