"""Leave duplicates out of a tabular file: the rows that are kept, with all columns, and a table of the groups."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from simhash_doc.batch.api import fingerprint_many
from simhash_doc.batch.batches import is_text
from simhash_doc.duplicates import TextTokens
from simhash_doc.engines.lanes import popcount
from simhash_doc.tabular.duplicates import DuplicateRows
from simhash_doc.tabular.job import check_output, fits_json, open_source, write_file
from simhash_doc.tabular.lines import read_objects
from simhash_doc.tabular.parquet import column_type
from simhash_doc.tabular.rows import TabularError, TabularUsageError

_PIECE_ROWS = 1 << 12


@dataclass(frozen=True, slots=True)
class Source:
    """A tabular file that was read.

    Attributes:
        rows: The rows, with all columns.
        numbers: Number of each: of the row, from 0, or of the line, from 1, as `fingerprint` gives them.
        errors: Lines that are not a row, by number, and why.
        untyped: Whether all values are texts, as in CSV.
    """

    rows: pa.Table
    numbers: pa.Array
    errors: dict[int, str]
    untyped: bool

    def texts(self, column: str) -> pa.ChunkedArray:
        """Return the column of texts; one that is all null, too, is of strings."""
        found = self.rows.column(column)
        return found.cast(pa.string()) if pa.types.is_null(found.type) else found

    def preference(self, path: str, column: str) -> list[Any]:
        """Return the values of a column by which rows are preferred; texts of CSV as numbers if all are.

        Raises:
            TabularUsageError: there is no such column, or it is nested.
        """
        kind = column_type(path, self.rows.schema, column, f"columns: {', '.join(self.rows.column_names)}")
        if pa.types.is_nested(kind):
            raise TabularUsageError(f"{path}: column {column!r} is of type {kind}; expected single values")
        values = self.rows.column(column)
        if self.untyped:
            values = pc.if_else(pc.equal(values, ""), None, values)
            for number in (pa.int64(), pa.float64()):
                try:
                    return list(values.cast(number).to_pylist())
                except pa.ArrowInvalid:
                    continue
        return list(values.to_pylist())


def read_source(path: str, column: str) -> Source:
    """Read a Parquet, JSON-lines or CSV file.

    Raises:
        TabularError: The file cannot be read.
        TabularUsageError: It has no such column of texts, or a key of JSON lines has values of several types.
    """
    errors: dict[int, str] = {}
    untyped = False
    file, is_parquet = open_source(path)
    try:
        with file:
            if is_parquet:
                rows = pq.read_table(file)
                numbers = pa.array(np.arange(len(rows)))
            else:
                untyped, objects = read_objects(path, file, column)
                rows, numbers = _read_objects(path, objects, errors)
    except (pa.ArrowException, OSError) as error:
        raise TabularError(f"{path}: cannot be read: {error}") from error
    kind = column_type(path, rows.schema, column, f"columns: {', '.join(rows.column_names) or 'none'}")
    if not is_text(kind) and not pa.types.is_null(kind):
        raise TabularUsageError(f"{path}: column {column!r} is of type {kind}; texts are strings or bytes")
    return Source(rows, numbers, errors, untyped)


def _read_objects(path: str, objects: Iterator[tuple[int, Any]], errors: dict[int, str]) -> tuple[pa.Table, pa.Array]:
    parts: list[pa.Table] = []
    records: list[Any] = []
    numbers: list[int] = []
    for number, record in objects:
        if isinstance(record, str) or not record:
            errors[number] = record or "an object without keys"
            continue
        records.append(record)
        numbers.append(number)
        if len(records) == _PIECE_ROWS:
            parts.append(_part(path, records))
            records = []
    rows = pa.concat_tables([*parts, _part(path, records)], promote_options="permissive")
    return rows, pa.array(numbers, pa.int64())


def _part(path: str, records: list[Any]) -> pa.Table:
    columns = {}
    for name in dict.fromkeys(key for record in records for key in record):
        try:
            columns[name] = pa.array([record.get(name) for record in records])
        except (pa.ArrowException, ValueError, OverflowError) as error:
            raise TabularUsageError(f"{path}: values of {name!r} do not fit one type: {error}") from error
    return pa.table(columns)


def group_table(texts: Any, ids: Any, found: DuplicateRows, scheme: str) -> pa.Table:
    """Return one row per member of a group: id, group, id of the keeper, distance and similarity to it, reason."""
    members = np.flatnonzero(found.groups >= 0)
    members = members[np.argsort(found.groups[members], kind="stable")]
    keepers = found.keepers[members]
    values = np.ma.getdata(fingerprint_many(texts.take(pa.array(members)), scheme))
    at = np.empty(len(found.keepers), np.int64)
    at[members] = np.arange(len(members))
    similarity: list[float] = []
    last: tuple[int, TextTokens | None] = (-1, None)
    for row, keeper in zip(members.tolist(), keepers.tolist(), strict=True):
        if last[0] != keeper or last[1] is None:
            last = keeper, _tokens(texts[keeper].as_py())
        similarity.append(round(last[1].similarity(_tokens(texts[row].as_py())), 4))  # type: ignore[union-attr]
    return pa.table(
        {
            "id": ids.take(pa.array(members)),
            "group": found.groups[members],
            "keeper": ids.take(pa.array(keepers)),
            "distance": popcount(values ^ values[at[keepers]]).astype(np.int64),
            "similarity": similarity,
            "reason": pa.array(found.reasons[members].tolist(), pa.string()),
        }
    )


def _tokens(text: str | bytes) -> TextTokens:
    return TextTokens(text.decode("utf-8", "replace") if isinstance(text, bytes) else text)


def fit_output(output: str, rows: pa.Table) -> None:
    """Check, before long work, that an output does not exist and that its format can represent the columns.

    Raises:
        TabularUsageError: It exists, its extension is unknown, or a column does not fit.
    """
    kind = check_output(output)
    for field in rows.schema if kind != "parquet" else ():
        fits = kind == "json" if pa.types.is_nested(field.type) else fits_json(field.type)
        if fits and kind == "json" and pa.types.is_floating(field.type):
            fits = pc.all(pc.is_finite(rows.column(field.name)), min_count=0).as_py()
        if not fits:
            raise TabularUsageError(
                f"{output}: cannot represent column {field.name!r} of type {field.type}, or a value of it; "
                "write a file that ends with .parquet"
            )


def write_table(output: str, rows: pa.Table) -> None:
    """Write rows atomically, in the format that the extension names.

    Raises:
        TabularError: The output cannot be written.
    """
    write = {
        "parquet": partial(pq.write_table, rows),
        "json": partial(_write_json, rows),
        "csv": partial(_write_csv, rows),
    }
    try:
        write_file(output, write[check_output(output)])
    except (pa.ArrowException, ValueError, TypeError) as error:
        raise TabularError(f"{output}: cannot be written: {error}") from error


def _write_json(rows: pa.Table, file: BinaryIO) -> None:
    plain = (pa.types.is_integer, pa.types.is_boolean, pa.types.is_floating, pa.types.is_nested, pa.types.is_null)
    for batch in rows.to_batches(_PIECE_ROWS):
        columns = [
            column if any(kind(column.type) for kind in plain) else column.cast(pa.string()) for column in batch.columns
        ]
        for values in zip(*(column.to_pylist() for column in columns), strict=True):
            row = dict(zip(batch.schema.names, values, strict=True))
            file.write((json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8"))


def _write_csv(rows: pa.Table, file: BinaryIO) -> None:
    text = io.TextIOWrapper(file, "utf-8", newline="")
    try:
        writer = csv.writer(text)
        writer.writerow(rows.column_names)
        for batch in rows.to_batches(_PIECE_ROWS):
            columns = [column.cast(pa.string()).to_pylist() for column in batch.columns]
            writer.writerows(zip(*columns, strict=True))
    finally:
        text.detach()
