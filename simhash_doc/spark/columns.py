"""Conversion between columns of Spark and arrays of lanes.

A fingerprint is a BINARY of bits / 8 bytes, most significant byte first as in the text form (SD-TEXT-1,
SD-WIDE-3), in every width. Not a BIGINT: Spark has no unsigned one, so half of all fingerprints would
be negative and sort before the others, and three of the four widths would not fit. Two binaries
compare as the numbers do.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from simhash_doc.engines.lanes import Lanes, bytes_from_lanes, lanes_from_bytes

PACKED = "label int, kind int, lanes binary"
"""Many fingerprints per row: each takes 8 bytes per lane in a shuffle, without 16 or more per row."""

_PACKED = pa.schema([("label", pa.int32()), ("kind", pa.int32()), ("lanes", pa.binary())])
# 8 KB in a packed row: a batch of Spark's 10,000 rows stays under 100 MB.
_PACKED_LANES = 1024


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
