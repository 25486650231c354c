"""The rows of a result, as Arrow record batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from simhash_doc.pinned import scheme as find_scheme
from simhash_doc.tables.reasons import NO_TOKEN

_DIFFERENT_REASONS = 1000
_ALPHABET = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz234567", np.uint8)  # RFC 4648, in lower case


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of the result, in the order of the input.

    Attributes:
        batch: columns id, scheme, fingerprint, value and reason.
        size: how far the input was read for them, in the units of the input's `total`.
        checkpoint: if given, a part ends here, and reading can go on from this position.
    """

    batch: pa.RecordBatch
    size: int
    checkpoint: dict[str, int] | None = None


def result_schema(id_type: pa.DataType, scheme: str) -> pa.Schema:
    """Return the columns of a result; `value` is uint64, or for wide schemes the bytes, most significant first."""
    words = find_scheme(scheme).words
    return pa.schema(
        [
            pa.field("id", id_type),
            pa.field("scheme", pa.string(), nullable=False),
            pa.field("fingerprint", pa.string()),
            pa.field("value", pa.uint64() if words == 1 else pa.binary(8 * words)),
            pa.field("reason", pa.string()),
        ]
    )


def result_batch(
    ids: pa.Array,
    values: npt.NDArray[np.uint64],
    masked: npt.NDArray[np.bool_],
    reasons: dict[int, str],
    schema: pa.Schema,
    scheme: str,
) -> pa.RecordBatch:
    """Return rows of a result.

    Args:
        ids: of n rows.
        values: shape (n, words).
        masked: shape (n,), True where there is no fingerprint.
        reasons: why, for the rows that have no fingerprint for another reason than that they hold no token.
    """
    n = len(masked)
    for row in masked.nonzero()[0].tolist():
        reasons.setdefault(row, NO_TOKEN)
    without = np.zeros(n, np.bool_)
    without[list(reasons)] = True
    texts = pa.array(base32(values), pa.binary()).cast(pa.string())
    if values.shape[1] == 1:
        value = pa.array(values[:, 0], mask=without)
    else:
        kind = schema.field("value").type
        data = pa.py_buffer(np.ascontiguousarray(values.astype(">u8")))
        value = pc.if_else(
            pa.array(without), pa.scalar(None, kind), pa.FixedSizeBinaryArray.from_buffers(kind, n, [None, data])
        )
    return pa.record_batch(
        [
            ids.cast(schema.field("id").type),
            pa.repeat(scheme, n),
            pc.if_else(pa.array(without), pa.scalar(None, pa.string()), texts),
            value,
            pa.array([reasons.get(row) for row in range(n)] if reasons else pa.nulls(n), pa.string()),
        ],
        schema=schema,
    )


def base32(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.bytes_]:
    """Return the text forms (SD-TEXT-1) of fingerprints of shape (n, words), word 0 first: shape (n,)."""
    n, words = values.shape
    characters = -(-64 * words // 5)
    bits = np.zeros((n, 5 * characters), np.uint8)
    bits[:, : 64 * words] = np.unpackbits(values.astype(">u8").view(np.uint8).reshape(n, 8 * words), axis=1)
    digits = np.packbits(bits.reshape(n, characters, 5), axis=2)[:, :, 0] >> 3
    return np.ascontiguousarray(_ALPHABET[digits]).view(f"S{characters}")[:, 0]


class Tally:
    """Counts the rows that pass, and the reasons of those without a fingerprint."""

    def __init__(self) -> None:
        self.rows = 0
        self.reasons: Counter[str] = Counter()
        self.other_reasons = 0

    def over(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            self.rows += len(batch)
            for entry in batch.column("reason").drop_null().value_counts().to_pylist():
                # Some reasons name a line, and every line of a file may be wrong.
                if entry["values"] in self.reasons or len(self.reasons) < _DIFFERENT_REASONS:
                    self.reasons[entry["values"]] += entry["counts"]
                else:
                    self.other_reasons += entry["counts"]
            yield batch

    def as_dict(self) -> dict[str, Any]:
        return {"rows": self.rows, "reasons": dict(self.reasons), "other_reasons": self.other_reasons}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Tally:
        tally = cls()
        tally.rows, tally.other_reasons = stored["rows"], stored["other_reasons"]
        tally.reasons.update(stored["reasons"])
        return tally

    @property
    def without(self) -> int:
        """Number of rows without a fingerprint."""
        return self.reasons.total() + self.other_reasons
