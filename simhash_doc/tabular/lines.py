"""Rows of a JSON-lines or CSV file, one object per line or record; each is parsed by itself, so an error is its own."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from io import BufferedReader
from itertools import chain

import pyarrow as pa

from simhash_doc.batch.api import compute
from simhash_doc.batch.batches import Batch
from simhash_doc.errors import SimhashDocError
from simhash_doc.ingest.tables import csv_objects
from simhash_doc.ingest.text_forms import UnreadableInputError
from simhash_doc.tabular.rows import NULL_ID, NULL_TEXT, Request, Rows, Table, TabularError, TabularUsageError, no_key

_PIECE_BYTES = 1 << 20
LONGEST_FIELD = 1 << 26  # characters of a text in CSV
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_KINDS = {list: "a list", dict: "an object", bool: "a boolean", float: "a fraction", int: "an integer"}
_ID_LIMIT = 1 << 63


@dataclass(frozen=True, slots=True)
class _Lines:
    """Lines of a file: the number of each that is not blank, from 1, with its content or why it cannot be read.

    `size` is their number of bytes.
    """

    numbered: list[tuple[int, bytes | dict[str, str] | str]]
    size: int


class RowError(SimhashDocError):
    """A row that cannot be used; the message gives the reason."""


def open_lines(name: str, file: BufferedReader, request: Request, size: int | None) -> Table:
    """Open a JSON-lines or CSV file with a key for the text, and a key for the id or none, which numbers the lines.

    Ids are strings or integers; the first one determines which, and an id of the other type is an error in its row. A
    file is CSV if its name ends with .csv, or its first line has the key for the text as a column.

    Args:
        name: Its name in messages.
        file: The open file.
        request: The keys.
        size: Size in bytes; None if it is not known.

    Raises:
        TabularError: The file cannot be read; also raised while reading the rows.
        TabularUsageError: There are rows, but none of the first has the keys.
    """
    pieces = _opened(name, file, request.column)
    start = next(pieces)
    id_type = _checked_id_type(name, start, request)

    rows = (_parse(lines, request, id_type) for lines in chain([start], pieces))
    return Table(partial(compute, rows, request.lanes, size=size or 0), id_type, size, size or 0, "bytes")


def read_objects(name: str, file: BufferedReader, column: str) -> Iterator[tuple[int, Mapping[str, object] | str]]:
    """Yield each row with its line number: a mapping, or why it cannot be read."""
    for number, line in chain.from_iterable(piece.numbered for piece in _opened(name, file, column)):
        try:
            yield number, _object(number, line)
        except RowError as error:
            yield number, str(error)


def _opened(name: str, file: BufferedReader, column: str) -> Iterator[_Lines]:
    return _records(name, file) if is_csv(name, file, column) else _pieces(name, file)


def is_csv(name: str, file: BufferedReader, column: str) -> bool:
    """Return True if a file is CSV by its name, or because its first line names the column; nothing of it is read."""
    if name.lower().endswith(".csv"):
        return True
    with suppress(csv.Error, UnicodeDecodeError):
        first = file.peek().partition(b"\n")[0].decode("utf-8-sig")
        return not first.startswith("{") and column in next(csv.reader([first]), [])
    return False


def _checked_id_type(name: str, start: _Lines, request: Request) -> pa.DataType:
    """Check the keys of the first lines, and return the type of their ids."""
    records = []
    for number, line in start.numbered:
        with suppress(RowError):
            records.append(_object(number, line))
    for column in filter(None, (request.column, request.id_column)):
        # A key that is in none of them is wrong, rather than missing from a row.
        if records and not any(column in record for record in records):
            raise TabularUsageError(
                f"{name}: no line at the start of the file has a key {column!r}; "
                f"keys of the first: {', '.join(records[0]) or 'none'}"
            )
    if request.id_column is None:
        return pa.int64()
    for record in records:
        with suppress(RowError):
            return pa.string() if isinstance(_id(record, request.id_column), str) else pa.int64()
    return pa.string()


def _pieces(name: str, file: BufferedReader) -> Iterator[_Lines]:
    """Yield the lines of a file in pieces of about `_PIECE_BYTES`, the last of them empty."""
    first = 1
    try:
        _check_start(name, file.peek())
        while True:
            lines = file.readlines(_PIECE_BYTES)
            numbered = [(number, line) for number, line in enumerate(lines, first) if not line.isspace()]
            yield _Lines([*numbered], sum(map(len, lines)))
            if not lines:
                return
            first += len(lines)
    except OSError as error:
        raise TabularError(f"{name}: cannot be read: {error.strerror or error}") from error


def _records(name: str, file: BufferedReader) -> Iterator[_Lines]:
    """Yield the records of a CSV file in pieces of about `_PIECE_BYTES`, the last of them empty."""
    piece: list[tuple[int, bytes | dict[str, str] | str]] = []
    size = 0
    try:
        for number, row in csv_objects(file, LONGEST_FIELD):
            if isinstance(row, dict):
                row = {  # bytes that are not UTF-8 are replaced, as in JSON lines
                    key: text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for key, text in row.items()
                }
                size += sum(map(len, row.values())) + len(row)
            piece.append((number, row if isinstance(row, dict) else str(row)))
            if size >= _PIECE_BYTES:
                yield _Lines(piece, size)
                piece, size = [], 0
        yield _Lines(piece, size)
        if piece:
            yield _Lines([], 0)
    except UnreadableInputError as error:
        raise TabularError(f"{name}: {error}") from error
    except OSError as error:
        raise TabularError(f"{name}: cannot be read: {error.strerror or error}") from error


def _check_start(name: str, block: bytes) -> None:
    start = block.removeprefix(BYTE_ORDER_MARK).lstrip()
    if start.startswith(b"{") or not start:
        return
    if start.startswith(b"\x1f\x8b"):
        hint = "a gzip file; decompress it: gzip -dc FILE | simhash-doc fingerprint ... -"
    elif start.startswith(b"["):
        hint = "a JSON array; convert it to lines: jq -c '.[]' FILE"
    else:
        hint = f"a file that begins with {start[:12]!r}"
    raise TabularUsageError(f"{name}: expected Parquet, CSV, or JSON lines with one object per line; found {hint}")


def _parse(lines: _Lines, request: Request, id_type: pa.DataType) -> tuple[Batch, Rows]:
    """Return the texts of the lines that are not blank, and their rows."""
    ids: list[str | int | None] = []
    texts: list[str | None] = []
    reasons = {}
    kind = str if id_type == pa.string() else int
    for number, line in lines.numbered:
        row_id: str | int | None = number if request.id_column is None else None
        text = None
        try:
            record = _object(number, line)
            if request.id_column is not None:
                row_id = _id(record, request.id_column, kind)
            text = text_of(record, request.column)
        except RowError as error:
            reasons[len(ids)] = f"line {number}: {error}" if row_id is None else str(error)
        ids.append(row_id)
        texts.append(text)
    return Batch(0, texts), Rows(pa.array(ids, id_type), reasons, lines.size)


def _object(number: int, line: bytes | dict[str, str] | str) -> Mapping[str, object]:
    if isinstance(line, dict):
        return line
    if isinstance(line, str):
        raise RowError(line)
    try:
        record = json.loads(line.removesuffix(b"\n").decode("utf-8-sig" if number == 1 else "utf-8", "replace"))
    except json.JSONDecodeError as error:
        raise RowError(f"not JSON: {error.msg} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise RowError(f"not JSON: {error}") from error
    if not isinstance(record, dict):
        raise RowError("not a JSON object")
    return record


def _id(record: Mapping[str, object], column: str, kind: type | None = None) -> str | int:
    """Return the id of a row; `kind` is the type of the first id."""
    value = record.get(column)
    if value is None:
        raise RowError(NULL_ID if column in record else no_key(column))
    if type(value) is not int and not isinstance(value, str):
        raise RowError(f"the id is {_KINDS[type(value)]}, not a string or an integer")
    if isinstance(value, int) and not -_ID_LIMIT <= value < _ID_LIMIT:
        raise RowError("the id is an integer of more than 64 bits")
    if kind is not None and type(value) is not kind:
        expected = "a string" if kind is str else "an integer"
        raise RowError(f"the id {value!r} is not {expected}, as the first id is")
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise RowError("the id contains a lone surrogate") from None
    return value


def text_of(record: Mapping[str, object], column: str) -> str:
    """Return the text of a row, or raise a `RowError`."""
    value = record.get(column)
    if value is None:
        raise RowError(NULL_TEXT if column in record else no_key(column))
    if not isinstance(value, str):
        raise RowError(f"the text is {_KINDS[type(value)]}, not a string")
    return value
