"""Results written as Parquet or as JSON lines; the file extension selects the format."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from simhash_doc.ingest.provenance import METADATA_KEY
from simhash_doc.tabular.errors import TabularUsageError

PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson")
_GROUP_ROWS = 1 << 17


def check_name(path: str) -> None:
    """Check that the extension of a file determines its format.

    Raises:
        TabularUsageError: It does not.
    """
    if not path.lower().endswith(PARQUET + JSON_LINES):
        endings = f"{' or '.join(PARQUET)} for Parquet, {' or '.join(JSON_LINES)} for JSON lines"
        raise TabularUsageError(f"{path}: its extension does not determine the format; use {endings}")


def check_id(path: str, id_type: pa.DataType) -> None:
    """Check that ids of a type can be written to a file.

    Raises:
        TabularUsageError: They cannot.
    """
    if not _is_parquet(path) and not _fits_json(id_type):
        raise TabularUsageError(
            f"{path}: JSON lines cannot represent ids of type {id_type}; write a file that ends with .parquet"
        )


def write(file: BinaryIO, path: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Write a result. The same rows give the same bytes, however they are divided into batches.

    The provenance in the metadata of the schema becomes metadata of a Parquet file, and in JSON lines a member of each
    object with a fingerprint.
    """
    if _is_parquet(path):
        with pq.ParquetWriter(file, schema) as writer:
            for group in _regrouped(schema, batches):
                writer.write_table(group, row_group_size=_GROUP_ROWS)
        return
    text = (schema.metadata or {}).get(METADATA_KEY)
    provenance = {} if text is None else {"provenance": json.loads(text)}
    for batch in batches:
        for line in _json_lines(batch, provenance):
            file.write(line.encode("utf-8"))
        file.flush()


def _fits_json(id_type: pa.DataType) -> bool:
    if pa.types.is_binary(id_type) or pa.types.is_large_binary(id_type) or pa.types.is_fixed_size_binary(id_type):
        return False
    try:
        # A value is needed: that the time zone of a timestamp is unknown shows only with one.
        example = pa.array([0], pa.int64()).cast(id_type) if pa.types.is_timestamp(id_type) else pa.array([], id_type)
        pc.cast(example, pa.string())
    except pa.ArrowException:
        return bool(pa.types.is_boolean(id_type))
    return True


def _is_parquet(path: str) -> bool:
    return path.lower().endswith(PARQUET)


def _regrouped(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield Arrow tables of `_GROUP_ROWS` rows, and the rest."""
    waiting = pa.Table.from_batches([], schema)
    for batch in batches:
        waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch])])
        while len(waiting) >= _GROUP_ROWS:
            yield waiting.slice(0, _GROUP_ROWS)
            waiting = waiting.slice(_GROUP_ROWS)
    if len(waiting):
        yield waiting


def _json_lines(batch: pa.RecordBatch, provenance: dict[str, Any]) -> Iterator[str]:
    ids = batch.column("id")
    plain = pa.types.is_integer(ids.type) or pa.types.is_boolean(ids.type)
    shown = (ids if plain else ids.cast(pa.string())).to_pylist()
    wide = not pa.types.is_integer(batch.schema.field("value").type)
    columns = [batch.column(name).to_pylist() for name in ("scheme", "fingerprint", "value", "reason")]
    for row_id, scheme, fingerprint, value, reason in zip(shown, *columns, strict=True):
        hexadecimal = None if value is None else value.hex() if wide else f"{value:016x}"
        row = {"id": row_id, "scheme": scheme, "fingerprint": fingerprint, "hex": hexadecimal}
        row |= {"reason": reason} if value is None else provenance
        yield json.dumps(row, ensure_ascii=False) + "\n"
