"""Fingerprint the rows of one file: input, workers, and the rows of the output."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from io import BufferedReader
from pathlib import Path

import pyarrow as pa

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.batch.api import compute
from simhash_doc.entries.formats import PARQUET_MAGIC
from simhash_doc.entries.parquet_files import has_plain_values, no_plain_values
from simhash_doc.files import open_rows
from simhash_doc.parallel.pool import available_cores
from simhash_doc.tabular import TabularError, TabularUsageError
from simhash_doc.tabular.json_and_csv import open_line_table
from simhash_doc.tabular.parquet import open_parquet
from simhash_doc.tabular.results import Tally, result_batch, result_schema
from simhash_doc.tabular.table import OpenTable, Request

_PARQUET = (".parquet", ".pq")
_WORTH_WORKERS = 4 << 20  # bytes; starting workers takes longer than reading less


def open_table(path: str, request: Request, form: str) -> OpenTable:
    """Open a file whose rows are fingerprinted.

    Args:
        path: A Parquet, JSON-lines or CSV file, or ``-`` for JSON lines or CSV on standard input.
        request: What to compute.
        form: The format of the result: parquet, json or csv.

    Raises:
        TabularError: The file cannot be read.
        TabularUsageError: The columns do not exist or do not fit.
    """
    if path == STANDARD_INPUT:
        file = open_rows(path)
        if file.peek(len(PARQUET_MAGIC)).startswith(PARQUET_MAGIC):
            raise TabularUsageError("standard input: Parquet cannot be piped, because its end is read first: name FILE")
        table = open_line_table("standard input", file, request, None)
    else:
        file, is_parquet = open_source(path)
        if is_parquet:
            file.close()
            table = open_parquet(path, request)
        else:
            size = os.fstat(file.fileno()).st_size if file.seekable() else None
            table = open_line_table(path, file, request, size)
    if form != "parquet" and not has_plain_values(table.id_type):
        raise TabularUsageError(f"{path}: {no_plain_values(table.id_type)}")
    return table


def results(
    table: OpenTable, request: Request, tally: Tally, workers: int | None, advance: Callable[[int], object]
) -> Iterator[pa.RecordBatch]:
    """Yield the fingerprints of the rows, with the columns of `result_schema`.

    Args:
        table: The result of `open_table`.
        request: What to compute.
        tally: Counts the rows with and without a fingerprint.
        workers: Number of worker processes, or of threads with the engine native; None for one per core.
            There are none for a small file.
        advance: Called with the amount of the input that was read, in the unit of the table, repeatedly.

    Raises:
        TabularError: The input cannot be read.
    """
    schema = result_schema(table.id_type, request)
    used = 1 if table.nbytes is not None and table.nbytes < _WORTH_WORKERS else workers or available_cores()
    for rows, measured, failure in compute(table.rows, request.lanes, used, table.nbytes or 0):
        batch = result_batch(rows, measured, failure, schema, request)
        tally.add(batch, request)
        yield batch
        advance(rows.size)


def open_source(path: str) -> tuple[BufferedReader, bool]:
    """Return an open file, and whether it begins as Parquet does; nothing of it is read, as of a pipe.

    Raises:
        TabularError: The file cannot be read, or has the name of a Parquet file and is none.
        TabularUsageError: It is a directory.
    """
    if Path(path).is_dir():
        raise TabularUsageError(
            f"{path}: is a directory; expected Parquet, CSV or JSON-lines files: "
            f"name those in it, such as {Path(path) / '*.parquet'}"
        )
    try:
        file = open_rows(str(path))
        is_parquet = file.peek(len(PARQUET_MAGIC)).startswith(PARQUET_MAGIC)
    except OSError as error:
        raise TabularError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not is_parquet and path.lower().endswith(_PARQUET):
        raise TabularError(f"{path}: is not a Parquet file: it does not begin with PAR1")
    return file, is_parquet
