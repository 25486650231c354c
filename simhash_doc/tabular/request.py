"""What to compute for the rows of a tabular file."""

from __future__ import annotations

from dataclasses import dataclass

from simhash_doc.schemes import get_scheme


@dataclass(frozen=True, slots=True)
class Request:
    """The column to fingerprint, and the form of the result.

    Attributes:
        column: Name of the column, or key of the JSON objects, with the texts.
        id_column: Name of the column or key with the ids; None numbers the rows.
        scheme: Short id of the scheme.
        bare: Whether fingerprints are in base32 alone, without the scheme.
    """

    column: str
    id_column: str | None = None
    scheme: str = "sd64"
    bare: bool = False

    @property
    def lanes(self) -> int:
        """Number of 64-bit lanes of a fingerprint."""
        return get_scheme(self.scheme).lanes
