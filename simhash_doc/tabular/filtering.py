"""The rows of tabular files, read several times, a part at a time, and copied: all of them, or those that are kept."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from io import BufferedReader
from itertools import chain, compress
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from simhash_doc.entries.csv_files import Header, RawRow, csv_header, raw_rows
from simhash_doc.entries.json_lines import numbered_lines
from simhash_doc.entries.parquet_files import (
    PARQUET_ERRORS,
    ParquetRows,
    array_of,
    compression_of,
    first_line,
    has_plain_values,
    names_of,
    no_plain_values,
    plain_values,
    read_group,
    write_parquet,
)
from simhash_doc.errors import cut_text
from simhash_doc.tabular import TabularError, TabularUsageError
from simhash_doc.tabular.job import open_source
from simhash_doc.tabular.json_and_csv import LONGEST_FIELD, Piece, is_csv, read_pieces
from simhash_doc.tabular.keyed_lines import csv_with_keys, json_with_keys
from simhash_doc.tabular.parquet import bounded, check_columns, open_file
from simhash_doc.tabular.schemas import folder_keys, joined_schema
from simhash_doc.tabular.table import ID_COLUMN

Kept = npt.NDArray[np.bool_]

_ENDINGS = {"parquet": ".parquet", "json": ".jsonl", "csv": ".csv"}


class TabularFiles:
    """The rows of files of one format. Iteration yields their texts: str and None, or Arrow columns.

    What cannot be read is left out; a row that can, but whose text is not text, is a row without a text. To find these,
    everything is read once, when the object is created.

    Args:
        paths: Parquet, JSON-lines or CSV files. The header of CSV files must be the same. Columns of Parquet are joined
            by their names, and the keys of folders (KEY=VALUE) are columns after them.
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
        places = [*map(os.path.realpath, paths)]
        if twice := next((path for path, place in zip(paths, places, strict=True) if places.count(place) > 1), None):
            raise TabularUsageError(f"{twice}: is given twice; give each file once")
        self._files = [_opened(path, column) for path in paths]
        for file in self._files:
            if form not in (None, file.kind):
                raise TabularUsageError(
                    f"{file.path}: rows are copied; write a file that ends with {_ENDINGS[file.kind]}"
                )
        self._schema = _schema_of(self._files)
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

    @property
    def has_ids(self) -> bool:
        """Whether a file has a column, or a first object with a key, that is called `id`."""
        return any(ID_COLUMN in file.known for file in self._files)

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
            ids = self.values[column]
            if self._schema is None:  # lines have values of Python
                return ids, {None}
            kind = self._schema.field(column).type
            kind = kind.value_type if pa.types.is_dictionary(kind) else kind
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
            return f"{column} {cut_text(str(self.values[column][row]))}"
        for file in self._files:
            if row < len(file.numbers):
                return f"{file.path}:{file.numbers[row]}"
            row -= len(file.numbers)
        raise IndexError(row)

    def rows_of(self, paths: Sequence[str]) -> Kept:
        """Return True for each row of some of the files, shape (n,).

        Raises:
            TabularUsageError: a path is not that of one of the files.
        """
        chosen = {os.path.realpath(path): path for path in paths}
        own = [os.path.realpath(file.path) for file in self._files]
        for place, path in chosen.items():
            if place not in own:
                raise TabularUsageError(f"--never-remove {path}: is not among the tables that are compared")
        return np.concatenate(
            [np.full(len(file.numbers), place in chosen) for file, place in zip(self._files, own, strict=True)]
        )

    def write(self, output: BinaryIO, kept: Kept) -> None:
        """Copy the rows that are kept, shape (n,): lines and records byte for byte.

        Raises:
            TabularError: An input has changed.
            OSError: The output cannot be written.
        """
        parts = np.split(kept, np.cumsum([len(file.numbers) for file in self._files])[:-1])
        self._files[0].write(list(zip(self._files, parts, strict=True)), output, self._schema)


class _File:
    """A file that is opened several times.

    Attributes:
        path: Its path.
        kind: parquet, json or csv.
        numbers: Numbers of the rows that can be read, set by `scan`.
        without_text: By position among these, why rows have no text although the value is not missing, set by `scan`.
        known: The columns, or the keys of the first object, set by `scan`.
        keys: The keys of its folders with their values, set by `_schema_of`.
    """

    def __init__(self, path: str, kind: str, column: str) -> None:
        self.path, self.kind, self._column = path, kind, column
        self.numbers = np.empty(0, np.int64)
        self.without_text: dict[int, str] = {}
        self.known: list[str] = []
        self.keys: dict[str, pa.Scalar] = {}
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
    def names(self) -> list[str]:
        """Return the names of the columns; none of JSON, of which each object has its own."""
        found = self.header()
        return found.names if found else []

    def header(self) -> Header | None:
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
            self.known = self.known or [*piece.names]
            positions = len(numbers) + np.cumsum(readable) - 1
            numbers += compress(piece.numbers, readable)
            for name, found in values.items():
                found += compress(piece.values[name], readable)
            for at, problem in piece.problems.items():
                problems.append(f"{self.path}: {problem}")
                if readable[at]:
                    self.without_text[int(positions[at])] = problem.partition(": ")[2]
        self.numbers = np.array(numbers, np.int64)

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
    def write(files: Sequence[tuple[Any, Kept]], output: BinaryIO, schema: object) -> None:
        """Copy the rows of several files that are kept, after the header of the first."""
        for place, (file, kept) in enumerate(files):
            wanted = chain((0,) if not place and file.kind == "csv" else (), file.numbers[kept].tolist())
            number, keys = next(wanted, None), {key: value.as_py() for key, value in file.keys.items()}
            for at, data in file.contents():
                if at == number:
                    number = next(wanted, None)
                    line = json_with_keys(data, keys) if keys and file.kind == "json" else data
                    output.write(line if line.endswith((b"\n", b"\r")) else line + b"\n")

    def contents(self) -> Iterator[tuple[int, bytes]]:
        """Yield the bytes of each row with its number; those of a header with 0."""
        with self.opened() as file:
            if self.kind == "csv":
                for place, row in enumerate(raw_rows(file, [self._column], LONGEST_FIELD)):
                    data = row.text.encode("utf-8", "surrogateescape")
                    yield row.number if place else 0, self._csv_with_keys(data, row, is_header=not place)
            else:
                yield from numbered_lines(file)

    @cached_property
    def _header(self) -> Header:
        return self.header() or Header([], ",")

    def _csv_with_keys(self, data: bytes, row: RawRow, *, is_header: bool) -> bytes:
        if not self.keys or row.problem:
            return data
        values = [*self.keys] if is_header else [value.as_py() for value in self.keys.values()]
        return csv_with_keys(data, row.fields, self._header, values)


class _Parquet(_File):
    def header(self) -> Header | None:
        """Return None: columns are joined by their names."""
        return None

    def names(self) -> list[str]:
        """Return the names of the columns."""
        return self.schema().names  # type: ignore[no-any-return]

    def schema(self) -> pa.Schema:
        """Return the schema of the file, and the keys of its folders."""
        with self.opened() as file:
            own = open_file(self.path, file).schema_arrow
        return pa.schema([*own, *((key, value.type) for key, value in self.keys.items())], own.metadata)

    def scan(self, values: dict[str, list[Any]], problems: list[str]) -> None:
        """Number the rows that can be read; collect values of columns, and what cannot be read."""
        self._groups: list[int] = []
        numbers = [self.numbers]
        first = 0
        with self.opened() as file:
            rows = open_file(self.path, file)
            self.known = rows.schema_arrow.names
            own = [name for name in values if name not in self.keys]
            constants = {key: [value.as_py()] for key, value in self.keys.items()}
            check_columns(self.path, rows.schema_arrow, self._column, own)
            for group in range(rows.metadata.num_row_groups):
                end = first + rows.metadata.row_group(group).num_rows
                found: dict[str, list[Any]] = {name: [] for name in values}
                try:
                    with bounded(self.path):
                        for batch in read_group(rows, group):
                            for name, one in found.items():
                                one += batch.column(name).to_pylist() if name in own else constants[name] * len(batch)
                except PARQUET_ERRORS as error:
                    problems.append(f"{self.path}: {_unreadable(self.path, rows, group, (first, end), error)}")
                else:
                    self._groups.append(group)
                    numbers.append(np.arange(first, end))
                    for name, one in found.items():
                        values[name] += one
                first = end
        self.numbers = np.concatenate(numbers)

    def texts(self) -> Iterator[Any]:
        """Yield columns of the text of each row."""
        for batch in self.batches([self._column]):
            yield batch.column(0)

    def batches(self, columns: list[str] | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the rows that can be read, with some columns, or all of the file."""
        with self.opened() as file:
            rows = open_file(self.path, file)
            for group in self._groups:
                with bounded(self.path):
                    yield from read_group(rows, group, columns)

    @staticmethod
    def write(files: Sequence[tuple[Any, Kept]], output: BinaryIO, schema: pa.Schema) -> None:
        """Copy the rows of several files that are kept, with the columns of a schema by their names."""
        with files[0][0].opened() as file:
            compression = compression_of(open_file(files[0][0].path, file))

        def rows() -> Iterator[pa.RecordBatch]:
            for file, kept in files:
                first = 0
                for batch in file.batches():
                    bits = pa.py_buffer(np.packbits(kept[first : first + len(batch)], bitorder="little"))
                    chosen = batch.filter(pa.Array.from_buffers(pa.bool_(), len(batch), [None, bits]))
                    yield file.complete(chosen, schema)
                    first += len(batch)

        write_parquet(output, schema, rows(), compression=compression)

    def complete(self, batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
        """Return rows with the keys of the folders, and with the columns of a schema in its order."""
        names = [*batch.schema.names, *self.keys]
        columns = [*batch.columns, *(pa.repeat(value, len(batch)) for value in self.keys.values())]
        places = range(len(names)) if names == schema.names else map(names.index, schema.names)
        return pa.record_batch(
            [_as(columns[place], kind) for place, kind in zip(places, schema.types, strict=True)], schema=schema
        )


def _as(column: pa.Array, kind: pa.DataType) -> pa.Array:
    return column if column.type == kind else column.cast(kind)


def _schema_of(files: Sequence[_Lines | _Parquet]) -> pa.Schema | None:
    """Return the schema of Parquet files; None for lines, whose headers must be the same. Set the keys of the folders.

    Raises:
        TabularUsageError: the files do not belong together.
    """
    paths, first = [file.path for file in files], files[0]
    for file in files:
        if file.kind != first.kind:
            raise TabularUsageError(f"{file.path}: is {file.kind}, and {paths[0]} is {first.kind}; give one format")
        if isinstance(file, _Lines) and file.header() != first.header():
            raise TabularUsageError(
                f"{file.path}: its columns are not those of {paths[0]}, or in another order; rows of CSV are copied as "
                "they are"
            )
    for file, keys in zip(files, folder_keys(paths, first.names()), strict=True):
        file.keys = keys
    return joined_schema(paths, [file.schema() for file in files if isinstance(file, _Parquet)])


def _unreadable(path: str, rows: ParquetRows, group: int, place: tuple[int, int], error: Exception) -> str:
    """Return what cannot be read of a row group, with the columns that are the cause.

    Raises:
        TabularError: it is a column of lists of a fixed size, of which not all versions of Arrow read nulls.
    """
    names = [name for name in dict.fromkeys(rows.schema_arrow.names) if not _is_readable(rows, group, name)]
    for name in names:
        kind = rows.schema_arrow.field(rows.schema_arrow.names.index(name)).type
        if "fixed_size_list" in str(kind):
            raise TabularError(
                f"{path}: column {name!r}, of type {kind}, cannot be read: {first_line(error)}; update pyarrow, or "
                "convert the column to lists"
            ) from error
    where = f" in {', '.join(map(repr, names))}" if names else ""
    return f"row group {group}, rows {place[0]} to {place[1] - 1}, is corrupt{where}: {first_line(error)}"


def _is_readable(rows: ParquetRows, group: int, name: str) -> bool:
    try:
        for _ in read_group(rows, group, [name]):
            pass
    except PARQUET_ERRORS:
        return False
    return True


def _opened(path: str, column: str) -> _Lines | _Parquet:
    file, is_parquet = open_source(path)
    with file:
        if is_parquet:
            return _Parquet(path, "parquet", column)
        return _Lines(path, "csv" if is_csv(path, file, column) else "json", column)
