"""Fingerprints of files in every format that a command writes: text lines, JSON lines, CSV and Parquet."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import lanes_from_ints
from simhash_doc.entries.csv_and_parquet import COLUMNS, OTHER_DELIMITERS, TableRows, table_rows
from simhash_doc.entries.text_forms import (
    LINE_FORMATS,
    EntryOrError,
    ParsedEntry,
    UnreadableInputError,
    UnreadableLineError,
    decode,
    detect_line_format,
    fits,
    looks_like_utf16,
    parse_line,
    parse_object,
    support_of,
    texts_of,
    unescaped,
)
from simhash_doc.errors import SpecError, shown
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.provenance import InvalidProvenanceError, Provenance, ProvenanceCheck
from simhash_doc.schemes import Scheme, get_scheme

_HEAD = 1 << 16
_SAMPLE_LINES = 1000
PARQUET_MAGIC = b"PAR1"
_SPACES = [chr(code) for code in range(128) if chr(code).isspace() and chr(code) != "\n"]
_BLOCK = 1 << 18  # bytes: with what is computed from it, about the size of a core's cache
# A line that is meant as a fingerprint, and is reported if it is not one.
_ATTEMPT = re.compile(r"sd[0-9]+(\+custom)?:|[0-9a-fA-FxX-]+\Z|\{.*\"(fingerprint|slices|id|path)\"", re.ASCII)
_BINARY = "it is binary or UTF-16; expected UTF-8 lines with fingerprints, or a Parquet file"
_ROW_ERRORS = (UnreadableLineError, SpecError, InvalidProvenanceError)


OnProblem = Callable[[str, object], object]
"""Called with a place in a file, empty for all of it, and the problem."""


@dataclass(frozen=True, slots=True)
class Entries:
    """Fingerprints of one scheme, read from files.

    Attributes:
        values: the fingerprints, shape (n,), or (n, lanes) over 64 bits, uint64.
        scheme: their scheme.
        format: the format of the first of them, one of `FORMATS`.
        names: the path or id of each fingerprint, None for one without; None if all are without.
        canonical: False if one of them is customized.
        unreadable: number of lines or rows that were reported and left out.
        skipped: number of rows without a fingerprint, such as those of documents without words.
        weak: number of rows with less support than requested, which were left out.
        provenances: the different provenances of the fingerprints, as far as the rows have them.
        others: the schemes of fingerprints that were reported and left out, because they are not of that of all.
    """

    values: npt.NDArray[np.uint64]
    scheme: Scheme
    format: str
    names: list[str | None] | None
    canonical: bool
    unreadable: int
    skipped: int
    weak: int = 0
    provenances: tuple[Provenance, ...] = ()
    others: frozenset[str] = frozenset()

    def fingerprint(self, value: int) -> Fingerprint:
        """Return one of the values as a fingerprint."""
        return Fingerprint(value, self.scheme.id, self.canonical)

    def render(self, value: int) -> int | str:
        """Return a fingerprint in the form in which it was read; for rows with other columns in its text form."""
        return render(self.fingerprint(value), self.format)

    def value(self, at: int) -> int:
        """Return the fingerprint at a position as an unsigned integer."""
        total = 0
        for lane in np.atleast_1d(self.values[at]).tolist():
            total = total << 64 | lane
        return total

    def label(self, at: int) -> int | str:
        """Return the path or id of the fingerprint at a position, or else the fingerprint."""
        name = self.names[at] if self.names else None
        return self.render(self.value(at)) if name is None else name


def render(fingerprint: Fingerprint, line_format: str) -> int | str:
    """Return a fingerprint as a number if the format is decimal, as digits if it is hex, else in its text form."""
    if line_format == "decimal":
        return fingerprint.value
    if line_format == "hex":
        return fingerprint.hex
    return str(fingerprint)


class EntryReader:
    """Reads fingerprints of one scheme from files, one after the other.

    Args:
        scheme: short id of the scheme; None for that of the first fingerprint.
        narrow: take the first lanes of fingerprints that are wider than the scheme, instead of reporting them.
        input_format: one of `FORMATS`, or ``auto`` to detect the format of each file from its content.
        on_read: called with a number of fingerprints that were read.
        combined_with: the provenances of fingerprints with which those of the files are combined.
        min_support: rows with a smaller support are left out, and counted; rows that do not tell it stay.
    """

    def __init__(
        self,
        scheme: str | None = None,
        *,
        narrow: bool = False,
        input_format: str = "auto",
        on_read: Callable[[int], object] = lambda count: None,
        combined_with: Iterable[Provenance] = (),
        min_support: float = 0.0,
    ) -> None:
        self._scheme = None if scheme is None else get_scheme(scheme)
        self._requested = scheme is not None
        self._narrow, self._input_format = narrow, input_format
        self._on_read = on_read
        self._check = ProvenanceCheck(combined_with)
        self._values: list[npt.NDArray[np.uint64]] = []
        self._names: list[str | None] | None = None
        self._count = self._unreadable = self._skipped = self._weak = 0
        self._min_support = min_support
        self._canonical = True
        self._format: str | None = None
        self._others: set[str] = set()

    def read(self, file: BinaryIO, on_error: OnProblem, on_warning: OnProblem = lambda place, warning: None) -> None:
        """Read a file.

        Args:
            file: the file, or a stream.
            on_error: called for each line or row that cannot be read; they are counted, too.
            on_warning: called with the first row whose provenance makes distances less reliable, and why.

        Raises:
            OSError: the file cannot be read.
        """
        self._on_error, self._on_warning = on_error, on_warning
        try:
            line_format, file = detected(file, self._scheme, self._input_format)
            if line_format is None:
                return
            self._format = self._format or line_format
            in_blocks = table_rows if line_format in ("csv", "parquet") else _line_blocks
            for block in in_blocks(file, line_format):
                self._take(block)
        except UnreadableInputError as error:
            self._report("", error)

    def entries(self) -> Entries:
        """Return the entries of all files."""
        scheme = self._scheme or get_scheme("sd64")
        values = np.concatenate([np.empty((0, scheme.lanes), np.uint64), *self._values])
        return Entries(
            values[:, 0] if scheme.lanes == 1 else values,
            scheme,
            self._format or "base32",
            self._names,
            self._canonical,
            self._unreadable,
            self._skipped,
            self._weak,
            tuple(self._check.known),
            frozenset(self._others),
        )

    def _take(self, block: _Lines | TableRows) -> None:
        """Take the rows of a block: one by one up to the first fingerprint, and those like it as arrays."""
        count = len(block.numbers)
        taken: dict[int, tuple[int, str | None]] = {}
        start, own = 0, None
        while start < count and own is None:
            own = self._take_row(block, start, taken)
            start += 1
        if own is None or self._scheme is None:
            return
        texts, names, supports = block.plain(own)
        texts[:start] = [""] * start
        digits = decode(texts, block.form, own)
        self._canonical &= digits.canonical
        read = np.zeros(count, np.bool_)
        read[digits.places] = True
        for at in np.flatnonzero(~read[start:]).tolist():
            self._take_row(block, start + at, taken)
        values = np.zeros((count, self._scheme.lanes), np.uint64)
        values[digits.places] = digits.values[:, : self._scheme.lanes]
        if taken:
            values[[*taken]] = lanes_from_ints([value for value, _ in taken.values()], self._scheme.lanes)
            read[[*taken]] = True
        for at, (_, one) in taken.items():
            names[at] = one
        if self._min_support:
            known = (support_of({"support": one}) for one in supports)
            weak = read & np.array([one is not None and one < self._min_support for one in known], np.bool_)
            self._weak += int(weak.sum())
            read &= ~weak
        self._add(values[read], names if read.all() else [names[at] for at in np.flatnonzero(read).tolist()])

    def _take_row(self, block: _Lines | TableRows, at: int, taken: dict[int, tuple[int, str | None]]) -> Scheme | None:
        """Take the fingerprint and the name of a row by its index; return the scheme of a row that is accepted."""
        row = block.row(at, self._scheme)
        fingerprint = row and self._accepted(f"{block.unit} {block.numbers[at]}", row)
        if not fingerprint or not isinstance(row, ParsedEntry) or row.fingerprint is None:
            return None
        taken[at] = fingerprint.value, row.name
        return row.fingerprint.scheme

    def _accepted(self, place: str, row: EntryOrError) -> Fingerprint | None:
        """Return the fingerprint of a row in the scheme of all; None for a row that is skipped or reported."""
        try:
            if not isinstance(row, ParsedEntry):
                raise row
            if row.fingerprint is None:
                self._skipped += 1
                return None
            own = row.fingerprint.scheme
            provenance = self._check.parse(row.provenance, own.id, canonical=row.fingerprint.canonical)
            scheme = self._common(own, row.fingerprint)
            if provenance and own is not scheme:
                provenance = replace(provenance, scheme=scheme.id)
            if warning := self._check.add(provenance):
                self._on_warning(place, warning)
        except _ROW_ERRORS as error:
            self._report(place, error)
            return None
        self._canonical &= row.fingerprint.canonical
        return row.fingerprint if own is scheme else row.fingerprint.narrow(scheme.id)

    def _common(self, own: Scheme, fingerprint: Fingerprint) -> Scheme:
        """Return the scheme of all fingerprints, to which one of the scheme `own` can be narrowed."""
        expected = self._scheme = self._scheme or own
        if own is expected or (self._narrow and own.bits > expected.bits):
            return expected
        self._others.add(own.id)
        if self._narrow:
            relation = f"which is narrower than {expected.id}"
        else:
            relation = f"not {expected.id}" if self._requested else f"the others of {expected.id}"
            relation += ": fingerprints of different schemes cannot be compared"
        raise UnreadableLineError(f"{shown(str(fingerprint))} is of scheme {own.id}, {relation}")

    def _report(self, place: str, error: object) -> None:
        self._unreadable += 1
        self._on_error(place, error)

    def _add(self, values: npt.NDArray[np.uint64], names: list[str | None]) -> None:
        """Add fingerprints of the scheme of all, with their names if they have any."""
        if not len(values):
            return
        self._values.append(values)
        if self._names is None and names.count(None) < len(names):
            self._names = [None] * self._count
        if self._names is not None:
            self._names += names
        self._count += len(values)
        self._on_read(len(values))


class _Lines:
    """Some lines of a format of `LINE_FORMATS`, without white space at their ends, in the form of `TableRows`."""

    unit = "line"

    def __init__(self, lines: list[str], before: int, line_format: str) -> None:
        self.numbers = range(before + 1, before + 1 + len(lines))
        self.form = line_format if line_format in ("decimal", "hex") else "base32"
        self._lines, self._format = lines, line_format

    def row(self, at: int, scheme: Scheme | None) -> EntryOrError | None:
        """Return the content of the line at an index, or why it cannot be read; None for a blank line."""
        text = self._lines[at]
        return _parsed(text, self._format, scheme) if text else None

    def plain(self, scheme: Scheme) -> tuple[list[str], list[str | None], list[Any]]:
        """Return the digits, names and supports of the lines; the digits are empty for one with more to check."""
        names: list[str | None] = [None] * len(self._lines)
        supports: list[Any] = [None] * len(self._lines)
        if self._format not in ("text", "json"):
            return [*self._lines], names, supports
        texts = [""] * len(self._lines)
        for at, line in enumerate(self._lines):
            if self._format == "text":
                digits, _, path = line.partition("  ")
                if path:
                    texts[at], names[at] = digits, unescaped(path)
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if type(record) is not dict:
                continue
            supports[at] = record.get("support")
            if "provenance" in record or record.get("scheme") not in (None, scheme.id):
                continue
            text, name = record.get("fingerprint"), record.get("path", record.get("id"))
            name = str(name) if type(name) is int else name
            if type(text) is str and (name is None or type(name) is str):
                texts[at], names[at] = text, name
        return texts, names, supports


def _parsed(text: str, line_format: str, scheme: Scheme | None = None) -> EntryOrError:
    """Return the content of a line, or why it cannot be read."""
    try:
        return parse_line(text, line_format, scheme)
    except (UnreadableLineError, SpecError) as error:
        other = next((one for one in LINE_FORMATS if fits(text, one, scheme)), None)
        if other is None:
            return error
        return UnreadableLineError(
            f"{shown(text)} has the format {other}, but the file is read as {line_format}, because most of its first "
            "lines are or --input-format says so: write all lines in one format"
        )


def _line_blocks(file: BinaryIO, line_format: str) -> Iterator[_Lines]:
    before = 0
    while block := file.read(_BLOCK):
        text = (block + file.readline()).decode("utf-8", "replace")
        lines = text.removesuffix("\n").split("\n")
        if not before:
            lines[0] = lines[0].removeprefix("\ufeff")
        if not text.isascii() or any(space in text for space in _SPACES):
            lines = [line.strip() for line in lines]
        yield _Lines(lines, before, line_format)
        before += len(lines)


def detected(file: BinaryIO, scheme: Scheme | None = None, input_format: str = "auto") -> tuple[str | None, BinaryIO]:
    """Return the format of a file, one of `FORMATS`, and the file at its original position.

    The format of lines is the one that fits most of the first of them: one in 1,800 fingerprints in hexadecimal has
    only decimal digits.

    Args:
        file: a file or a stream.
        scheme: the scheme of digits that do not name one; None to infer it from their number.
        input_format: its format, or ``auto`` to detect it.

    Returns:
        None as the format if there is nothing but white space.

    Raises:
        UnreadableInputError: it is binary, and not a Parquet file, or a table whose delimiter is not a comma.
    """
    head = file.read(_HEAD)
    file = _rewound(file, head)
    if head.startswith(PARQUET_MAGIC) and b"\0" in head and input_format not in ("auto", "parquet"):
        raise UnreadableInputError(f"it is a Parquet file, not {input_format}")
    if input_format != "parquet" and looks_like_utf16(head):
        raise UnreadableInputError(_BINARY)
    if input_format != "auto":
        return input_format, file
    if head.startswith(PARQUET_MAGIC):
        return "parquet", file
    text = head.decode("utf-8-sig", "replace")
    if len(head) == _HEAD:
        text = text.rpartition("\n")[0] or text
    lines = [line for line in (line.strip() for line in text.split("\n")[:_SAMPLE_LINES]) if line]
    if lines and _is_csv_header(lines[0]):
        return "csv", file
    if not lines:
        return None, file
    line_format = detect_line_format(lines, scheme)
    fitting = sum(fits(line, line_format, scheme) for line in lines)
    if not fitting or (line_format == "decimal" and 10 * fitting < len(lines)):  # numbers are in many documents
        _check_is_text(text, lines, fitting)
    return line_format, file


def _check_is_text(text: str, lines: list[str], fitting: int) -> None:
    """Reject a file of which few lines are fingerprints if it is a database, binary or a document."""
    if text.startswith("SQLite format 3\0"):
        raise UnreadableInputError("it is a database; pipe its content: simhash-doc store export --db DATABASE |")
    if "\0" in text:
        raise UnreadableInputError(_BINARY)
    if any(_is_csv_header(lines[0].replace(other, ",")) for other in OTHER_DELIMITERS):
        raise UnreadableInputError(f"the first line is {shown(lines[0])}; the delimiter must be a comma")
    if len(lines) > 1 and fitting >= sum(1 for line in lines if _ATTEMPT.match(line)):
        raise UnreadableInputError(
            f"no line holds a fingerprint, the first is {shown(lines[0])}; `simhash-doc fingerprint` computes the "
            "fingerprints of documents"
        )


def _rewound(file: BinaryIO, head: bytes) -> BinaryIO:
    if file.seekable():
        file.seek(-len(head), io.SEEK_CUR)
        return file
    return io.BufferedReader(_Prefixed(head, file))


class _Prefixed(io.RawIOBase):
    """A stream that returns bytes already read from it, then the rest."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = io.BytesIO(head), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._head.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _is_csv_header(line: str) -> bool:
    try:
        return not {*COLUMNS}.isdisjoint(next(csv.reader([line]), []))
    except csv.Error:
        return False


Record = dict[str, Any]


def read_records(file: BinaryIO) -> Iterator[tuple[int, Record | Exception | None]]:
    """Yield the number and the content of each row of a file, and of each line that is not blank.

    The content is the fields of a JSON object, as the line has it, or else `fingerprint`, and if the row has them
    `provenance`, and `path` or `id`: in a table by the name of the column, in a line `path`. It is None for a row
    without a fingerprint, and an error for one that cannot be read. A JSON object may stand between lines of another
    format, and base32 between JSON objects.

    Args:
        file: fingerprints in any format that `EntryReader` reads.

    Raises:
        UnreadableInputError: raised during iteration; the file cannot be read to its end.
    """
    line_format, file = detected(file)
    if line_format in ("csv", "parquet"):
        for rows in table_rows(file, line_format):
            yield from ((number, _record_of_row(rows.row(at), rows.name_key)) for at, number in enumerate(rows.numbers))
    else:
        for number, text in texts_of(file):
            yield number, _record_of_line(text, line_format or "json")


def _record_of_line(text: str, line_format: str) -> Record | Exception | None:
    try:
        if text.startswith("{"):
            record = parse_object(text)
            return None if record.get("fingerprint", "") is None else record
        if line_format == "json":
            return _record_of_row(parse_line(text, "base32"), "path")
        return _record_of_row(_parsed(text, line_format), "path")
    except (UnreadableLineError, SpecError) as error:
        return UnreadableLineError(f"{shown(text)} is not a JSON object") if line_format == "json" else error


def _record_of_row(row: EntryOrError, name_key: str) -> Record | Exception | None:
    if not isinstance(row, ParsedEntry):
        return row
    if row.fingerprint is None:
        return None
    fields: Record = {"fingerprint": str(row.fingerprint), name_key: row.name, "provenance": row.provenance}
    return {name: value for name, value in fields.items() if value is not None}
