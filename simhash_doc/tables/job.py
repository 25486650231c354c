"""A table fingerprinted from end to end: input, workers, parts, output."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow as pa

from simhash_doc.tables import output
from simhash_doc.tables.errors import TableError
from simhash_doc.tables.json_lines import JsonLinesInput
from simhash_doc.tables.parquet_input import ParquetInput
from simhash_doc.tables.parts import Parts
from simhash_doc.tables.rows import Rows, Tally

_PARQUET_MAGIC = b"PAR1"


class Input(Protocol):
    """A table that is read from a position on.

    Attributes:
        start: the position of its first row.
        measure: the entry of a position that says how far the input was read, of `total`, in `unit`.
        schema: columns of the result; None as long as they are not known.
    """

    start: dict[str, int]
    measure: str
    unit: str
    total: int
    schema: pa.Schema | None

    def rows(self, position: dict[str, int], workers: int) -> Iterator[Rows]: ...


def open_input(path: str, column: str, id_column: str | None, scheme: str) -> Input:
    """Open a Parquet or JSON-lines file.

    Raises:
        TableError: it cannot be read.
        WrongUseError: it is no such file, or has no such columns.
    """
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - read as long as there are rows
    except OSError as error:
        raise TableError(f"{path}: cannot be read: {error.strerror or error}") from error
    if file.peek(4)[:4] == _PARQUET_MAGIC:
        file.close()
        return ParquetInput(path, column, id_column, scheme)
    if path.lower().endswith(output.PARQUET):
        raise TableError(f"{path}: is no Parquet file: it does not begin with PAR1")
    return JsonLinesInput(path, file, column, id_column, scheme, total=os.fstat(file.fileno()).st_size)


def write_directly(source: Input, file: BinaryIO, name: str, workers: int, advance: Callable[[int], object]) -> Tally:
    """Write the result of a table to an open file as it comes, in the form that `name` ends with, or JSON lines.

    Raises:
        TableError: see `open_input`; problems that show while the table is read.
        OSError: the file cannot be written.
    """
    tally = Tally()
    rows = _advancing(source.rows(source.start, workers), advance)
    first = next(rows)
    batches = chain([first.batch], (further.batch for further in rows))
    output.write(file, name, first.batch.schema, tally.over(batches))
    return tally


def write_in_parts(
    source: Input, path: str, target: str, run: dict[str, Any], workers: int, advance: Callable[[int], object]
) -> Tally:
    """Write the result of a table to a file, going on from where an earlier run was stopped.

    Args:
        run: what the result depends on besides the input's content.

    Raises:
        TableError, WrongUseError: see `open_input` and `Parts`.
    """
    about = Path(path).stat()
    content = {"input": os.path.realpath(path), "bytes": about.st_size, "modified": about.st_mtime_ns}
    parts = Parts(target, content | run)
    try:
        return _finished(source, parts, target, workers, advance)
    except OSError as error:
        raise TableError(f"{target}: cannot be written: {error.strerror or error}") from error
    finally:
        parts.close()


def _finished(source: Input, parts: Parts, target: str, workers: int, advance: Callable[[int], object]) -> Tally:
    if not parts.finished:
        position = source.start
        if last := parts.last():
            source.schema, position = last
            advance(position[source.measure])
        if position[source.measure] < source.total or not last:
            parts.add(_advancing(source.rows(position, workers), advance))

    def write(file: BinaryIO) -> dict[str, Any]:
        tally = Tally()
        assert source.schema is not None
        output.write(file, target, source.schema, tally.over(parts.batches()))
        return tally.as_dict()

    return Tally.from_dict(parts.finish(write))


def _advancing(rows: Iterator[Rows], advance: Callable[[int], object]) -> Iterator[Rows]:
    for some in rows:
        yield some
        advance(some.size)
