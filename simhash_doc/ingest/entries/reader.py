"""Fingerprints of several files, in any format, combined in one array."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import repeat
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import lanes_from_ints
from simhash_doc.errors import SchemeMismatchError, SpecError, shown
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.entries.bulk import BULK_FORMATS, Lines, ParsedLines, parse_lines
from simhash_doc.ingest.entries.detect import detected
from simhash_doc.ingest.entries.lines import Row, parse_line, unescaped
from simhash_doc.ingest.entries.result import Entries
from simhash_doc.ingest.entries.tables import ParquetBatch, ParquetRows, csv_rows
from simhash_doc.ingest.errors import InvalidProvenanceError, UnreadableInputError, UnreadableLineError
from simhash_doc.ingest.provenance import Provenance, ProvenanceCheck
from simhash_doc.schemes import Scheme, get_scheme

_BLOCK = 1 << 18  # bytes: with what is computed from it, about the size of a core's cache
_ROWS = 1 << 14
_ROW_ERRORS = (UnreadableLineError, SpecError, InvalidProvenanceError)

OnProblem = Callable[[str, str, object], object]


class EntryReader:
    """Reads fingerprints of one scheme from files, one after the other.

    Args:
        scheme: short id of the scheme; None for that of the first fingerprint.
        narrow: take the first lanes of fingerprints that are wider than the scheme, instead of reporting them.
        input_format: one of `FORMATS`, or ``auto`` to detect the format of each file from its content.
        on_error: called for each line or row that cannot be read, with the file name, the position and the error.
        on_warning: called with the first row whose provenance makes distances less reliable, and why.
        combined_with: the provenances of fingerprints with which those of the files are combined.
    """

    def __init__(
        self,
        scheme: str | None = None,
        *,
        narrow: bool = False,
        input_format: str = "auto",
        on_error: OnProblem,
        on_warning: OnProblem = lambda name, place, warning: None,
        combined_with: Iterable[Provenance] = (),
    ) -> None:
        self._scheme = None if scheme is None else get_scheme(scheme)
        self._requested = scheme is not None
        self._narrow, self._input_format = narrow, input_format
        self._on_error, self._on_warning = on_error, on_warning
        self._check = ProvenanceCheck(combined_with)
        self._values: list[npt.NDArray[np.uint64]] = []
        self._names: list[str | None] | None = None
        self._count = self._unreadable = self._skipped = 0
        self._canonical = True
        self._format: str | None = None

    def read(self, name: str, file: BinaryIO) -> None:
        """Read a file; lines and rows that cannot be read are reported and counted.

        Raises:
            OSError: the file cannot be read.
        """
        try:
            line_format, file = detected(file, self._scheme, self._input_format)
            if line_format is None:
                return
            self._format = self._format or line_format
            if line_format == "csv":
                self._take_rows(name, "line", csv_rows(file))
            elif line_format == "parquet":
                self._take_parquet(name, ParquetRows(file))
            else:
                self._take_lines(name, line_format, file)
        except UnreadableInputError as error:
            self._report(name, "", error)

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
            tuple(self._check.known),
        )

    def _take_lines(self, name: str, line_format: str, file: BinaryIO) -> None:
        before = 0
        for block in _blocks(file):
            lines = Lines.of(block)
            if line_format in BULK_FORMATS:
                self._take_bulk(name, line_format, lines, before)
            else:
                texts = ((number, lines.text(number - 1)) for number in range(1, len(lines) + 1))
                rows = ((before + number, self._row(text, line_format)) for number, text in texts if text)
                self._take_rows(name, "line", rows)
            before += len(lines)

    def _take_bulk(self, name: str, line_format: str, lines: Lines, before: int) -> None:
        """Read lines of digits: those of the scheme of the first as arrays, all others one by one."""
        scheme = next((row.fingerprint.scheme for row in self._rows(lines, line_format) if row.fingerprint), None)
        if scheme is None or not self._fits(scheme):
            values, read = np.zeros((len(lines), 1), np.uint64), np.zeros(len(lines), np.bool_)
            names: list[str | None] = [None] * len(lines)
        else:
            parsed = parse_lines(lines, line_format, scheme)
            self._canonical &= parsed.canonical
            self._scheme = self._scheme or scheme
            values, read = parsed.values[:, : self._scheme.lanes], parsed.read
            names = _paths(lines, parsed) if line_format == "text" else [None] * len(lines)
        others = []
        for at in np.flatnonzero(~read).tolist():
            if not (text := lines.text(at)):
                continue
            row = self._row(text, line_format)
            fingerprint = self._accepted(name, f"line {before + at + 1}", row, text if line_format != "text" else "")
            if fingerprint and isinstance(row, Row):
                read[at], names[at] = True, row.name
                others.append((at, fingerprint))
        if others:
            assert self._scheme is not None
            values = (
                values
                if values.shape[1] == self._scheme.lanes
                else np.zeros((len(lines), self._scheme.lanes), np.uint64)
            )
            values[[at for at, _ in others]] = lanes_from_ints([one.value for _, one in others], self._scheme.lanes)
        self._add(
            values[read], [names[at] for at in np.flatnonzero(read).tolist()] if line_format == "text" else repeat(None)
        )

    def _rows(self, lines: Lines, line_format: str) -> Iterator[Row]:
        for at in range(len(lines)):
            row = self._row(lines.text(at), line_format)
            if isinstance(row, Row):
                yield row

    def _row(self, text: str, line_format: str) -> Row | UnreadableLineError | SpecError:
        try:
            return parse_line(text, line_format, self._scheme)
        except (UnreadableLineError, SpecError) as error:
            return error

    def _take_rows(
        self, name: str, unit: str, rows: Iterable[tuple[int, Row | UnreadableLineError | SpecError]]
    ) -> None:
        values: list[int] = []
        names: list[str | None] = []
        for number, row in rows:
            fingerprint = self._accepted(name, f"{unit} {number}", row)
            if fingerprint and isinstance(row, Row):
                values.append(fingerprint.value)
                names.append(row.name)
            if len(values) == _ROWS:
                self._add_ints(values, names)
                values, names = [], []
        self._add_ints(values, names)

    def _take_parquet(self, name: str, rows: ParquetRows) -> None:
        checked = False
        number = 0
        for batch in rows.batches():
            if not isinstance(batch, ParquetBatch):
                self._take_rows(name, "row", batch)
                number += len(batch)
                continue
            try:
                scheme = self._common(batch.scheme, "the fingerprints are")
                if rows.provenance and not checked:
                    self._warn(name, f"row {number + 1}", _narrowed(rows.provenance, batch.scheme, scheme))
                    checked = True
            except _ROW_ERRORS as error:
                raise UnreadableInputError(str(error)) from error
            self._skipped += batch.rows - len(batch.values)
            self._add(batch.values[:, : scheme.lanes], batch.names or repeat(None, len(batch.values)))
            number += batch.rows

    def _accepted(
        self, name: str, place: str, row: Row | UnreadableLineError | SpecError, text: str = ""
    ) -> Fingerprint | None:
        """Return the fingerprint of a row in the scheme of all; None for a row that is skipped or reported."""
        try:
            if not isinstance(row, Row):
                raise row
            if row.fingerprint is None:
                self._skipped += 1
                return None
            own = row.fingerprint.scheme
            provenance = self._check.parse(row.provenance, own.id, canonical=row.fingerprint.canonical)
            scheme = self._scheme if own is self._scheme else None
            scheme = scheme or self._common(own, f"{shown(text or str(row.fingerprint))} is")
            self._warn(name, place, provenance and _narrowed(provenance, own, scheme))
        except _ROW_ERRORS as error:
            self._report(name, place, error)
            return None
        self._canonical &= row.fingerprint.canonical
        return row.fingerprint if own is scheme else row.fingerprint.narrow(scheme.id)

    def _fits(self, scheme: Scheme) -> bool:
        expected = self._scheme
        return expected is None or scheme is expected or (self._narrow and scheme.bits > expected.bits)

    def _common(self, scheme: Scheme, what: str) -> Scheme:
        """Return the scheme of all fingerprints, to which one of `scheme` can be narrowed."""
        if self._fits(scheme):
            self._scheme = self._scheme or scheme
            return self._scheme
        assert self._scheme is not None
        expected = self._scheme.id
        if self._narrow:
            raise UnreadableLineError(f"{what} of scheme {scheme.id}, which is narrower than {expected}")
        relation = f"not {expected}" if self._requested else f"the others of {expected}"
        raise UnreadableLineError(
            f"{what} of scheme {scheme.id}, {relation}: fingerprints of different schemes cannot be compared"
        )

    def _warn(self, name: str, place: str, provenance: Provenance | None) -> None:
        try:
            warning = self._check.add(provenance)
        except SchemeMismatchError as error:
            raise UnreadableLineError(str(error)) from error
        if warning:
            self._on_warning(name, place, warning)

    def _report(self, name: str, place: str, error: object) -> None:
        self._unreadable += 1
        self._on_error(name, place, error)

    def _add_ints(self, values: list[int], names: list[str | None]) -> None:
        if values and self._scheme:
            self._add(lanes_from_ints(values, self._scheme.lanes), names)

    def _add(self, values: npt.NDArray[np.uint64], names: Iterable[str | None]) -> None:
        if not len(values):
            return
        self._values.append(values)
        listed = None if isinstance(names, repeat) else list(names)
        if self._names is None and listed and any(name is not None for name in listed):
            self._names = [None] * self._count
        if self._names is not None:
            self._names += listed or [None] * len(values)
        self._count += len(values)


def _paths(lines: Lines, parsed: ParsedLines) -> list[str | None]:
    """Return the paths of lines; one that is empty makes its line unread, so that it is reported."""
    starts = parsed.paths.tolist()
    paths = [unescaped(text[start:]) if start else None for text, start in zip(lines.texts(), starts, strict=True)]
    parsed.read[[at for at, path in enumerate(paths) if path == ""]] = False
    return list(paths)


def _narrowed(provenance: Provenance, own: Scheme, scheme: Scheme) -> Provenance:
    return provenance if own is scheme else replace(provenance, scheme=scheme.id)


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    """Yield a text in blocks that end with a line end, or where the text ends."""
    rest = b""
    first = True
    while data := file.read(_BLOCK):
        if first and data.startswith(b"\xef\xbb\xbf"):
            data = data[3:]
        first = False
        complete, newline, after = (rest + data).rpartition(b"\n")
        if newline:
            yield complete + newline
        rest = after
    if rest:
        yield rest
