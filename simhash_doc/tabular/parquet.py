"""Rows of a Parquet file in parts of several row groups; memory use does not grow with the row groups."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from simhash_doc.batch.api import BatchResult, compute
from simhash_doc.batch.batches import Batch, batches
from simhash_doc.engines.text_buffer import BATCH_BYTES, TextBuffer
from simhash_doc.tabular.errors import TabularError, TabularUsageError
from simhash_doc.tabular.reasons import INVALID_ID, NULL_ID, NULL_TEXT
from simhash_doc.tabular.request import Request
from simhash_doc.tabular.rows import Rows, result_batch, result_schema

_PART_BYTES = 1 << 25  # of text, so that a part takes seconds
_PART_ROWS = 1 << 20
_READ_ROWS = 64
_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class _Kept:
    """The part of a batch that stays in this process while a worker process has its texts."""

    ids: pa.Array
    missing: np.ndarray[Any, np.dtype[np.bool_]]
    first: int
    size: int
    checkpoint: dict[str, int] | None
    corruption: str | None = None
    invalid_ids: tuple[int, ...] = ()


class ParquetInput:
    """A Parquet file with a column of texts, and a column of ids or none, which numbers the rows from 0.

    Raises:
        TabularError: The file cannot be read.
        TabularUsageError: It has no such columns, or they are of a type that does not fit.
    """

    measure = "row"
    unit = "rows"

    def __init__(self, path: str, request: Request) -> None:
        self.start = {"row_group": 0, "row": 0}
        self._path, self._request = path, request
        try:
            self._file = pq.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER)
        except (pa.ArrowException, OSError) as error:
            raise TabularError(f"{path}: cannot be read as Parquet: {_first_line(error)}") from error
        fields = self._file.schema_arrow
        _check_text(path, fields, request.column)
        self._id_type = pa.int64() if request.id_column is None else _checked_id(path, fields, request.id_column)
        self._leaf = _leaf_number(self._file.metadata, request.column)
        self.schema: pa.Schema | None = result_schema(self._id_type, request)
        self.total = self._file.metadata.num_rows

    def rows(self, position: dict[str, int], workers: int) -> Iterator[Rows]:
        """Yield the rows of the result from a position on."""
        for kept, computed in compute(self._work(position), self._request.lanes, workers):
            yield Rows(self._result(kept, computed), kept.size, kept.checkpoint)

    def _result(self, kept: _Kept, computed: BatchResult) -> pa.RecordBatch:
        why = kept.corruption or computed.failure
        if why:
            reasons = dict.fromkeys(range(kept.size), why)
        else:
            reasons = dict.fromkeys(kept.missing.nonzero()[0].tolist(), NULL_TEXT)
            for row in kept.ids.is_null().to_numpy(zero_copy_only=False).nonzero()[0].tolist():
                why = INVALID_ID if row in kept.invalid_ids else NULL_ID
                reasons[row] = f"row {kept.first + row}: {why}"
        return result_batch(kept.ids, computed.values, computed.masked, reasons, self.schema, self._request)

    def _work(self, position: dict[str, int]) -> Iterator[tuple[Batch, _Kept]]:
        group, row = position["row_group"], position["row"]
        while True:
            after = self._part_end(group)
            held: tuple[Batch, pa.Array, str | None] | None = None
            for read in self._part(range(group, after), row):
                if held:
                    yield _item(*held, None)
                held = read
            group = after
            end = held or (Batch(row, []), pa.nulls(0, self._id_type), None)
            row = end[0].first + len(end[0])
            yield _item(*end, {"row_group": group, "row": row})
            if group == self._file.num_row_groups:
                return

    def _part_end(self, group: int) -> int:
        """Return the first row group after a part."""
        size = rows = 0
        while group < self._file.num_row_groups and size < _PART_BYTES and rows < _PART_ROWS:
            size += self._text_bytes(group)
            rows += self._file.metadata.row_group(group).num_rows
            group += 1
        return group

    def _text_bytes(self, group: int) -> int:
        return int(self._file.metadata.row_group(group).column(self._leaf).total_uncompressed_size)

    def _part(self, groups: range, first: int) -> Iterator[tuple[Batch, pa.Array, str | None]]:
        for group in groups:
            end = first + self._file.metadata.row_group(group).num_rows
            try:
                for record in self._records(group):
                    ids = self._ids(record, first)
                    for batch in batches(record.column(self._request.column)):
                        yield Batch(first, batch.texts, batch.places), ids.slice(batch.first, len(batch)), None
                        first += len(batch)
            except (pa.ArrowException, OSError) as error:
                corruption = f"row group {group} is corrupt: {_first_line(error)}"
                while first < end:
                    texts = [None] * min(end - first, _PART_ROWS >> 4)
                    yield Batch(first, texts), pa.nulls(len(texts), self._id_type), corruption
                    first += len(texts)

    def _records(self, group: int) -> Iterator[pa.RecordBatch]:
        """Yield record batches of about `BATCH_BYTES` of a row group."""
        rows = self._file.metadata.row_group(group).num_rows
        mean = self._text_bytes(group) // max(rows, 1)
        # Few rows at a time: the sizes of documents may differ by a factor of a million.
        reading = self._file.iter_batches(
            batch_size=max(1, min(_READ_ROWS, BATCH_BYTES // max(mean, 1))),
            row_groups=[group],
            columns=list(dict.fromkeys(filter(None, [self._request.column, self._request.id_column]))),
            use_threads=False,
        )
        gathered: list[pa.RecordBatch] = []
        size = 0
        for record in reading:
            gathered.append(record)
            size += record.nbytes
            if size >= BATCH_BYTES:
                yield from pa.Table.from_batches(gathered).combine_chunks().to_batches()
                gathered, size = [], 0
        if gathered:
            yield from pa.Table.from_batches(gathered).combine_chunks().to_batches()

    def _ids(self, record: pa.RecordBatch, first: int) -> pa.Array:
        if self._request.id_column is None:
            return pa.array(np.arange(first, first + len(record)))
        ids = record.column(self._request.id_column)
        return ids.dictionary_decode() if pa.types.is_dictionary(ids.type) else ids


def _item(
    batch: Batch, ids: pa.Array, corruption: str | None, checkpoint: dict[str, int] | None
) -> tuple[Batch, _Kept]:
    if isinstance(batch.texts, TextBuffer):
        missing = batch.texts.missing if batch.places is None else batch.texts.missing[batch.places]
    else:
        missing = np.ones(len(batch), np.bool_)
    ids, invalid = _without_invalid(ids)
    return batch, _Kept(ids, missing, batch.first, len(batch), checkpoint, corruption, invalid)


def _without_invalid(ids: pa.Array) -> tuple[pa.Array, tuple[int, ...]]:
    """Return ids with null for each that is not a value of its type, and the positions of these."""
    if _is_valid(ids):
        return ids, ()
    invalid = tuple(at for at in range(len(ids)) if not _is_valid(ids.slice(at, 1)))
    mask = np.zeros(len(ids), np.bool_)
    mask[list(invalid)] = True
    return pc.if_else(pa.array(mask), pa.scalar(None, ids.type), ids), invalid


def _is_valid(ids: pa.Array) -> bool:
    try:
        ids.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _check_text(path: str, fields: pa.Schema, column: str) -> None:
    texts = [field.name for field in fields if _is_text(field.type)]
    hint = f"columns of strings or bytes: {', '.join(texts) or 'none'}"
    kind = _field_type(path, fields, column, hint)
    if not _is_text(kind):
        raise TabularUsageError(f"{path}: column {column!r} is of type {kind}; texts are strings or bytes; {hint}")


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    tests = (
        pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view,
        pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view,
    )  # fmt: skip
    return any(test(kind) for test in tests)


def _checked_id(path: str, fields: pa.Schema, column: str) -> pa.DataType:
    kind = _field_type(path, fields, column, f"columns: {', '.join(fields.names)}")
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_nested(kind):
        raise TabularUsageError(f"{path}: column {column!r} is of type {kind}; ids are single values")
    return kind


def _field_type(path: str, fields: pa.Schema, column: str, hint: str) -> pa.DataType:
    found = fields.get_all_field_indices(column)
    if not found:
        raise TabularUsageError(f"{path}: no column {column!r}; {hint}")
    if len(found) > 1:
        raise TabularUsageError(f"{path}: {len(found)} columns have the name {column!r}; rename all but one")
    return fields.field(found[0]).type


def _leaf_number(metadata: Any, column: str) -> int:
    paths = [metadata.schema.column(leaf).path for leaf in range(metadata.num_columns)]
    return paths.index(column)


def _first_line(error: Exception) -> str:
    text = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else str(error)
    return text.splitlines()[0] if text else type(error).__name__
