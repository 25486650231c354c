"""Fingerprint the rows of one file: input, worker processes, parts, output."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import pyarrow as pa

from simhash_doc.files import DONE, atomic_write
from simhash_doc.ingest.documents import open_document
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.parallel import available_cores
from simhash_doc.tabular import output as output_file
from simhash_doc.tabular.errors import TabularError
from simhash_doc.tabular.json_lines import JsonLinesInput
from simhash_doc.tabular.parquet import ParquetInput
from simhash_doc.tabular.parts import Parts, output_exists, unwritable
from simhash_doc.tabular.request import Request
from simhash_doc.tabular.rows import Rows, Tally, result_schema

STANDARD_OUTPUT = "-"
_PARQUET_MAGIC = b"PAR1"
_WORTH_WORKERS = 4 << 20  # bytes; starting processes takes longer than reading less


class Input(Protocol):
    """A tabular file that can be read from a given position.

    Attributes:
        start: The position of its first row.
        measure: The key of a position for the part of `total` that was read, in `unit`.
        schema: Columns of the result; None until they are known.
    """

    start: dict[str, int]
    measure: str
    unit: str
    total: int
    schema: pa.Schema | None

    def rows(self, position: dict[str, int], workers: int) -> Iterator[Rows]: ...


class Job:
    """The fingerprints of the rows of one file.

    Args:
        path: A Parquet or JSON-lines file, or ``-`` for JSON lines on standard input.
        request: What to compute.
        output: A file name that ends with .parquet, .pq, .jsonl or .ndjson, or ``-`` for JSON lines on standard
            output. A file must not exist.
        jobs: Number of worker processes; None for one per core, or none for a small file.

    Attributes:
        total: Size of the input, in `unit`; 0 if it is not known.
        unit: Rows or bytes.

    Raises:
        TabularError: The file cannot be read.
        TabularUsageError: The columns do not exist or do not fit, or the name of the output has no known extension.
    """

    def __init__(self, path: str, request: Request, output: str, jobs: int | None = None) -> None:
        if output != STANDARD_OUTPUT:
            output_file.check_name(output)
        self._path, self._request, self._output = path, request, output
        self._source = _opened(path, request)
        if self._source.schema is not None:
            output_file.check_id(output, self._source.schema.field("id").type)
        self.total, self.unit = self._source.total, self._source.unit
        small = path != STANDARD_INPUT and os.path.getsize(path) < _WORTH_WORKERS
        self._workers = 1 if small else jobs or available_cores()

    def run(self, advance: Callable[[int], object] = lambda _: None) -> Tally:
        """Write the output, and return the numbers of rows with and without a fingerprint.

        From a file to a file, a run resumes where an earlier one was interrupted.

        Args:
            advance: Called with the amount of the input that was read, in `unit`, repeatedly.

        Raises:
            TabularError: The output cannot be written, or the input cannot be read.
            TabularUsageError: The output exists, or there is an unfinished run with other options.
        """
        if self._output == STANDARD_OUTPUT:
            return self._write_directly(sys.stdout.buffer, advance)
        if self._path != STANDARD_INPUT:
            return self._write_in_parts(advance)
        if os.path.lexists(self._output):
            raise output_exists(self._output)
        try:
            with atomic_write(self._output) as file:
                return self._write_directly(file, advance)
        except OSError as error:
            raise unwritable(self._output, error) from error

    def _write_directly(self, file: BinaryIO, advance: Callable[[int], object]) -> Tally:
        tally = Tally()
        rows = _advancing(self._source.rows(self._source.start, self._workers), advance)
        first = next(rows)
        batches = chain([first.batch], (further.batch for further in rows))
        output_file.write(file, self._output, first.batch.schema, tally.over(batches))
        return tally

    def _write_in_parts(self, advance: Callable[[int], object]) -> Tally:
        status = Path(self._path).stat()
        content = {"input": os.path.realpath(self._path), "bytes": status.st_size, "modified": status.st_mtime_ns}
        request = self._request
        options = {"column": request.column, "id": request.id_column, "scheme": request.scheme, "bare": request.bare}
        parts = Parts(self._output, content | options)
        try:
            return self._finish(parts, advance)
        except OSError as error:
            raise unwritable(self._output, error) from error
        finally:
            parts.close()

    def _finish(self, parts: Parts, advance: Callable[[int], object]) -> Tally:
        source = self._source
        if not parts.finished:
            position = source.start
            if last := parts.last():
                self._check(*last, parts)
                source.schema, position = last
                advance(position[source.measure])
            if position[source.measure] < source.total or not last:
                parts.add(_advancing(source.rows(position, self._workers), advance))

        def write(file: BinaryIO) -> dict[str, Any]:
            tally = Tally()
            assert source.schema is not None
            output_file.write(file, self._output, source.schema, tally.over(parts.batches(source.schema)))
            return tally.as_dict()

        summary = parts.finish(write)
        try:
            return Tally.from_dict(summary)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise parts.corrupt(DONE) from error

    def _check(self, schema: pa.Schema, position: dict[str, int], parts: Parts) -> None:
        """Check that a part has the columns of this result, and that its checkpoint lies within this input.

        Raises:
            TabularError: It does not: the part is corrupt.
        """
        at = schema.get_field_index("id")
        columns = None if at < 0 else result_schema(schema.field(at).type, self._request)
        if (
            columns is None
            or not schema.equals(columns, check_metadata=True)
            or position.keys() != self._source.start.keys()
            or position[self._source.measure] > self._source.total
        ):
            raise parts.corrupt("its last part")


def _opened(path: str, request: Request) -> Input:
    if path == STANDARD_INPUT:
        return JsonLinesInput("standard input", open_document(path), request, total=0)
    try:
        file = Path(path).open("rb")  # noqa: SIM115 - read as long as there are rows
        start = file.peek(len(_PARQUET_MAGIC))
    except OSError as error:
        raise TabularError(f"{path}: cannot be read: {error.strerror or error}") from error
    if start.startswith(_PARQUET_MAGIC):
        file.close()
        return ParquetInput(path, request)
    if path.lower().endswith(output_file.PARQUET):
        raise TabularError(f"{path}: is not a Parquet file: it does not begin with PAR1")
    return JsonLinesInput(path, file, request, total=os.fstat(file.fileno()).st_size)


def _advancing(rows: Iterator[Rows], advance: Callable[[int], object]) -> Iterator[Rows]:
    for some in rows:
        yield some
        advance(some.size)
