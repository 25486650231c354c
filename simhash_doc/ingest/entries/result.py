"""Fingerprints of one scheme, as they were read."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.provenance import Provenance
from simhash_doc.schemes import Scheme


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
        provenances: the different provenances of the fingerprints, as far as the rows have them.
    """

    values: npt.NDArray[np.uint64]
    scheme: Scheme
    format: str
    names: list[str | None] | None
    canonical: bool
    unreadable: int
    skipped: int
    provenances: tuple[Provenance, ...] = ()

    def fingerprint(self, value: int) -> Fingerprint:
        """Return one of the values as a fingerprint."""
        return Fingerprint(value, self.scheme.id, self.canonical)

    def render(self, value: int, *, bare: bool = False) -> int | str:
        """Return a fingerprint in the form in which it was read; for rows with other columns in its text form.

        Args:
            bare: base32 without the scheme.
        """
        return render(self.fingerprint(value), self.format, bare=bare)

    def value(self, at: int) -> int:
        """Return the fingerprint at a position as an unsigned integer."""
        total = 0
        for lane in np.atleast_1d(self.values[at]).tolist():
            total = total << 64 | lane
        return total

    def label(self, at: int, *, bare: bool = False) -> int | str:
        """Return the path or id of the fingerprint at a position, or else the fingerprint."""
        name = self.names[at] if self.names else None
        return self.render(self.value(at), bare=bare) if name is None else name


def render(fingerprint: Fingerprint, line_format: str, *, bare: bool = False) -> int | str:
    """Return a fingerprint as a number if the format is decimal, as digits if it is hex, else in its text form."""
    if line_format == "decimal":
        return fingerprint.value
    if line_format == "hex":
        return fingerprint.hex
    return fingerprint.base32 if bare else str(fingerprint)
