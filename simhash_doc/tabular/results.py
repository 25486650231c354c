"""The rows of a result: the fingerprints of a table as Arrow record batches, and as fields for CSV and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from simhash_doc.base32 import encode_array
from simhash_doc.batch.batches import NO_TOKEN, NULL_TEXT
from simhash_doc.engines.base import Measurements
from simhash_doc.entries.parquet_files import plain_values
from simhash_doc.provenance import METADATA_KEY, Provenance
from simhash_doc.tabular.table import Request, RowIds


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


def result_batch(
    rows: RowIds, measured: Measurements, failure: str | None, schema: pa.Schema, request: Request
) -> pa.RecordBatch:
    """Return rows of a result.

    Args:
        rows: The rows.
        measured: The fingerprints of their texts.
        failure: Why none of them was computed; None if they were.
        schema: The columns, from `result_schema`.
        request: What was computed.
    """
    values, n = measured.values, len(measured)
    reasons = rows.reasons
    if failure:
        reasons = dict.fromkeys(range(n), failure)
    for row in measured.missing.nonzero()[0].tolist():
        reasons.setdefault(row, NO_TOKEN)
    for row in (measured.weight < request.min_tokens).nonzero()[0].tolist():
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
            pa.array(np.where(without, 0, measured.distinct_tokens)),
            pa.array(np.where(without, 0.0, measured.support.round(2))),
            pa.array([reasons.get(row) for row in range(n)] if reasons else pa.nulls(n), pa.string()),
        ],
        schema=schema,
    )


def plain_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[dict[str, Any]]:
    """Yield the rows of results for CSV and JSON, with hexadecimal digits `hex` in place of the value."""
    for batch in batches:
        rest = batch.select(batch.schema.names[1:]).to_pylist()
        for name, row in zip(plain_values(batch.column(0)), rest, strict=True):
            value = row.pop("value")
            yield {
                "id": name,
                "scheme": row["scheme"],
                "fingerprint": row["fingerprint"],
                "hex": value and value.hex(),
                **row,
            }


def json_objects(rows: Iterable[dict[str, Any]], request: Request) -> Iterator[dict[str, Any]]:
    """Yield rows with a reason only where a fingerprint is missing, and a provenance in the first that has one."""
    provenance = {"provenance": Provenance.of_package(request.scheme).to_dict()}
    for row in rows:
        if row["hex"] is not None:
            del row["reason"]
            row |= provenance
            provenance = {}
        yield row


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
