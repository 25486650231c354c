"""Columns of a table of fingerprints: checks, and conversion to arrays of lanes.

A fingerprint is a BINARY of bits / 8 bytes, most significant byte first as in the text form (SD-TEXT-1,
SD-WIDE-3), in every width. Not a BIGINT: Spark has no unsigned one, so half of all fingerprints would
be negative and sort before the others, and three of the four widths would not fit. Two binaries
compare as the numbers do.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame
from pyspark.sql.types import BinaryType, DataType, IntegralType, StringType

from simhash_doc.engines.lanes import Lanes, bytes_from_lanes, lanes_from_bytes, popcount
from simhash_doc.errors import SimhashDocError
from simhash_doc.schemes import get_schemes
from simhash_doc.spark.session import reject_connect

PACKED = "label int, kind int, lanes binary"
"""Many fingerprints per row: each takes 8 bytes per lane in a shuffle, without 16 or more per row."""

PAIRS = "a binary, b binary, distance int"

_PACKED = pa.schema([("label", pa.int32()), ("kind", pa.int32()), ("lanes", pa.binary())])
# 8 KB in a packed row: a batch of Spark's 10,000 rows stays under 100 MB.
_PACKED_LANES = 1024


class BadColumnError(SimhashDocError, ValueError):
    """A column is absent, has the wrong type or holds invalid values."""

    code = "bad-column"


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


def unpacked(column: pa.Array, lanes: int) -> Lanes:
    """Return the fingerprints of the `lanes` column of packed rows, shape (n, lanes)."""
    return _bytes(column).view("<u8").reshape(-1, lanes).astype(np.uint64, copy=False)


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


def column_types(df: DataFrame, *names: str, what: str = "the input") -> dict[str, DataType]:
    """Return the types of all columns of a table, by name.

    Raises:
        BadColumnError: a column of one of `names` is absent.
    """
    types = {field.name: field.dataType for field in df.schema.fields}
    for name in names:
        if name not in types:
            raise BadColumnError(f"{what} has no column {name!r}; it has {', '.join(map(repr, types)) or 'none'}")
    return types


def check_columns(df: DataFrame, id_col: str, fp_col: str, what: str = "the input") -> None:
    """Reject a table without an id column and a fingerprint column of the right types.

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
        raise BadColumnError(
            f"column {fp_col!r} of {what} is {kind.simpleString()}; a fingerprint is binary, "
            f"most significant byte first{_conversion(fp_col, kind)}"
        )


def _conversion(name: str, kind: object) -> str:
    if isinstance(kind, IntegralType):
        return f": unhex(lpad(hex({name}), 16, '0')) converts a bigint"
    if isinstance(kind, StringType):
        return f": unhex({name}) converts hexadecimal digits"
    return ""


def check_values(df: DataFrame, id_col: str, fp_col: str, what: str, bits: int | None) -> None:
    """Read a table once, and reject null ids and fingerprints of another width than `bits` (None for any one width).

    Raises:
        BadColumnError: an id is null, or a fingerprint has another width.
    """
    size = F.length(F.col(f"`{fp_col}`"))
    row = df.agg(
        F.count_if(F.col(f"`{id_col}`").isNull()), F.min(size), F.max(size), F.count_if(size != (bits or 0) // 8)
    ).first()
    assert row is not None
    without_id, least, most, others = row
    if without_id:
        raise BadColumnError(null_ids(id_col, what, without_id))
    if bits is not None and others:
        width = bits // 8
        raise BadColumnError(several_widths(fp_col, what, width, least if least != width else most, others))


def null_ids(id_col: str, what: str, rows: int) -> str:
    """Return the message for null ids."""
    return f"column {id_col!r} of {what} is null in {rows:,} rows; every entry needs an id"


def several_widths(fp_col: str, what: str, width: int, other: int, rows: int) -> str:
    """Return the message for fingerprints of several widths, in bytes."""
    return (
        f"column {fp_col!r} of {what} holds fingerprints of {other} bytes where {width} are expected, "
        f"in {rows:,} rows: different schemes are never compared; {expected_widths()}"
    )


def expected_widths() -> str:
    """Return the widths of all schemes for a message."""
    return "a fingerprint has " + ", ".join(
        f"{scheme.bits // 8} bytes ({scheme.id})" for scheme in get_schemes().values()
    )


def reject_repeated_ids(df: DataFrame, id_col: str, what: str, hashes: Sequence[int]) -> None:
    """Reject a table in which ids with some hashes occur twice.

    Args:
        hashes: xxhash64 of ids that may be repeated; different ids may have equal hashes.

    Raises:
        BadColumnError: an id occurs twice.
    """
    name = F.col(f"`{id_col}`")
    repeated = (
        df.where(F.xxhash64(name).isin(hashes)).groupBy(name.alias("id")).count().where("count > 1").limit(3).collect()
    )
    if repeated:  # otherwise different ids with equal hashes
        named = ", ".join(f"{row['id']!r} ({row['count']:,} rows)" for row in repeated)
        raise BadColumnError(
            f"column {id_col!r} of {what} has repeated ids, such as {named}; an id identifies one entry"
        )
