"""Rows of a JSON-lines or CSV file, one object per line or record; each is parsed by itself, so an error is its own."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import BufferedReader
from itertools import chain
from typing import NamedTuple

import pyarrow as pa

from simhash_doc.batch.batches import Batch
from simhash_doc.engines.base import SURROGATE
from simhash_doc.ingest.tables import csv_objects
from simhash_doc.ingest.text_forms import UnreadableInputError, looks_like_utf16
from simhash_doc.tabular import TabularError, TabularUsageError
from simhash_doc.tabular.rows import NULL_ID, NULL_TEXT, Request, Rows, Table, no_key

_PIECE_BYTES = 1 << 20
LONGEST_FIELD = 1 << 26  # characters of a text in CSV
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_KINDS = {list: "a list", dict: "an object", bool: "a boolean", float: "a fraction", int: "an integer"}
_ID_LIMIT = 1 << 63
_NOT_UTF8 = "the row is not UTF-8; convert the file to UTF-8"
_LONE_SURROGATE = r"the row is not UTF-8: it has a lone surrogate, such as \ud800"


class Piece(NamedTuple):
    """Consecutive rows of a file.

    Attributes:
        rows: the number of each line that is not blank, from 1, with its content or why it cannot be read.
        size: about their size in bytes.
    """

    rows: list[tuple[int, Mapping[str, object] | str]]
    size: int


class RowError(Exception):
    """A row that cannot be used; the message gives the reason."""


class NotUtf8Error(RowError):
    """A row that is not UTF-8. It is usually one of many, so its line matters more than its id."""


class NotUtf8Record(dict[str, object]):
    """The content of a row that is not UTF-8. It has no text: what replaces different bytes would be equal.

    Attributes:
        reason: what is wrong.
    """

    def __init__(self, record: Mapping[str, object], reason: str) -> None:
        super().__init__(record)
        self.reason = reason


def open_lines(name: str, file: BufferedReader, request: Request, size: int | None) -> Table:
    """Open a JSON-lines or CSV file with a key for the text, and a key for the id or none, which numbers the lines.

    Ids are strings or integers; the first one determines which, and an id of the other type is an error in its row.

    Args:
        name: Its name in messages.
        file: The open file.
        request: The keys.
        size: Size in bytes; None if it is not known.

    Raises:
        TabularError: The file cannot be read; also raised while reading the rows.
        TabularUsageError: There are rows, but none of the first has the keys.
    """
    pieces = read_pieces(name, file, request.column)
    start = next(pieces, Piece([], 0))
    id_type = _checked_id_type(name, [record for _, record in start.rows if not isinstance(record, str)], request)
    rows = (_parsed(piece, request, id_type) for piece in chain([start], pieces))
    return Table(rows, id_type, size, size or 0, "bytes")


def read_pieces(name: str, file: BufferedReader, column: str) -> Iterator[Piece]:
    """Yield the rows of a JSON-lines or CSV file in pieces of about `_PIECE_BYTES`.

    Raises:
        TabularError: The file cannot be read.
    """
    try:
        yield from _records(file) if is_csv(name, file, column) else _objects(name, file, column)
    except UnreadableInputError as error:
        raise TabularError(f"{name}: {error}") from error
    except OSError as error:
        raise TabularError(f"{name}: cannot be read: {error.strerror or error}") from error


def is_csv(name: str, file: BufferedReader, column: str) -> bool:
    """Return True if a file is CSV by its name, or because its first line names the column; nothing of it is read.

    Raises:
        TabularError: It looks like UTF-16.
    """
    if looks_like_utf16(file.peek()):
        raise TabularError(f"{name}: is not UTF-8: it looks like UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE")
    if name.lower().endswith(".csv"):
        return True
    with suppress(csv.Error):
        first = file.peek().partition(b"\n")[0].decode("utf-8-sig", "surrogateescape")
        return not first.startswith("{") and column in next(csv.reader([first]), [])
    return False


def _checked_id_type(name: str, records: list[Mapping[str, object]], request: Request) -> pa.DataType:
    """Check the keys of the first lines, and return the type of their ids."""
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


def _objects(name: str, file: BufferedReader, column: str) -> Iterator[Piece]:
    _check_start(name, file.peek(), column)
    first = 1
    while lines := file.readlines(_PIECE_BYTES):
        size = sum(map(len, lines))
        if first == 1:
            lines[0] = lines[0].removeprefix(BYTE_ORDER_MARK)
        yield Piece([(at, _object(line)) for at, line in enumerate(lines, first) if not line.isspace()], size)
        first += len(lines)


def _records(file: BufferedReader) -> Iterator[Piece]:
    rows: list[tuple[int, Mapping[str, object] | str]] = []
    size = 0
    for number, row in csv_objects(file, LONGEST_FIELD):
        if isinstance(row, dict):
            size += sum(map(len, row.values())) + len(row)
            rows.append((number, NotUtf8Record(row, _NOT_UTF8) if _has_surrogate(row) else row))
        else:
            rows.append((number, str(row)))
        if size >= _PIECE_BYTES:
            yield Piece(rows, size)
            rows, size = [], 0
    yield Piece(rows, size)


def _has_surrogate(record: Mapping[str, object]) -> bool:
    return any(isinstance(value, str) and not value.isascii() and SURROGATE.search(value) for value in record.values())


def _check_start(name: str, block: bytes, column: str) -> None:
    start = block.removeprefix(BYTE_ORDER_MARK).lstrip()
    if start.startswith(b"{") or not start:
        return
    if start.startswith(b"\x1f\x8b"):
        hint = "a gzip file; decompress it: gzip -dc FILE | simhash-doc fingerprint ... -"
    elif start.startswith(b"["):
        hint = "a JSON array; convert it to lines: jq -c '.[]' FILE"
    else:
        hint = f"a file that begins with {start[:12]!r}"
        header = start.partition(b"\n")[0].decode("utf-8", "replace").rstrip()
        if column in re.split("[;\t]", header.replace('"', "")):
            hint += "; the delimiter of CSV must be a comma"
    raise TabularUsageError(f"{name}: expected Parquet, CSV, or JSON lines with one object per line; found {hint}")


def _parsed(piece: Piece, request: Request, id_type: pa.DataType) -> tuple[Batch, Rows]:
    ids: list[str | int | None] = []
    texts: list[str | None] = []
    reasons = {}
    kind = str if id_type == pa.string() else int
    for number, record in piece.rows:
        row_id: str | int | None = number if request.id_column is None else None
        text = None
        try:
            if isinstance(record, str):
                raise RowError(record)
            if request.id_column is not None:
                row_id = _id(record, request.id_column, kind)
            text = text_of(record, request.column)
        except RowError as error:
            names_line = row_id is None or isinstance(error, NotUtf8Error)
            reasons[len(ids)] = f"line {number}: {error}" if names_line else str(error)
        ids.append(row_id)
        texts.append(text)
    return Batch(0, texts), Rows(pa.array(ids, id_type), reasons, piece.size)


def _object(line: bytes) -> Mapping[str, object] | str:
    """Return the object on a line, or why there is none."""
    line, problem = line.removesuffix(b"\n"), ""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError:
        text, problem = line.decode("utf-8", "surrogateescape"), _NOT_UTF8
    try:
        record = json.loads(text)
    except json.JSONDecodeError as error:
        return f"not JSON: {error.msg} at column {error.colno}"
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    if not isinstance(record, dict):
        return "not a JSON object"
    if not problem and b"\\u" in line and _has_surrogate(record):
        problem = _LONE_SURROGATE
    return NotUtf8Record(record, problem) if problem else record


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
    if isinstance(record, NotUtf8Record) and _has_surrogate({column: value}):
        raise NotUtf8Error(record.reason)
    return value


def text_of(record: Mapping[str, object], column: str) -> str:
    """Return the text of a row, or raise a `RowError`."""
    if isinstance(record, NotUtf8Record):
        raise NotUtf8Error(record.reason)
    value = record.get(column)
    if value is None:
        raise RowError(NULL_TEXT if column in record else no_key(column))
    if not isinstance(value, str):
        raise RowError(f"the text is {_KINDS[type(value)]}, not a string")
    return value
