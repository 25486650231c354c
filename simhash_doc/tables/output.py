"""Results written as Parquet or as JSON lines, by the ending of the file's name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from simhash_doc.tables.errors import WrongUseError

PARQUET = (".parquet", ".pq")
JSON_LINES = (".jsonl", ".ndjson")
_GROUP_ROWS = 1 << 17


def check_ending(path: str) -> None:
    """Raise WrongUseError if the ending of a name says nothing of the form."""
    if not path.lower().endswith(PARQUET + JSON_LINES):
        raise WrongUseError(f"{path}: the output is {' or '.join(PARQUET)} (Parquet), or {' or '.join(JSON_LINES)}")


def check_id(path: str, id_type: pa.DataType) -> None:
    """Raise WrongUseError if ids of a type cannot be written to a file."""
    if Path(path).suffix.lower() not in PARQUET and not pa.types.is_boolean(id_type):
        try:
            pc.cast(pa.array([], id_type), pa.string())
        except pa.ArrowException:
            kind = f"an id of type {id_type}"
            raise WrongUseError(f"{path}: {kind} has no form in JSON; write a file that ends with .parquet") from None
        if pa.types.is_binary(id_type) or pa.types.is_large_binary(id_type) or pa.types.is_fixed_size_binary(id_type):
            raise WrongUseError(f"{path}: an id of bytes has no form in JSON; write a file that ends with .parquet")


def write(file: BinaryIO, path: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Write a result; the same rows give the same bytes, however they are cut into batches."""
    if Path(path).suffix.lower() in PARQUET:
        with pq.ParquetWriter(file, schema) as writer:
            for group in _regrouped(schema, batches):
                writer.write_table(group, row_group_size=_GROUP_ROWS)
        return
    for batch in batches:
        for line in _json_lines(batch):
            file.write(line.encode("utf-8"))
        file.flush()


def _regrouped(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Yield tables of `_GROUP_ROWS` rows, and the rest."""
    waiting = pa.Table.from_batches([], schema)
    for batch in batches:
        waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch])])
        while len(waiting) >= _GROUP_ROWS:
            yield waiting.slice(0, _GROUP_ROWS)
            waiting = waiting.slice(_GROUP_ROWS)
    if len(waiting):
        yield waiting


def _json_lines(batch: pa.RecordBatch) -> Iterator[str]:
    ids = batch.column("id")
    plain = pa.types.is_integer(ids.type) or pa.types.is_boolean(ids.type)
    shown = (ids if plain else ids.cast(pa.string())).to_pylist()
    wide = not pa.types.is_integer(batch.schema.field("value").type)
    columns = [batch.column(name).to_pylist() for name in ("scheme", "fingerprint", "value", "reason")]
    for row_id, scheme, fingerprint, value, reason in zip(shown, *columns, strict=True):
        hexadecimal = None if value is None else value.hex() if wide else f"{value:016x}"
        row = {"id": row_id, "scheme": scheme, "fingerprint": fingerprint, "hex": hexadecimal}
        yield json.dumps(row if reason is None else row | {"reason": reason}, ensure_ascii=False) + "\n"
