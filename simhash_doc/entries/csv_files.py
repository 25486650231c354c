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
LONGEST_ROW = 1 << 29  # characters, and what Python needs for each line and each field
_LINE_OVERHEAD, _FIELD_OVERHEAD = 100, 8
_LONG = 1 << 16  # characters of a line whose fields are counted
_UNEXPECTED_END = "unexpected end"  # in the message of `csv`
_NOT_CLOSED = "a quote is not closed"


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
    name_key, header = "path", list[str]()
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
                fields, header = row.fields, list(row.fields)
                name_key = next((one for one in NAME_COLUMNS if one in fields), name_key)
            keys = (FINGERPRINT_COLUMNS, NAME_COLUMNS, ("scheme",), ("support",))
            for column, names in zip(columns, keys, strict=True):
                column.append(next((fields[name] for name in names if fields.get(name)), None))
        yield EntryRows("line", [row.number for row in part], columns, errors, name_key=name_key, names=header)


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
        elif any(islice(fields, len(header), None)) or any(islice(header, len(fields), None)):
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
    lines = _Lines(text)
    number, width, delimiter = 0, None, ","
    before = csv.field_size_limit(longest)  # of all readers of this process
    try:
        while line := lines.take():
            number += 1
            try:
                if width is None:
                    header = lines.header(line)
                    _check_size(header)
                    delimiter = csv_header(header, wanted).delimiter
                fields, taken = lines.row(line, delimiter, width)
            except csv.Error as error:
                yield RawRow(number, line, [], f"{shown(line.rstrip())} is not CSV: {error}")
                if width is None:
                    return
                continue
            width = width or len(fields)
            if fields:
                yield RawRow(number, "".join((line, *taken)), fields, "")
            number += len(taken)
    finally:
        csv.field_size_limit(before)
        text.detach()


class _Ahead(NamedTuple):
    """A line after one with a quote that is not closed.

    Attributes:
        text: the line.
        rest: how a row ends that is in quotes where this line begins: the number of its fields from here on, or why
            it is not CSV; None if nobody has read so far.
    """

    text: str
    rest: int | str | None


class _Lines:
    """The lines of a file; those after a quote that is not closed are given back.

    How a row goes on that is in quotes where a line begins does not depend on the lines before. It is noted of each
    line that is given back: otherwise many quotes that are not closed would take quadratic time.
    """

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._text = text
        self._ahead: deque[_Ahead] = deque()

    def take(self) -> str:
        """Return the next line; empty at the end."""
        return self._ahead.popleft().text if self._ahead else self._text.readline()

    def header(self, line: str) -> str:
        """Return the first line with those that may belong to it, which are not taken."""
        while line.count('"') % 2 and len(self._ahead) < _HEADER_LINES and (more := self._text.readline()):
            self._ahead.append(_Ahead(more, None))
            line += more
        return line

    def row(self, line: str, delimiter: str, width: int | None) -> tuple[list[str], list[str]]:
        """Return the fields of the row that begins with a line, and the lines that it takes.

        Args:
            width: the number of its fields; None for the header.

        Raises:
            csv.Error: it is not CSV; no line is taken.
        """
        if problem := self._known_problem(line, delimiter, width):
            raise csv.Error(problem)
        taken: list[str] = []
        try:
            fields = next(csv.reader(self._taken(line, taken), delimiter=delimiter, strict=True))
        except csv.Error as error:
            reason = _NOT_CLOSED if _UNEXPECTED_END in str(error) else str(error)
            self._give_back(taken, delimiter, reason)
            raise csv.Error(reason) from error
        if taken and len(fields) != width and (width or len(taken) > _HEADER_LINES):
            self._give_back(taken, delimiter, 1)
            raise csv.Error(_NOT_CLOSED)
        return fields, taken

    def _known_problem(self, line: str, delimiter: str, width: int | None) -> str:
        """Return why a row is not CSV, if that follows from what is noted of the next line; else nothing."""
        rest = self._ahead[0].rest if self._ahead else None
        if rest is None or '"' not in line:
            return ""
        try:
            next(csv.reader([line], delimiter=delimiter, strict=True))
            return ""
        except csv.Error as error:
            if _UNEXPECTED_END not in str(error):
                return ""
        if isinstance(rest, str):
            return rest
        return "" if _count_fields(line, delimiter) - 1 + rest == width else _NOT_CLOSED

    def _taken(self, line: str, taken: list[str]) -> Iterator[str]:
        """Yield a line and, as far as they are needed, those after it, which are added to `taken`."""
        size = _check_size(line) if len(line) > _LONG else len(line)
        yield line
        while more := self.take():
            taken.append(more)
            size += _check_size(more, size)
            yield more

    def _give_back(self, taken: list[str], delimiter: str, rest: int | str) -> None:
        """Give back the lines of a row, and note how it goes on at each: to 1, the last field, or to a problem."""
        for text in reversed(taken):
            if isinstance(rest, int):
                rest += _count_fields(f'"{text}', delimiter) - 1
            self._ahead.appendleft(_Ahead(text, rest))


def _check_size(line: str, before: int = 0) -> int:
    """Return the size of one line of a row in bytes; `before` is the size of its earlier lines.

    Raises:
        csv.Error: the row takes too many.
    """
    size = len(line) + _LINE_OVERHEAD + _FIELD_OVERHEAD * max(map(line.count, _DELIMITERS))
    if before + size > LONGEST_ROW:
        raise csv.Error(f"a row takes over {LONGEST_ROW >> 20:,} MiB")
    return size


def _count_fields(line: str, delimiter: str) -> int:
    """Return the number of fields of a line, whose last quote may not be closed."""
    return len(next(csv.reader([line], delimiter=delimiter)))


def write_csv(file: BinaryIO, columns: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> None:
    """Write a header and rows; bytes of paths that are not UTF-8 stay as they are."""
    text = io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="")
    try:
        writer = csv.writer(text)
        writer.writerow(columns)
        writer.writerows(rows)
    finally:
        text.detach()
