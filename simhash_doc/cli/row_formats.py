"""Rows as JSON lines, CSV, Parquet or text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import chain, islice
from typing import Any, BinaryIO

import click

from simhash_doc.console.messages import escape_path
from simhash_doc.console.output import writing
from simhash_doc.entries.csv_files import write_csv
from simhash_doc.entries.json_lines import json_line

_FIRST = 1 << 16  # rows that may say what the metadata of Parquet are


def id_column_type(ids: Iterable[object], types: Collection[object], form: str) -> Any:
    """Return the Arrow type of a column of ids, with which they keep their type, or its name.

    Args:
        ids: the values of the column, or their first ones of each type.
        types: their Arrow types; None is among them if some have none.
        form: one of `ROW_FORMATS`.

    Raises:
        click.UsageError: there are several types, of which Parquet has no column, and which CSV does not tell apart.
    """
    kinds, least, most = set(), 0, 0
    for one in ids:
        kinds.add(type(one))
        if type(one) is int:
            least, most = min(least, one), max(most, one)
    kinds.discard(type(None))
    if form == "csv" and ({int, str} <= kinds or kinds & {list, dict}):
        found = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise click.UsageError(f"the ids are of the types {found}, which CSV does not tell apart; write JSON lines")
    if form != "parquet" or kinds == {str}:
        return "string"
    if len(types) == 1 and None not in types:
        return next(iter(types))
    if not kinds:
        return "string"
    if kinds == {int} and least >= -(1 << 63) and most < 1 << (64 if least == 0 else 63):
        return "int64" if most < 1 << 63 else "uint64"
    if kinds in ({float}, {bool}):
        return "float64" if kinds == {float} else "bool_"
    if kinds == {int}:
        raise click.UsageError(
            "the ids are integers of more than 64 bits, which Parquet does not hold: write JSON lines"
        )
    found = " and ".join(sorted({str(one) for one in types if one} | {kind.__name__ for kind in kinds}))
    raise click.UsageError(f"the ids are of the types {found}; Parquet has one for each column: write JSON lines")


def write_rows(
    output: str,
    form: str,
    columns: dict[str, Any],
    rows: Iterable[tuple[Any, ...]],
    metadata: Callable[[], dict[bytes, str]] = dict,
) -> None:
    """Write rows.

    Args:
        output: path of the file, or ``-`` for standard output.
        form: one of `ROW_FORMATS`; text has the numbers first and no header.
        columns: names of the columns, and for Parquet their Arrow types, or the names of these, such as ``string``.
        rows: the values of each row, in the order of the columns.
        metadata: returns the metadata of Parquet, after the first rows were taken, and after the last.

    Raises:
        click.ClickException: the file cannot be written.
    """
    with writing(output) as file:
        if form == "parquet":
            _write_parquet(file, columns, rows, metadata)
        elif form == "csv":
            try:
                write_csv(file, columns, rows)
            except UnicodeEncodeError as error:  # of an id in JSON: a byte of a path has another surrogate
                found = error.object[error.start]
                raise click.UsageError(
                    f"an id has the lone surrogate {found!a}, which CSV does not hold: write JSON lines or Parquet"
                ) from error
        elif form == "text":
            numbers = [at for at, kind in enumerate(columns.values()) if kind != "string"]
            texts = [at for at, kind in enumerate(columns.values()) if kind == "string"]
            for row in rows:
                cells = [*(f"{row[at]:3}" for at in numbers), *(escape_path(str(row[at])) for at in texts)]
                file.write(("  ".join(cells) + "\n").encode("utf-8", "surrogateescape"))
        else:
            for row in rows:
                write_json(file, dict(zip(columns, row, strict=True)))


def write_json(file: BinaryIO, fields: dict[str, Any]) -> None:
    """Write an object as one line of JSON."""
    file.write(json_line(fields))


def _write_parquet(
    file: BinaryIO, columns: dict[str, Any], rows: Iterable[tuple[Any, ...]], metadata: Callable[[], dict[bytes, str]]
) -> None:
    import pyarrow as pa

    from simhash_doc.entries.parquet_files import record_batches, write_parquet  # later: it needs pyarrow

    rest = iter(rows)
    first = list(islice(rest, _FIRST))
    types = [(name, getattr(pa, kind)() if isinstance(kind, str) else kind) for name, kind in columns.items()]
    schema = pa.schema(types, metadata())
    write_parquet(file, schema, record_batches(schema, chain(first, rest)), metadata)
