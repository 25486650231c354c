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

from simhash_doc.ingest.provenance import METADATA_KEY, Provenance
from simhash_doc.reference import BASE32
from simhash_doc.tabular.reasons import NO_TOKEN
from simhash_doc.tabular.request import Request

_DIFFERENT_REASONS = 1000
_DIGITS = np.frombuffer(BASE32.encode("ascii"), np.uint8)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of the result, in the order of the input.

    Attributes:
        batch: Columns id, scheme, fingerprint, value and reason.
        size: How much of the input was read for them, in the unit of the input's `total`.
        checkpoint: If given, a part ends here, and reading can resume from this position.
    """

    batch: pa.RecordBatch
    size: int
    checkpoint: dict[str, int] | None = None


def result_schema(id_type: pa.DataType, request: Request) -> pa.Schema:
    """Return the columns of a result; `value` is uint64, or for wide schemes the bytes, most significant first.

    The metadata hold the provenance of the fingerprints, whose texts are given as text.
    """
    lanes = request.lanes
    provenance = Provenance.of_package(request.scheme)
    return pa.schema(
        [
            pa.field("id", id_type),
            pa.field("scheme", pa.string(), nullable=False),
            pa.field("fingerprint", pa.string()),
            pa.field("value", pa.uint64() if lanes == 1 else pa.binary(8 * lanes)),
            pa.field("reason", pa.string()),
        ],
        metadata={METADATA_KEY: provenance.to_json()},
    )


def result_batch(
    ids: pa.Array,
    values: npt.NDArray[np.uint64],
    masked: npt.NDArray[np.bool_],
    reasons: dict[int, str],
    schema: pa.Schema,
    request: Request,
) -> pa.RecordBatch:
    """Return rows of a result.

    Args:
        ids: The ids of n rows.
        values: Lanes of the fingerprints, shape (n, lanes), lane 0 first.
        masked: Shape (n,), True where there is no fingerprint.
        reasons: Why a row has no fingerprint, by row; a masked row without a reason contains no token.
        schema: The columns, from `result_schema`.
        request: What to compute.
    """
    n = len(masked)
    for row in masked.nonzero()[0].tolist():
        reasons.setdefault(row, NO_TOKEN)
    without = np.zeros(n, np.bool_)
    without[list(reasons)] = True
    texts = pa.array(encode_base32(values), pa.binary()).cast(pa.string())
    if not request.bare:
        texts = pc.binary_join_element_wise(f"{request.scheme}:", texts, "")
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
            pa.repeat(request.scheme, n),
            pc.if_else(pa.array(without), pa.scalar(None, pa.string()), texts),
            value,
            pa.array([reasons.get(row) for row in range(n)] if reasons else pa.nulls(n), pa.string()),
        ],
        schema=schema,
    )


def encode_base32(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.bytes_]:
    """Return the fingerprints in base32, as `reference.encode` does for one (SD-TEXT-1, SD-TEXT-2).

    Args:
        values: Lanes of n fingerprints, shape (n, lanes), lane 0 first.

    Returns:
        Shape (n,), ASCII, without the scheme.
    """
    n, lanes = values.shape
    characters = -(-64 * lanes // 5)
    bits = np.zeros((n, 5 * characters), np.uint8)
    bits[:, : 64 * lanes] = np.unpackbits(values.astype(">u8").view(np.uint8).reshape(n, 8 * lanes), axis=1)
    digits = np.packbits(bits.reshape(n, characters, 5), axis=2)[:, :, 0] >> 3
    return np.ascontiguousarray(_DIGITS[digits]).view(f"S{characters}")[:, 0]


class Tally:
    """Counts rows, and the reasons why some have no fingerprint."""

    def __init__(self) -> None:
        self.rows = 0
        self.reasons: Counter[str] = Counter()
        self.other_reasons = 0

    def over(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the batches and count their rows."""
        for batch in batches:
            self.rows += len(batch)
            for entry in batch.column("reason").drop_null().value_counts().to_pylist():
                # Some reasons name a line, and there may be one for every line of a file.
                if entry["values"] in self.reasons or len(self.reasons) < _DIFFERENT_REASONS:
                    self.reasons[entry["values"]] += entry["counts"]
                else:
                    self.other_reasons += entry["counts"]
            yield batch

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as a JSON object."""
        return {"rows": self.rows, "reasons": dict(self.reasons), "other_reasons": self.other_reasons}

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Tally:
        """Return the counts that `as_dict` returned.

        Raises:
            AttributeError, KeyError, TypeError, ValueError: `as_dict` did not return this.
        """
        tally = cls()
        tally.rows, tally.other_reasons = stored["rows"], stored["other_reasons"]
        tally.reasons.update(dict(stored["reasons"].items()))
        if not all(type(count) is int for count in (tally.rows, tally.other_reasons, *tally.reasons.values())):
            raise TypeError("a count is not an integer")
        return tally

    @property
    def without(self) -> int:
        """Number of rows without a fingerprint."""
        return self.reasons.total() + self.other_reasons
