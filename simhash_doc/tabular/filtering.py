"""The rows of tabular files, read several times, a part at a time, and copied: all of them, or those that are kept."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from itertools import chain, compress
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from simhash_doc.entries.csv_files import csv_header, raw_rows
from simhash_doc.entries.json_lines import numbered_lines
from simhash_doc.entries.parquet_files import (
    UNREADABLE,
    array_of,
    compression_of,
    first_line,
    has_plain_values,
    names_of,
    no_plain_values,
    plain_schema,
    plain_type,
    plain_values,
    read_group,
    write_parquet,
)
from simhash_doc.errors import cut
from simhash_doc.tabular import TabularError, TabularUsageError
from simhash_doc.tabular.job import open_source
from simhash_doc.tabular.json_and_csv import LONGEST_FIELD, Piece, is_csv, read_pieces
from simhash_doc.tabular.parquet import check_columns, open_file

Kept = npt.NDArray[np.bool_]

_ENDINGS = {"parquet": ".parquet", "json": ".jsonl", "csv": ".csv"}


class TabularFiles:
    """The rows of files of one format. Iteration yields their texts: str and None, or Arrow columns.

    What cannot be read is left out; a row that can, but whose text is not text, is a row without a text. To find these,
    everything is read once, when the object is created.

    Args:
        paths: Parquet, JSON-lines or CSV files; the columns of Parquet and CSV files must be the same.
        form: The format of the output: parquet, json or csv; None if none is written.
        column: Name of the column with the texts.
        others: Names of columns whose values are held in memory.

    Attributes:
        values: Those of each column of `others`, one for each row.
        problems: What cannot be read, and where.
        without_text: By position, why rows have no text although the value is not missing, such as one that is not
            UTF-8; each is in `problems`, too.

    Raises:
        TabularError: A file cannot be read, or is not a regular file.
        TabularUsageError: The files, their columns or the format do not fit.
    """

    def __init__(self, paths: Sequence[str], form: str | None, column: str, others: Sequence[str]) -> None:
        self.values: dict[str, list[Any]] = {name: [] for name in others}
        self.problems: list[str] = []
        self._files = [_opened(path, column) for path in paths]
        for file in self._files:
            if form not in (None, file.kind):
                raise TabularUsageError(
                    f"{file.path}: rows are copied; write a file that ends with {_ENDINGS[file.kind]}"
                )
        first = self._files[0].columns()
        for file in self._files[1:]:
            if file.columns() != first:
                raise TabularUsageError(f"{file.path}: its columns are not those of {paths[0]}")
        self.without_text: dict[int, str] = {}
        start = 0
        for file in self._files:
            file.scan(self.values, self.problems)
            self.without_text |= {start + at: reason for at, reason in file.without_text.items()}
            start += len(file.numbers)

    @property
    def kind(self) -> str:
        """The format of the files: parquet, json or csv."""
        return self._files[0].kind

    def __len__(self) -> int:
        return sum(len(file.numbers) for file in self._files)

    def __iter__(self) -> Iterator[Any]:
        for file in self._files:
            yield from file.texts()

    def ids(self, column: str | None, form: str, *, with_path: bool = False) -> tuple[list[Any], set[object]]:
        """Return the id of each row, of a column or its number, and the Arrow types of all: None if there is none.

        The number is that of the row of Parquet, from 0, or of the line, from 1; of several files, with the path.

        Args:
            column: name of the column; None for the numbers.
            form: in what they are written: parquet, json or csv.
            with_path: numbers have the path also if there is one file.

        Raises:
            TabularUsageError: the form cannot represent the ids.
        """
        if column is not None:
            kind, ids = self._files[0].type_of(column), self.values[column]
            if kind is None:
                return ids, {None}
            if form == "parquet":
                return names_of(ids), {kind}
            if not has_plain_values(kind):
                raise TabularUsageError(f"{self._files[0].path}: {no_plain_values(kind)}")
            return plain_values(array_of(names_of(ids), kind)), {None}
        if len(self._files) == 1 and not with_path:
            return self._files[0].numbers.tolist(), {pa.int64()}
        return [f"{file.path}:{number}" for file in self._files for number in file.numbers.tolist()], {pa.string()}

    def name_of(self, row: int, column: str | None) -> str:
        """Return the id of a row for a message: of a column, or the number with the path."""
        if column is not None:
            return f"{column} {cut(str(self.values[column][row]))}"
        for file in self._files:
            if row < len(file.numbers):
                return f"{file.path}:{file.numbers[row]}"
            row -= len(file.numbers)
        raise IndexError(row)

    def write(self, output: BinaryIO, kept: Kept) -> None:
        """Copy the rows that are kept, shape (n,): lines and records byte for byte.

        Raises:
            TabularError: An input has changed.
            OSError: The output cannot be written.
        """
        parts = np.split(kept, np.cumsum([len(file.numbers) for file in self._files])[:-1])
        self._files[0].write(list(zip(self._files, parts, strict=True)), output)


class _File:
    """A file that is opened several times.

    Attributes:
        path: Its path.
        kind: parquet, json or csv.
        numbers: Numbers of the rows that can be read, set by `scan`.
        without_text: By position among these, why rows have no text although the value is not missing, set by `scan`.
    """

    def __init__(self, path: str, kind: str, column: str) -> None:
        self.path, self.kind, self._column = path, kind, column
        self.numbers = np.empty(0, np.int64)
        self.without_text: dict[int, str] = {}
        self._state: tuple[int, ...] | None = None

    @contextmanager
    def opened(self) -> Iterator[BufferedReader]:
        """Open the file, which must be as it was before."""
        file, _ = open_source(self.path)
        with file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise TabularError(f"{self.path}: is not a regular file; it has to be read several times")
            state = (status.st_ino, status.st_size, status.st_mtime_ns)
            if self._state not in (None, state):
                raise TabularError(f"{self.path}: has changed while it was read; repeat the command")
            self._state = state
            yield file


class _Lines(_File):
    def columns(self) -> object:
        """Return what must be equal in all files: the header of CSV, with its delimiter."""
        if self.kind == "json":
            return None
        with self.opened() as file:
            wanted = [self._column]
            return next((csv_header(row.text.strip(), wanted) for row in raw_rows(file, wanted, LONGEST_FIELD)), None)

    def scan(self, values: dict[str, list[Any]], problems: list[str]) -> None:
        """Number the rows that can be read; collect values of columns, and what cannot be read."""
        numbers: list[int] = []
        self._used = [*values]
        for piece, readable in self._pieces([*values]):
            positions = len(numbers) + np.cumsum(readable) - 1
            numbers += compress(piece.numbers, readable)
            for name, found in values.items():
                found += compress(piece.values[name], readable)
            for at, problem in piece.problems.items():
                problems.append(f"{self.path}: {problem}")
                if readable[at]:
                    self.without_text[int(positions[at])] = problem.partition(": ")[2]
        self.numbers = np.array(numbers, np.int64)

    def type_of(self, column: str) -> None:
        """Return None: lines have values of Python."""

    def texts(self) -> Iterator[Any]:
        """Yield the text of each row."""
        for piece, readable in self._pieces([]):
            yield from compress(piece.texts, readable)

    def _pieces(self, others: list[str]) -> Iterator[tuple[Piece, list[bool]]]:
        """Yield the rows, and which of them can be read."""
        with self.opened() as file:
            for piece in read_pieces(self.path, file, self._column, others, self._used):
                yield piece, [at not in piece.lost for at in range(len(piece.numbers))]

    @staticmethod
    def write(files: Sequence[tuple[Any, Kept]], output: BinaryIO) -> None:
        """Copy the rows of several files that are kept, after the header of the first."""
        for place, (file, kept) in enumerate(files):
            wanted = chain((0,) if not place and file.kind == "csv" else (), file.numbers[kept].tolist())
            number = next(wanted, None)
            for at, data in file.contents():
                if at == number:
                    number = next(wanted, None)
                    output.write(data if data.endswith((b"\n", b"\r")) else data + b"\n")

    def contents(self) -> Iterator[tuple[int, bytes]]:
        """Yield the bytes of each row with its number; those of a header with 0."""
        with self.opened() as file:
            if self.kind == "csv":
                for place, row in enumerate(raw_rows(file, [self._column], LONGEST_FIELD)):
                    yield row.number if place else 0, row.text.encode("utf-8", "surrogateescape")
            else:
                yield from numbered_lines(file)


class _Parquet(_File):
    def columns(self) -> object:
        """Return the schema."""
        with self.opened() as file:
            return open_file(self.path, file).schema_arrow.remove_metadata()

    def scan(self, values: dict[str, list[Any]], problems: list[str]) -> None:
        """Number the rows that can be read; collect values of columns, and what cannot be read."""
        self._groups: list[int] = []
        numbers = [self.numbers]
        first = 0
        with self.opened() as file:
            rows = open_file(self.path, file)
            check_columns(self.path, rows.schema_arrow, self._column, values)
            for group in range(rows.num_row_groups):
                end = first + rows.metadata.row_group(group).num_rows
                found: dict[str, list[Any]] = {name: [] for name in values}
                try:
                    for batch in read_group(rows, group):
                        for name, one in found.items():
                            one += batch.column(name).to_pylist()
                except UNREADABLE as error:
                    lost = f"rows {first} to {end - 1}"
                    problems.append(f"{self.path}: row group {group}, {lost}, is corrupt: {first_line(error)}")
                else:
                    self._groups.append(group)
                    numbers.append(np.arange(first, end))
                    for name, one in found.items():
                        values[name] += one
                first = end
        self.numbers = np.concatenate(numbers)

    def type_of(self, column: str) -> pa.DataType:
        """Return the type of the values of a column."""
        with self.opened() as file:
            kind = plain_type(open_file(self.path, file).schema_arrow.field(column).type)
        return kind.value_type if pa.types.is_dictionary(kind) else kind

    def texts(self) -> Iterator[Any]:
        """Yield columns of the text of each row."""
        for batch in self.batches([self._column]):
            yield batch.column(0)

    def batches(self, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the rows that can be read, with some columns, or all."""
        with self.opened() as file:
            rows = open_file(self.path, file)
            for group in self._groups:
                yield from read_group(rows, group, columns)

    @staticmethod
    def write(files: Sequence[tuple[Any, Kept]], output: BinaryIO) -> None:
        """Copy the rows of several files that are kept; views, of which Arrow writes few, become what they show."""
        with files[0][0].opened() as file:
            first = open_file(files[0][0].path, file)
            schema, compression = plain_schema(first.schema_arrow), compression_of(first)

        def rows() -> Iterator[pa.RecordBatch]:
            for file, kept in files:
                first = 0
                for batch in file.batches():
                    bits = pa.py_buffer(np.packbits(kept[first : first + len(batch)], bitorder="little"))
                    yield batch.filter(pa.Array.from_buffers(pa.bool_(), len(batch), [None, bits]))
                    first += len(batch)

        write_parquet(output, schema, rows(), compression=compression)


def _opened(path: str, column: str) -> _Lines | _Parquet:
    file, is_parquet = open_source(path)
    with file:
        if is_parquet:
            return _Parquet(path, "parquet", column)
        return _Lines(path, "csv" if is_csv(path, file, column) else "json", column)
