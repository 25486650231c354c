"""Limits on the resources that one document may use."""

from __future__ import annotations

from dataclasses import dataclass

from simhash_doc.extract.errors import ExceededLimit, LimitExceededError, LimitValueError

LARGEST_SIZE = 1 << 50  # bytes
LONGEST_SECONDS = 1_000_000  # some systems cannot wait longer


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on one document. Exceeding one raises `LimitExceededError` (SD-SEC-1).

    The nesting of elements has no setting: libxml2 limits it.

    Attributes:
        input_bytes: size of the document as stored, in bytes.
        expanded_bytes: total size of everything that is decompressed from the document, in bytes.
        pages: number of pages of a PDF.
        seconds: time for one document, in seconds. The readers do not measure time: `simhash_doc.ingest` enforces this
            limit by stopping the worker process.
    """

    input_bytes: int = 100 * 2**20
    expanded_bytes: int = 400 * 2**20
    pages: int = 10_000
    seconds: float = 60.0

    def __post_init__(self) -> None:
        for name in ("input_bytes", "expanded_bytes", "pages"):
            value: object = getattr(self, name)
            if not (isinstance(value, int) and 0 < value <= LARGEST_SIZE):
                raise LimitValueError(f"{name} is {value!r}; expected an integer from 1 to 2^50")
        if not 0 < self.seconds <= LONGEST_SECONDS:
            raise LimitValueError(f"seconds is {self.seconds!r}; expected over 0, and {LONGEST_SECONDS:,} at most")

    def expanded_error(self, subject: str, name: str | None) -> LimitExceededError:
        """Return the error that `subject`, part of the document `name`, expands to more than `expanded_bytes`."""
        return LimitExceededError.of(ExceededLimit("expanded_bytes", self.expanded_bytes, subject), name)
