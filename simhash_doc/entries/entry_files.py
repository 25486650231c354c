"""Fingerprints of files in every format that a command writes: text lines, JSON lines, CSV and Parquet."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from types import NoneType
from typing import Any, BinaryIO, Literal

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import Lanes, ints_from_lanes, lanes_from_ints
from simhash_doc.entries import UnreadableInputError, UnreadableLineError
from simhash_doc.entries.digits import decode_digits
from simhash_doc.entries.entry import Entry, EntryId, EntryOrError, EntryRows
from simhash_doc.entries.formats import detected, entries_of
from simhash_doc.entries.line_formats import Lines
from simhash_doc.errors import SpecError, shown
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.provenance import MIXED, InvalidProvenanceError, Provenance, ProvenanceCheck
from simhash_doc.schemes import Scheme, get_scheme
from simhash_doc.thresholds import LEAST_SUPPORT

_ROW_ERRORS = (UnreadableLineError, SpecError, InvalidProvenanceError)


IdForm = Literal["typed", "plain", "stored"]
OnProblem = Callable[[str, object], object]
"""Called with a place in a file, empty for all of it, and the problem."""


@dataclass(frozen=True, slots=True)
class Entries:
    """Fingerprints of one scheme, read from files.

    Attributes:
        values: the fingerprints, shape (n, lanes).
        scheme: their scheme.
        format: the format of the first of them, one of `FORMATS`.
        names: the path or id of each fingerprint, None for one without; None if all are without.
        id_types: the different Arrow types of names in Parquet files, and None for names of other files.
        canonical: False if one of them is customized.
        marks: the different values of `canonical` of the fingerprints and of those with which they are combined.
        unreadable: number of lines or rows that were reported and left out.
        skipped: number of rows without a fingerprint, such as those of documents without words.
        weak: number of rows with less support than requested, which were left out; without a request, of the rows with
            less than `LEAST_SUPPORT`.
        unknown: number of rows without a support, if one was requested.
        provenances: the different provenances of the fingerprints, as far as the rows have them.
        gaps: for each row of the input that has no fingerprint here, how many with one are before it; ascending.
        others: the schemes of fingerprints that were reported and left out, because they are not of that of all.
    """

    values: Lanes
    scheme: Scheme
    format: str
    names: list[EntryId] | None
    canonical: bool
    unreadable: int
    skipped: int
    weak: int = 0
    unknown: int = 0
    provenances: tuple[Provenance, ...] = ()
    gaps: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    others: frozenset[str] = frozenset()
    id_types: frozenset[object] = frozenset()
    marks: frozenset[bool] = frozenset()

    def fingerprint(self, value: int) -> Fingerprint:
        """Return one of the values as a fingerprint."""
        return Fingerprint(value, self.scheme, canonical=self.canonical)

    def render(self, value: int) -> int | str:
        """Return a fingerprint in the form in which it was read; for rows with other columns in its text form."""
        return render(self.fingerprint(value), self.format)

    def value(self, at: int) -> int:
        """Return the fingerprint at a position as an unsigned integer."""
        return ints_from_lanes(self.values[at : at + 1])[0]

    def position(self, at: int) -> int:
        """Return the position of a fingerprint among all rows of the input, from 0; blank lines are no rows."""
        return at + int(np.searchsorted(self.gaps, at, "right"))

    def label(self, at: int) -> EntryId:
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
        min_support: rows with a smaller support are left out, and counted; rows that do not tell it stay. With 0, the
            rows under `LEAST_SUPPORT` are counted; with None, nothing is.
        ids: keep the types of Parquet (``typed``), give ids as JSON can hold them (``plain``), or accept no ids but
            texts and integers, which an index can hold (``stored``).
    """

    def __init__(
        self,
        scheme: str | None = None,
        *,
        narrow: bool = False,
        input_format: str = "auto",
        on_read: Callable[[int], object] = lambda count: None,
        combined_with: Iterable[Provenance] = (),
        min_support: float | None = None,
        ids: IdForm = "typed",
    ) -> None:
        self._scheme = None if scheme is None else get_scheme(scheme)
        self._requested = scheme is not None
        self._narrow, self._input_format = narrow, input_format
        self._on_read = on_read
        self._check = ProvenanceCheck(combined_with)
        self._values: list[Lanes] = []
        self._names: list[EntryId] | None = None
        self._gaps: list[npt.NDArray[np.int64]] = []
        self._id_types: set[object] = set()
        self._ids = ids
        self._count = self._unreadable = self._skipped = self._weak = self._unknown = 0
        self._min_support = min_support
        self._canonical = True
        self._marks = {one.customization is None for one in self._check.known}
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
            for block in entries_of(file, line_format, plain_ids=self._ids == "plain"):
                self._take(block)
        except UnreadableInputError as error:
            self._report("", error)

    def entries(self) -> Entries:
        """Return the entries of all files."""
        scheme = self._scheme or get_scheme("sd64")
        values = np.concatenate([np.empty((0, scheme.lanes), np.uint64), *self._values])
        return Entries(
            values,
            scheme,
            self._format or "base32",
            self._names,
            self._canonical,
            self._unreadable,
            self._skipped,
            self._weak,
            self._unknown,
            tuple(self._check.known),
            np.concatenate([np.empty(0, np.int64), *self._gaps]),
            frozenset(self._others),
            frozenset(self._id_types),
            frozenset(self._marks),
        )

    def _take(self, block: Lines | EntryRows) -> None:
        """Take the rows of a block: one by one up to the first fingerprint, and those like it as arrays."""
        count = len(block.numbers)
        kind = None if self._ids == "plain" else getattr(block, "id_type", None)
        if kind is not None:  # also if no row is taken
            self._id_types.add(kind)
        taken: dict[int, tuple[int, EntryId]] = {}
        start, own = 0, None
        while start < count and own is None:
            own = self._take_row(block, start, taken)
            start += 1
        if own is None or self._scheme is None:
            self._add_gaps(block, np.zeros(count, np.bool_))
            return
        texts, names, supports = block.plain(own)
        texts[:start] = [""] * start
        digits = decode_digits(texts, block.form, own)
        for canonical, first in zip(*np.unique(digits.canonical, return_index=True), strict=True):
            if warning := self._mark(bool(canonical)):
                self._on_warning(f"{block.unit} {block.numbers[digits.places[first]]}", warning)
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
        if self._min_support is not None:
            read &= self._has_support(block, supports, read)
        self._add_gaps(block, read)
        names = names if read.all() else [names[at] for at in np.flatnonzero(read).tolist()]
        if names.count(None) < len(names):
            self._check_ids(names)
            self._id_types.add(kind)
        self._add(values[read], names)

    def _add_gaps(self, block: Lines | EntryRows, read: npt.NDArray[np.bool_]) -> None:
        """Note where rows without a fingerprint are, which is False in `read`, shape (n,)."""
        before = self._count + np.cumsum(read)
        rows = [at for at in np.flatnonzero(~read).tolist() if not block.is_blank(at)]
        self._gaps.append(before[rows])

    def _has_support(
        self, block: Lines | EntryRows, supports: list[Any], read: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.bool_]:
        """Return which rows have the support that was requested, shape (n,); count those that were read.

        A row whose support is not a number is reported, and has not.
        """
        known, wrong = np.full(len(read), np.nan), np.zeros_like(read)
        for at in np.flatnonzero(read).tolist():
            try:
                known[at] = _support(supports[at])
            except UnreadableLineError as error:
                self._report(f"{block.unit} {block.numbers[at]}", error)
                wrong[at] = True
        read = read & ~wrong
        weak = known < (self._min_support or LEAST_SUPPORT)  # never where it is not known, which is NaN
        self._weak += int((weak & read).sum())
        if not self._min_support:
            return ~wrong
        self._unknown += int((np.isnan(known) & read).sum())
        return ~(weak | wrong)

    def _check_ids(self, names: list[EntryId]) -> None:
        """Refuse a file whose column of ids has a type that an index cannot hold."""
        if self._ids == "stored" and any(map(_wrong_type, names)):
            raise UnreadableInputError(
                f"{_wrong_id(next(filter(_wrong_type, names)))}, in SQL with CAST(id AS VARCHAR)"
            )

    def _take_row(self, block: Lines | EntryRows, at: int, taken: dict[int, tuple[int, EntryId]]) -> Scheme | None:
        """Take the fingerprint and the name of a row by its index; return the scheme of a row that is accepted."""
        row = block.entry(at, self._scheme)
        if self._ids == "stored" and isinstance(block, Lines) and isinstance(row, Entry) and _wrong_type(row.name):
            row = UnreadableLineError(_wrong_id(row.name))  # a line has its own type; a column has one for all rows
        fingerprint = row and self._accepted(f"{block.unit} {block.numbers[at]}", row)
        if not fingerprint or not isinstance(row, Entry) or row.fingerprint is None:
            return None
        taken[at] = fingerprint.value, row.name
        return row.fingerprint.scheme

    def _accepted(self, place: str, row: EntryOrError) -> Fingerprint | None:
        """Return the fingerprint of a row in the scheme of all; None for a row that is skipped or reported."""
        try:
            if not isinstance(row, Entry):
                raise row
            if row.fingerprint is None:
                self._skipped += 1
                return None
            own = row.fingerprint.scheme
            provenance = self._check.parse(row.provenance, own.id, canonical=row.fingerprint.canonical)
            scheme = self._common(own, row.fingerprint)
            if provenance and own is not scheme:
                provenance = replace(provenance, scheme=scheme.id)
            mixed = self._mark(row.fingerprint.canonical)
            if warning := self._check.add(provenance) or mixed:
                self._on_warning(place, warning)
        except _ROW_ERRORS as error:
            self._report(place, error)
            return None
        return row.fingerprint if own is scheme else row.fingerprint.narrow(scheme.id)

    def _mark(self, canonical: bool) -> str | None:
        """Add whether a fingerprint is canonical; return a warning if it is the first that differs in this."""
        differs = bool(self._marks) and canonical not in self._marks
        self._marks.add(canonical)
        self._canonical &= canonical
        return MIXED if differs else None

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

    def _add(self, values: Lanes, names: list[EntryId]) -> None:
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


def _wrong_type(name: EntryId) -> bool:
    return type(name) not in (str, int, NoneType)


def _wrong_id(name: EntryId) -> str:
    return (
        f"the id {shown(str(name))} is of type {type(name).__name__}; an index holds texts and integers: "
        "write the ids as text"
    )


def _support(value: Any) -> float:
    """Return the support of a row; NaN if it has none.

    Raises:
        UnreadableLineError: it is not a number.
    """
    if value is None or value == "":
        return math.nan
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):  # an integer of JSON has any number of digits
        raise UnreadableLineError(f"the support {shown(str(value))} is not a number") from None
