"""The rows of a tabular file whose texts are fingerprinted, and the rows of the result as Arrow record batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from simhash_doc.base32 import encode_array
from simhash_doc.batch.api import BatchResult
from simhash_doc.batch.batches import Batch
from simhash_doc.provenance import METADATA_KEY, Provenance
from simhash_doc.schemes import get_scheme

NO_TOKEN = "no token"
NULL_TEXT = "the text is null"
NULL_ID = "the id is null"

INVALID_ID = "the id is not a valid value of its type, such as a string that is not UTF-8"


@dataclass(frozen=True, slots=True)
class Request:
    """The column to fingerprint, and the form of the result.

    Attributes:
        column: Name of the column, or key of the JSON objects, with the texts.
        id_column: Name of the column or key with the ids; None numbers the rows.
        scheme: Short id of the scheme.
        min_tokens: Rows with fewer tokens get no fingerprint; each distinct token counts at most 8 times.
    """

    column: str
    id_column: str | None = None
    scheme: str = "sd64"
    min_tokens: int = 0

    @property
    def too_short(self) -> str:
        """The reason of rows with too few tokens."""
        return f"has fewer than {self.min_tokens:,} tokens"

    @property
    def lanes(self) -> int:
        """Number of 64-bit lanes of a fingerprint."""
        return get_scheme(self.scheme).lanes


@dataclass(frozen=True, slots=True)
class Rows:
    """Consecutive rows of a file without their texts.

    Attributes:
        ids: The ids; null where there is none.
        reasons: Why a row has no fingerprint, by row, unless it contains no token.
        size: How much of the input was read for them, in the unit of the table.
    """

    ids: pa.Array
    reasons: dict[int, str]
    size: int


@dataclass(frozen=True, slots=True)
class Table:
    """A tabular file that was opened.

    Attributes:
        rows: Yields the rows in order, each batch of texts with its rows; read once.
        id_type: The type of all ids.
        nbytes: Size of the texts in bytes, about; None if it is not known.
        total: Size of the input, in `unit`; 0 if it is not known.
        unit: Rows or bytes.
    """

    rows: Iterator[tuple[Batch, Rows]]
    id_type: pa.DataType
    nbytes: int | None
    total: int
    unit: str


def result_schema(id_type: pa.DataType, request: Request) -> pa.Schema:
    """Return the columns of a result; `value` has the bytes of the fingerprint, most significant first.

    Not uint64: as a column with nulls, pandas reads integers as floats, which lose the last bits without an error.
    The metadata hold the provenance of the fingerprints, whose texts are given as text.
    """
    return pa.schema(
        [
            pa.field("id", id_type),
            pa.field("scheme", pa.string(), nullable=False),
            pa.field("fingerprint", pa.string()),
            pa.field("value", pa.binary(8 * request.lanes)),
            pa.field("distinct_tokens", pa.int64(), nullable=False),
            pa.field("support", pa.float64(), nullable=False),
            pa.field("reason", pa.string()),
        ],
        metadata={METADATA_KEY: Provenance.of_package(request.scheme).to_json()},
    )


def result_batch(rows: Rows, computed: BatchResult, schema: pa.Schema, request: Request) -> pa.RecordBatch:
    """Return rows of a result.

    Args:
        rows: The rows.
        computed: The fingerprints of their texts.
        schema: The columns, from `result_schema`.
        request: What was computed.
    """
    values, n = computed.values, len(computed.masked)
    reasons = rows.reasons
    if computed.failure:
        reasons = dict.fromkeys(range(n), computed.failure)
    for row in computed.masked.nonzero()[0].tolist():
        reasons.setdefault(row, NO_TOKEN)
    for row in (computed.tokens[:, 1] < request.min_tokens).nonzero()[0].tolist():
        reasons.setdefault(row, request.too_short)
    without = np.zeros(n, np.bool_)
    without[list(reasons)] = True
    digits = pa.array(encode_array(values), pa.binary()).cast(pa.string())
    texts = pc.binary_join_element_wise(f"{request.scheme}:", digits, "")
    kind = schema.field("value").type
    data = pa.py_buffer(np.ascontiguousarray(values.astype(">u8")))
    value = pc.if_else(
        pa.array(without), pa.scalar(None, kind), pa.FixedSizeBinaryArray.from_buffers(kind, n, [None, data])
    )
    return pa.record_batch(
        [
            rows.ids,
            pa.repeat(request.scheme, n),
            pc.if_else(pa.array(without), pa.scalar(None, pa.string()), texts),
            value,
            pa.array(np.where(without, 0, computed.tokens[:, 0])),
            pa.array(np.where(without, 0.0, computed.support.round(2))),
            pa.array([reasons.get(row) for row in range(n)] if reasons else pa.nulls(n), pa.string()),
        ],
        schema=schema,
    )


@dataclass(slots=True)
class Tally:
    """Numbers of rows.

    Attributes:
        rows: All.
        without: Those that have no text or too few tokens, by reason.
        failed: Those that cannot be read or computed.
        example: The reason of one of these.
    """

    rows: int = 0
    without: Counter[str] = field(default_factory=Counter)
    failed: int = 0
    example: str = ""

    def add(self, batch: pa.RecordBatch, request: Request) -> None:
        """Count the rows of a part of a result."""
        self.rows += len(batch)
        for entry in batch.column("reason").drop_null().value_counts().to_pylist():
            reason, count = entry["values"], entry["counts"]
            if reason in (NO_TOKEN, NULL_TEXT, request.too_short):
                self.without[reason] += count
            else:
                self.failed += count
                self.example = self.example or reason
