"""Rows of a JSON-lines or CSV file, one object per line or record; each is parsed by itself, so an error is its own."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from io import BufferedReader
from itertools import chain

import pyarrow as pa

from simhash_doc.batch.batches import Batch
from simhash_doc.ingest.tables import csv_objects
from simhash_doc.ingest.text_forms import UnreadableInputError
from simhash_doc.tabular import TabularError, TabularUsageError
from simhash_doc.tabular.rows import NULL_ID, NULL_TEXT, Request, Rows, Table, no_key

_PIECE_BYTES = 1 << 20
LONGEST_FIELD = 1 << 26  # characters of a text in CSV
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_KINDS = {list: "a list", dict: "an object", bool: "a boolean", float: "a fraction", int: "an integer"}
_ID_LIMIT = 1 << 63

Row = tuple[int, Mapping[str, object] | str, int]
"""The number of a line that is not blank, from 1; its content, or why it cannot be read; about its size in bytes."""


class RowError(Exception):
    """A row that cannot be used; the message gives the reason."""


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
    rows = read_rows(name, file, request.column)
    start = _piece(rows)
    id_type = _checked_id_type(name, [record for _, record, _ in start if not isinstance(record, str)], request)
    pieces = chain([start], iter(partial(_piece, rows), []))
    return Table((_parsed(piece, request, id_type) for piece in pieces), id_type, size, size or 0, "bytes")


def read_rows(name: str, file: BufferedReader, column: str) -> Iterator[Row]:
    """Yield the rows of a JSON-lines or CSV file.

    Raises:
        TabularError: The file cannot be read.
    """
    try:
        yield from _records(file) if is_csv(name, file, column) else _objects(name, file)
    except UnreadableInputError as error:
        raise TabularError(f"{name}: {error}") from error
    except OSError as error:
        raise TabularError(f"{name}: cannot be read: {error.strerror or error}") from error


def is_csv(name: str, file: BufferedReader, column: str) -> bool:
    """Return True if a file is CSV by its name, or because its first line names the column; nothing of it is read."""
    if name.lower().endswith(".csv"):
        return True
    with suppress(csv.Error, UnicodeDecodeError):
        first = file.peek().partition(b"\n")[0].decode("utf-8-sig")
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


def _piece(rows: Iterator[Row]) -> list[Row]:
    """Return the next rows, of about `_PIECE_BYTES`; none at the end."""
    piece: list[Row] = []
    size = 0
    while size < _PIECE_BYTES and (row := next(rows, None)):
        piece.append(row)
        size += row[2]
    return piece


def _objects(name: str, file: BufferedReader) -> Iterator[Row]:
    _check_start(name, file.peek())
    for number, line in enumerate(file, 1):
        if not line.isspace():
            yield number, _object(line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line), len(line)


def _records(file: BufferedReader) -> Iterator[Row]:
    for number, row in csv_objects(file, LONGEST_FIELD):
        if isinstance(row, dict):  # bytes that are not UTF-8 are replaced, as in JSON lines
            fields = {key: text.encode("utf-8", "surrogateescape") for key, text in row.items()}
            size = sum(map(len, fields.values())) + len(fields)
            yield number, {key: data.decode("utf-8", "replace") for key, data in fields.items()}, size
        else:
            yield number, str(row), len(str(row))


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


def _parsed(piece: list[Row], request: Request, id_type: pa.DataType) -> tuple[Batch, Rows]:
    """Return the texts of a piece, and its rows."""
    ids: list[str | int | None] = []
    texts: list[str | None] = []
    reasons = {}
    kind = str if id_type == pa.string() else int
    for number, record, _ in piece:
        row_id: str | int | None = number if request.id_column is None else None
        text = None
        try:
            if isinstance(record, str):
                raise RowError(record)
            if request.id_column is not None:
                row_id = _id(record, request.id_column, kind)
            text = text_of(record, request.column)
        except RowError as error:
            reasons[len(ids)] = f"line {number}: {error}" if row_id is None else str(error)
        ids.append(row_id)
        texts.append(text)
    return Batch(0, texts), Rows(pa.array(ids, id_type), reasons, sum(size for _, _, size in piece))


def _object(line: bytes) -> Mapping[str, object] | str:
    """Return the object on a line, or why there is none."""
    try:
        record = json.loads(line.removesuffix(b"\n").decode("utf-8", "replace"))
    except json.JSONDecodeError as error:
        return f"not JSON: {error.msg} at column {error.colno}"
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    return record if isinstance(record, dict) else "not a JSON object"


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
