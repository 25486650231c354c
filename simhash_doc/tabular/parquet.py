"""Rows of a Parquet file; memory use does not grow with the row groups."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from simhash_doc.batch.batches import NULL_TEXT, Batch, batches, booleans, is_text
from simhash_doc.entries import UnreadableInputError
from simhash_doc.entries.entry import missing_name, repeated_name
from simhash_doc.entries.parquet_files import PARQUET_ERRORS, ParquetRows, first_line, plain_type, read_group
from simhash_doc.tabular import TabularError, TabularUsageError
from simhash_doc.tabular.table import INVALID_ID, NULL_ID, OpenTable, Request, RowIds

_CORRUPT_ROWS = 1 << 16


def open_parquet(path: str, request: Request) -> OpenTable:
    """Open a Parquet file with a column of texts, and a column of ids or none, which numbers the rows from 0.

    Raises:
        TabularError: The file cannot be read.
        TabularUsageError: It has no such columns, or they are of a type that does not fit.
    """
    file = open_file(path, path)
    fields, metadata = file.schema_arrow, file.metadata
    id_type = check_columns(path, fields, request.column, request.others) or pa.int64()
    leaf = [metadata.schema.column(number).path for number in range(metadata.num_columns)].index(request.column)
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    size = sum(group.column(leaf).total_uncompressed_size for group in groups)
    rows = _rows(path, file, request, id_type)
    return OpenTable(rows, id_type, size, metadata.num_rows, "rows", fields.names)


def open_file(path: str, file: str | BinaryIO) -> ParquetRows:
    """Return a Parquet file whose row groups are read a part at a time, or raise a `TabularError`."""
    try:
        with bounded(path):
            return ParquetRows(file)
    except PARQUET_ERRORS as error:
        raise TabularError(f"{path}: cannot be read as Parquet: {first_line(error)}") from error


@contextmanager
def bounded(path: str) -> Iterator[None]:
    """Raise a `TabularError` if the file of a path stands for too much (`ParquetRows`)."""
    try:
        yield
    except UnreadableInputError as error:
        raise TabularError(f"{path}: {error}") from error


def check_columns(path: str, fields: pa.Schema, column: str, others: Collection[str]) -> pa.DataType | None:
    """Check that there is a column of texts, and others of single values; return the type of the last of these.

    Raises:
        TabularUsageError: A column is missing, is there twice, or is of another type.
    """
    kind = None
    for name in (column, *others):
        found = fields.get_all_field_indices(name)
        if not found:
            raise TabularUsageError(f"{path}: {missing_name(name, fields.names)}")
        if repeated := repeated_name(fields.names, [name]):
            raise TabularUsageError(f"{path}: {repeated}")
        kind = fields.field(found[0]).type
        if name == column and not is_text(kind):
            raise TabularUsageError(f"{path}: column {name!r} is of type {kind}; texts are strings or bytes")
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if pa.types.is_nested(kind):
            raise TabularUsageError(f"{path}: column {name!r} is of type {kind}; expected single values")
    return plain_type(kind) if others else None


def _rows(path: str, file: ParquetRows, request: Request, id_type: pa.DataType) -> Iterator[tuple[Batch, RowIds]]:
    columns = list(dict.fromkeys([request.column, *request.others]))
    first = 0
    for number in range(file.metadata.num_row_groups):
        end = first + file.metadata.row_group(number).num_rows
        try:
            with bounded(path):
                for record in read_group(file, number, columns):
                    texts, ids = record.column(request.column), _ids(record, request, first)
                    for batch in batches(texts):
                        place = batch.first, len(batch)
                        yield batch, _kept(texts.slice(*place), ids.slice(*place), first)
                        first += len(batch)
        except PARQUET_ERRORS as error:
            reason = f"row group {number} is corrupt: {first_line(error)}"
            with bounded(path):
                file.spend(end - first)
            while first < end:
                n = min(end - first, _CORRUPT_ROWS)
                yield Batch(first, [None] * n), RowIds(pa.nulls(n, id_type), dict.fromkeys(range(n), reason), n)
                first += n


def _ids(record: pa.RecordBatch, request: Request, first: int) -> pa.Array:
    if request.id_column is None:
        return pa.array(np.arange(first, first + len(record)))
    ids = record.column(request.id_column)
    ids = ids.dictionary_decode() if pa.types.is_dictionary(ids.type) else ids
    # NaN equals no other id.
    return pc.if_else(pc.is_nan(ids), pa.scalar(None, ids.type), ids) if pa.types.is_floating(ids.type) else ids


def _kept(texts: pa.Array, ids: pa.Array, first: int) -> RowIds:
    reasons = dict.fromkeys(_places(texts.is_null()), NULL_TEXT)
    reasons |= {row: f"row {first + row}: {NULL_ID}" for row in _places(ids.is_null())}
    if not _is_valid(ids):
        invalid = np.array([not _is_valid(ids.slice(row, 1)) for row in range(len(ids))])
        ids = pc.if_else(pa.array(invalid), pa.scalar(None, ids.type), ids)
        reasons |= {row: f"row {first + row}: {INVALID_ID}" for row in invalid.nonzero()[0].tolist()}
    return RowIds(ids, reasons, len(ids))


def _places(chosen: pa.Array) -> list[int]:
    places: list[int] = booleans(chosen).nonzero()[0].tolist()
    return places


def _is_valid(ids: pa.Array) -> bool:
    try:
        ids.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True
