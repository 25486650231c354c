"""CSV files, in UTF-8, with a header; the delimiter is a comma, a semicolon or a tab."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

from simhash_doc.engines.base import SURROGATE
from simhash_doc.entries import HOW_TO_COMPUTE, UnreadableInputError, UnreadableLineError
from simhash_doc.entries.entry import (
    FINGERPRINT_COLUMNS,
    NAME_COLUMNS,
    NOT_UTF8,
    USED_COLUMNS,
    EntryRows,
    ParsedRow,
    has_surrogate,
    repeated_name,
)
from simhash_doc.errors import shown

_DELIMITERS = ",;\t"
_BATCH = 1 << 14  # rows
_HEADER_LINES = 100  # most lines of a header with line breaks in quotes


class Header(NamedTuple):
    """The columns that a line names, none if it is not CSV, and the delimiter."""

    names: list[str]
    delimiter: str


def csv_header(text: str, wanted: Collection[str]) -> Header:
    """Return the columns that the beginning of a file names, also with line breaks in quotes.

    The delimiter is the one that gives most of the wanted columns, or else most columns.
    """
    lines = [*io.StringIO(text, newline="")]
    found = []
    for delimiter in _DELIMITERS:
        names: list[str] = []
        for strict in (True, False):  # a quote that is not closed would take all lines
            with suppress(csv.Error):
                names = next(csv.reader(lines if strict else lines[:1], delimiter=delimiter, strict=strict), [])
                break
        found.append(Header(names, delimiter))
    return max(found, key=lambda header: (len({*wanted}.intersection(header.names)), len(header.names)))


def csv_entries(file: BinaryIO) -> Iterator[EntryRows]:
    """Yield the entries of a file of fingerprints, many at a time.

    Raises:
        UnreadableInputError: the header cannot be read, has a column twice, or no fingerprints.
    """
    rows = csv_rows(file, USED_COLUMNS)
    name_key = "path"
    while part := list(islice(rows, _BATCH)):
        columns: list[list[str | None]] = [[], [], [], []]
        errors = {}
        for at, row in enumerate(part):
            fields: Mapping[str, str] = {}
            if row.fields is None:
                errors[at] = UnreadableLineError(row.problem)
            elif not any(column in row.fields for column in FINGERPRINT_COLUMNS):
                raise UnreadableInputError(
                    f"no column 'fingerprint'; columns: {', '.join(row.fields)}; {HOW_TO_COMPUTE}"
                )
            else:
                fields = row.fields
                name_key = next((one for one in NAME_COLUMNS if one in fields), name_key)
            keys = (FINGERPRINT_COLUMNS, NAME_COLUMNS, ("scheme",), ("support",))
            for column, names in zip(columns, keys, strict=True):
                column.append(next((fields[name] for name in names if fields.get(name)), None))
        yield EntryRows("line", [row.number for row in part], columns, errors, name_key=name_key)


def csv_rows(file: BinaryIO, used: Collection[str], longest: int = 1 << 17) -> Iterator[ParsedRow]:
    """Yield the rows of a file after its header, which names their fields.

    Args:
        file: the file, in UTF-8.
        used: the columns that are used, by which the delimiter is found; the header has none of them twice.
        longest: maximum number of characters of a field.

    Raises:
        UnreadableInputError: the header cannot be read, or has a used column twice.
    """
    header: list[str] | None = None
    for number, text, fields, problem in raw_rows(file, used, longest):
        if problem:
            if header is None:
                raise UnreadableInputError(f"line {number}, the header: {problem}")
            yield ParsedRow(number, None, problem, 0)
        elif header is None:
            header = fields
            if SURROGATE.search(text):
                raise UnreadableInputError(
                    f"line {number}, the header, is not UTF-8; convert the file, as from Windows-1252: "
                    "iconv -f WINDOWS-1252 -t UTF-8 FILE"
                )
            if repeated := repeated_name(header, used):
                raise UnreadableInputError(repeated)
        elif any(fields[len(header) :]) or any(header[len(fields) :]):
            count = f"{len(fields)} field{'s'[: len(fields) != 1]}"
            yield ParsedRow(number, None, f"the row has {count}, the header {len(header)}", 0)
        else:
            named = dict(zip(header, fields, strict=False))
            yield ParsedRow(number, named, NOT_UTF8 if not text.isascii() and has_surrogate(named) else "", len(text))


class RawRow(NamedTuple):
    """A row, or the header.

    Attributes:
        number: of the line in which it begins, from 1.
        text: the row with its line ends; lone surrogates stand for bytes that are not UTF-8.
        fields: its fields; none if it is not CSV.
        problem: why it is not CSV; else empty.
    """

    number: int
    text: str
    fields: list[str]
    problem: str


def raw_rows(file: BinaryIO, wanted: Collection[str], longest: int = 1 << 17) -> Iterator[RawRow]:
    """Yield the header and the rows of a file.

    A line with a quote that is not closed, or with too long a field, is a row of its own: the next begins on the next
    line. A row of several lines has as many fields as the header, which has at most `_HEADER_LINES` lines.

    Args:
        file: the file, in UTF-8.
        wanted: columns by which the delimiter is found.
        longest: maximum number of characters of a field.
    """
    text = io.TextIOWrapper(file, "utf-8-sig", "surrogateescape", newline="")
    ahead: deque[str] = deque()  # lines after one with a quote that is not closed
    number, width, delimiter = 0, None, ","
    before = csv.field_size_limit(longest)  # of all readers of this process
    try:
        while line := ahead.popleft() if ahead else text.readline():
            number += 1
            taken: list[str] = []
            if width is None:
                start = line
                while start.count('"') % 2 and len(ahead) < _HEADER_LINES and (more := text.readline()):
                    ahead.append(more)
                    start += more
                delimiter = csv_header(start, wanted).delimiter
            try:
                fields = next(csv.reader(_taken(line, taken, ahead, text), delimiter=delimiter, strict=True))
                if taken and len(fields) != width and (width or len(taken) > _HEADER_LINES):
                    raise csv.Error("a quote is not closed")
            except csv.Error as error:
                ahead.extendleft(reversed(taken))
                reason = "a quote is not closed" if "unexpected end" in str(error) else error
                yield RawRow(number, line, [], f"{shown(line.rstrip())} is not CSV: {reason}")
                continue
            width = width or len(fields)
            if fields:
                yield RawRow(number, "".join((line, *taken)), fields, "")
            number += len(taken)
    finally:
        csv.field_size_limit(before)
        text.detach()


def _taken(line: str, taken: list[str], ahead: deque[str], text: io.TextIOWrapper) -> Iterator[str]:
    """Yield a line and, as far as they are needed, those after it, which are moved from `ahead` to `taken`."""
    yield line
    while more := ahead.popleft() if ahead else text.readline():
        taken.append(more)
        yield more


def write_csv(file: BinaryIO, columns: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> None:
    """Write a header and rows; bytes of paths that are not UTF-8 stay as they are."""
    text = io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="")
    try:
        writer = csv.writer(text)
        writer.writerow(columns)
        writer.writerows(rows)
    finally:
        text.detach()
