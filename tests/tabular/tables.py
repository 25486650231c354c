"""Tabular files for the tests, and their expected results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from simhash_doc import Fingerprint, NoTokenError, fingerprint
from simhash_doc.reference import capped_counts, decode_utf8, tokens
from tests.provenance import provenance

WORDS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "pi"]


def example_texts(n: int) -> list[str | None]:
    """Return n different texts, some of them without a word or null."""
    texts: list[str | None] = [" ".join(WORDS[at * step % 13] for step in range(3 + at % 40)) for at in range(n)]
    texts[3::50] = ["12 34"] * len(texts[3::50])
    texts[7::70] = [None] * len(texts[7::70])
    return texts


def example_table(n: int) -> pa.Table:
    return pa.table({"id": [f"d{at}" for at in range(n)], "other": list(range(n)), "text": example_texts(n)})


def write_parquet(path: Path, table: pa.Table, group: int = 100) -> Path:
    pq.write_table(table, path, row_group_size=group)
    return path


def write_lines(path: Path, table: pa.Table) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist()), encoding="utf-8")
    return path


def expected_rows(table: pa.Table, scheme: str = "sd64", column: str = "text") -> list[dict[str, Any]]:
    """Return the rows of the result as JSON lines has them, from the functions for one text."""
    rows: list[dict[str, Any]] = []
    for row in table.to_pylist():
        computed: Fingerprint | None = None
        reason = "the text is null"
        if row[column] is not None:
            try:
                computed = fingerprint(row[column], scheme)
            except NoTokenError:
                reason = "no token"
        shown: dict[str, Any] = {"fingerprint": str(computed) if computed else None}
        shown |= {"hex": computed.hex if computed else None, "distinct_tokens": 0, "support": 0.0}
        if computed:
            counts = capped_counts(tokens(decode_utf8(row[column]) if isinstance(row[column], bytes) else row[column]))
            weights = counts.values()
            shown["distinct_tokens"] = len(counts)
            shown["support"] = round(sum(weights) ** 2 / sum(weight**2 for weight in weights), 2)
        rows.append({"id": row["id"], "scheme": scheme, **shown} | ({} if computed else {"reason": reason}))
    return with_provenance(rows, provenance(scheme))


def with_provenance(rows: list[dict[str, Any]], found: dict[str, Any]) -> list[dict[str, Any]]:
    """Add a provenance to the first row with a fingerprint."""
    first = next((row for row in rows if row["fingerprint"]), {})
    first["provenance"] = found
    return rows


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def read_result(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a Parquet result in the form of JSON lines."""
    rows = []
    written = json.loads(pq.read_metadata(path).metadata[b"simhash_doc.provenance"])
    for row in pq.read_table(path).to_pylist():
        value, reason = row.pop("value"), row.pop("reason")
        row["hex"] = None if value is None else value.hex()
        rows.append(row | ({} if reason is None else {"reason": reason}))
    return with_provenance(rows, written)
