"""How much one document may cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on one document. What exceeds one raises `OverLimit`."""

    input_bytes: int = 100 * 2**20
    """Size of the document as it is stored."""
    expanded_bytes: int = 400 * 2**20
    """Size of all that is decompressed from it."""
    depth: int = 256
    """Nesting of elements in a tree that is walked; deeper markup is read as flat text or refused."""
    pages: int = 10_000
    """Pages of a PDF."""
    seconds: float = 60.0
    """Time for one document, kept by the process that supervises a worker."""
