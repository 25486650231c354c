"""Rows as JSON lines, CSV, Parquet or text."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import Any, BinaryIO

import click

from simhash_doc.cli.messages import escape_path
from simhash_doc.cli.output import STANDARD_OUTPUT, writing
from simhash_doc.entries.csv_files import write_csv
from simhash_doc.entries.json_lines import json_line

ROW_FORMATS = ("json", "text", "csv", "parquet")
ENDINGS = {
    "": "json", ".jsonl": "json", ".json": "json", ".ndjson": "json", ".csv": "csv", ".txt": "text",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_FIRST = 1 << 16  # rows that may say what the metadata of Parquet are
row_format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(list(ROW_FORMATS)),
    help="json: one object per line.  [default: by the extension of the output file, else json]",
)


def chosen_format(output_format: str | None, output: str) -> str:
    """Return the format of an output: that of --format, else that of its file extension, else JSON.

    Raises:
        click.UsageError: an unknown extension, Parquet for a terminal, or pyarrow is not installed.
    """
    ending = os.path.splitext(output)[1].lower()
    chosen = output_format or ENDINGS.get(ending)
    if chosen is None:
        known = ", ".join(filter(None, ENDINGS))
        raise click.UsageError(f"{output}: unknown extension {ending}; expected one of {known}, or use --format")
    if chosen == "parquet":
        if output == STANDARD_OUTPUT and sys.stdout.isatty():
            raise click.UsageError("--format parquet is binary: write it to a file with -o FILE")
        try:
            import pyarrow  # noqa: F401
        except ModuleNotFoundError as error:
            raise click.ClickException("--format parquet needs pyarrow: pip install 'simhash-doc[tables]'") from error
    return chosen


def write_rows(
    output: str,
    form: str,
    columns: dict[str, str],
    rows: Iterable[tuple[Any, ...]],
    metadata: Callable[[], dict[bytes, str]] = dict,
) -> None:
    """Write rows.

    Args:
        output: path of the file, or ``-`` for standard output.
        form: one of `ROW_FORMATS`; text has the numbers first and no header.
        columns: names of the columns, and for Parquet their Arrow types, such as ``string``.
        rows: the values of each row, in the order of the columns.
        metadata: returns the metadata of Parquet, after the first rows were taken, and after the last.

    Raises:
        click.ClickException: the file cannot be written.
    """
    with writing(output) as file:
        if form == "parquet":
            _write_parquet(file, columns, rows, metadata)
        elif form == "csv":
            write_csv(file, columns, rows)
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
    file: BinaryIO, columns: dict[str, str], rows: Iterable[tuple[Any, ...]], metadata: Callable[[], dict[bytes, str]]
) -> None:
    import pyarrow as pa

    from simhash_doc.entries.parquet_files import record_batches, write_parquet  # later: it needs pyarrow

    rest = iter(rows)
    first = list(islice(rest, _FIRST))
    schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in columns.items()], metadata())
    write_parquet(file, schema, record_batches(schema, chain(first, rest)), metadata)
