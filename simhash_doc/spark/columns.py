"""Between columns of Spark and arrays of words.

A fingerprint is a BINARY of bits / 8 bytes, most significant first, as the specification writes it
(SD-BIT-3), in every width. Not a BIGINT: Spark has no unsigned one, so half of all fingerprints would
be negative and sort before the others, and three of the four widths would not fit. Two binaries
compare as the numbers do.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from simhash_doc.spark.tables import Words

PACKED = "label int, kind int, words binary"
"""Many fingerprints in a row: what goes through a shuffle as 8 bytes a word, without 16 or more a row around it."""

_PACKED = pa.schema([("label", pa.int32()), ("kind", pa.int32()), ("words", pa.binary())])
# 8 KB in a packed row: a batch of Spark's 10,000 rows stays under 100 MB.
_PACKED_WORDS = 1024


def lengths(column: pa.Array) -> npt.NDArray[np.integer]:
    """Return the length of each value of a binary column without nulls, in bytes, shape (n,)."""
    return np.diff(_offsets(column))


def words_of(column: pa.Array, words: int) -> Words:
    """Return a binary column without nulls, every value of which has 8 * words bytes, as shape (n, words)."""
    return _bytes(column).view(">u8").reshape(-1, words).astype(np.uint64)


def column_of(words: Words) -> pa.Array:
    """Return fingerprints, shape (n, words), as a binary column."""
    width = 8 * words.shape[1]
    offsets = np.arange(len(words) + 1, dtype=np.int32) * np.int32(width)
    return _binary(offsets, words.astype(">u8"))


def packed(words: Words, starts: npt.NDArray[np.integer], labels: npt.NDArray[np.integer], kind: int) -> pa.RecordBatch:
    """Return packed rows of fingerprints that are in the order of their labels.

    Args:
        words: shape (n, words).
        starts: where the fingerprints of each label begin, ascending, shape (l,).
        labels: shape (l,).
    """
    most = max(1, _PACKED_WORDS // words.shape[1])
    sizes = np.diff(starts, append=len(words))
    rows = -(-sizes // most)
    row_labels = np.repeat(labels, rows)
    number = np.arange(len(row_labels)) - np.repeat(np.cumsum(rows) - rows, rows)
    edges = np.append(np.repeat(starts, rows) + number * most, len(words))
    column = _binary((edges * 8 * words.shape[1]).astype(np.int32), words.astype("<u8", copy=False))
    kinds = np.full(len(row_labels), kind, np.int32)
    return pa.record_batch([pa.array(row_labels.astype(np.int32)), pa.array(kinds), column], schema=_PACKED)


def unpacked(column: pa.Array, words: int) -> Words:
    """Return the fingerprints of the `words` column of packed rows, shape (n, words)."""
    return _bytes(column).view("<u8").reshape(-1, words).astype(np.uint64, copy=False)


def _offsets(column: pa.Array) -> npt.NDArray[np.integer]:
    # A session may be set to large_binary, whose offsets have 64 bits.
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
