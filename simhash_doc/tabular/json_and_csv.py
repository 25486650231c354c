"""The texts and ids of a JSON-lines or CSV file; each row is parsed by itself, so an error is its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from io import BufferedReader
from itertools import chain, islice
from typing import Any, NamedTuple

import pyarrow as pa

from simhash_doc.batch.batches import NULL_TEXT, Batch
from simhash_doc.engines.base import SURROGATE
from simhash_doc.entries import UnreadableInputError
from simhash_doc.entries.csv_files import csv_header, csv_rows
from simhash_doc.entries.entry import ParsedRow, missing_name
from simhash_doc.entries.formats import looks_like_utf16
from simhash_doc.entries.json_lines import BYTE_ORDER_MARK, LONE_SURROGATE, json_rows
from simhash_doc.entries.parquet_files import array_of
from simhash_doc.tabular import TabularError, TabularUsageError
from simhash_doc.tabular.table import NULL_ID, OpenTable, Request, RowIds

_PIECE_BYTES = 1 << 20
_LONGEST_HEADER = 1 << 12  # characters of a header that is checked if no row follows it
LONGEST_FIELD = 1 << 26  # characters of a text in CSV
_KINDS = {list: "a list", dict: "an object", bool: "a boolean", float: "a fraction", int: "an integer"}
_ID_LIMIT = 1 << 63


class Piece(NamedTuple):
    """Consecutive rows of a file.

    Attributes:
        numbers: the line in which each begins, from 1.
        texts: None for a row without a text.
        values: those of other columns; None for a row without one.
        problems: what is wrong with rows, by index, with their lines. A text that is not UTF-8 is none: what replaces
            different bytes would be equal.
        not_utf8: what is wrong with rows of which only other values are not UTF-8, by index.
        lost: the indexes of rows that are not objects, or not CSV.
        size: about their size in bytes.
        names: the columns, or the keys of the first object.
    """

    numbers: list[int]
    texts: list[str | None]
    values: dict[str, list[Any]]
    problems: dict[int, str]
    not_utf8: dict[int, str]
    lost: set[int]
    size: int
    names: Collection[str]


def open_line_table(name: str, file: BufferedReader, request: Request, size: int | None) -> OpenTable:
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
    pieces = read_pieces(name, file, request.column, request.others)
    first = list(islice(pieces, 1))
    kind: type = int
    if request.id_column is not None:
        ids = (value for piece in first for value in piece.values[request.id_column])
        kind = next((type(value) for value in ids if not _id_problem(value, None)), str)
    rows = ((Batch(0, piece.texts), _rows(piece, request, kind)) for piece in chain(first, pieces))
    names = [name for piece in first for name in piece.names]
    return OpenTable(rows, pa.string() if kind is str else pa.int64(), size, size or 0, "bytes", names)


def read_pieces(
    name: str, file: BufferedReader, column: str, others: Sequence[str], used: Sequence[str] = ()
) -> Iterator[Piece]:
    """Yield the rows of a JSON-lines or CSV file in pieces of about `_PIECE_BYTES`.

    Args:
        name: Its name in messages.
        file: The open file.
        column: Key of the texts.
        others: Keys of other values.
        used: Keys that are used elsewhere: a row that has one of all these twice is lost.

    Raises:
        TabularError: The file cannot be read.
        TabularUsageError: There are rows, but none of the first has the keys.
    """
    try:
        is_table, header = is_csv(name, file, column), _start(file)
        if is_table:
            rows = csv_rows(file, (column, *others, *used), LONGEST_FIELD)
        else:
            check_start(name, file.peek())
            rows = json_rows(file, (column, *others, *used))
        for number, (part, size) in enumerate(_parts(rows)):
            if number == 0:
                alone = is_table and not part and 0 < len(header.strip()) < _LONGEST_HEADER
                known = [ParsedRow(1, dict.fromkeys(csv_header(header, (column,)).names), "", 0)] if alone else part
                _check_keys(name, known, (column, *others), "column" if is_table else "key")
            yield _piece(part, column, others, size)
    except UnreadableInputError as error:
        raise TabularError(f"{name}: {error}") from error
    except OSError as error:
        raise TabularError(f"{name}: cannot be read: {error.strerror or error}") from error


def _parts(rows: Iterable[ParsedRow]) -> Iterator[tuple[list[ParsedRow], int]]:
    part: list[ParsedRow] = []
    size = 0
    for row in rows:
        part.append(row)
        size += row.size
        if size >= _PIECE_BYTES:
            yield part, size
            part, size = [], 0
    yield part, size


def is_csv(name: str, file: BufferedReader, column: str) -> bool:
    """Return True if a file is CSV by its name, or because its first line names the column; nothing of it is read.

    Raises:
        TabularError: It looks like UTF-16.
    """
    if looks_like_utf16(file.peek()):
        raise TabularError(f"{name}: is not UTF-8: it looks like UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE")
    if name.lower().removesuffix(".gz").endswith(".csv"):
        return True
    start = _start(file)
    return not start.startswith("{") and column in csv_header(start, [column]).names


def _start(file: BufferedReader) -> str:
    """Return the beginning of a file; nothing of it is read."""
    return file.peek().decode("utf-8-sig", "surrogateescape")


def check_start(name: str, block: bytes) -> None:
    """Raise a `TabularUsageError` for a file whose first bytes are those of no object of JSON, unless it is empty."""
    start = block.removeprefix(BYTE_ORDER_MARK).lstrip()
    if not start or (start.startswith(b"{") and start.partition(b"\n")[0].strip() != b"{"):
        return
    if start.partition(b"\n")[0].strip() == b"{":
        hint = "an object in several lines; convert it to one: jq -c . FILE"
    elif start.startswith(b"["):
        hint = "a JSON array; convert it to lines: jq -c '.[]' FILE"
    else:
        hint = f"a file that begins with {start[:12]!r}"
    raise TabularUsageError(f"{name}: expected Parquet, CSV, or JSON lines with one object per line; found {hint}")


def _check_keys(name: str, rows: list[ParsedRow], keys: Sequence[str], noun: str) -> None:
    """Reject a key that is in none of the first rows: it is wrong, rather than missing from a row."""
    known = [row.fields for row in rows if row.fields is not None]
    for key in keys:
        if known and not any(key in fields for fields in known):
            raise TabularUsageError(f"{name}: {missing_name(key, [*known[0]], noun)}")


def _piece(rows: list[ParsedRow], column: str, others: Sequence[str], size: int) -> Piece:
    names = next((row.fields for row in rows if row.fields is not None), {})
    piece = Piece([row.number for row in rows], [], {name: [] for name in others}, {}, {}, set(), size, [*names])
    for at, (number, fields, problem, _) in enumerate(rows):
        text = None if fields is None else fields.get(column)
        if fields is None:
            piece.lost.add(at)
        elif text is not None and not isinstance(text, str):
            problem, text = problem or f"the text is {_KINDS[type(text)]}, not a string", None
        elif problem and text is not None:
            if SURROGATE.search(text):
                text = None
            else:
                piece.not_utf8[at], problem = problem, ""
        if problem:
            piece.problems[at] = f"line {number}: {problem}"
        piece.texts.append(text)
        for name, values in piece.values.items():
            values.append(None if fields is None else fields.get(name))
    return piece


def _rows(piece: Piece, request: Request, kind: type) -> RowIds:
    """Return the rows of a piece, with ids of a type, and why they have no fingerprint."""
    reasons = {at: NULL_TEXT for at, text in enumerate(piece.texts) if text is None} | piece.problems
    ids: list[Any] = piece.numbers
    if request.id_column is not None:
        ids = [*piece.values[request.id_column]]
        for at, value in enumerate(ids):
            if problem := _id_problem(value, kind):
                ids[at] = None
                if problem == LONE_SURROGATE:
                    reasons.setdefault(at, f"line {piece.numbers[at]}: {piece.not_utf8.get(at, problem)}")
                elif at not in piece.lost:
                    reasons[at] = f"line {piece.numbers[at]}: {problem}"
    return RowIds(array_of(ids, pa.string() if kind is str else pa.int64()), reasons, piece.size)


def _id_problem(value: object, kind: type | None) -> str:
    """Return what is wrong with an id; `kind` is the type of the first id."""
    if value is None:
        return NULL_ID
    if type(value) is not int and not isinstance(value, str):
        return f"the id is {_KINDS[type(value)]}, not a string or an integer"
    if isinstance(value, int) and not -_ID_LIMIT <= value < _ID_LIMIT:
        return "the id is an integer of more than 64 bits"
    if kind is not None and type(value) is not kind:
        return f"the id {value!r} is not {'a string' if kind is str else 'an integer'}, as the first id is"
    return LONE_SURROGATE if isinstance(value, str) and not value.isascii() and SURROGATE.search(value) else ""
