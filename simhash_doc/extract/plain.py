"""Plain text."""

from __future__ import annotations

from simhash_doc.extract.decoding import decode
from simhash_doc.extract.document import Extracted
from simhash_doc.extract.limits import Limits


def read(data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted:
    """Read plain text: its characters, unchanged."""
    text, encoding = decode(data)
    warnings = () if encoding == "utf-8" else (f"read as {encoding}",)
    return Extracted(text, medium, name, warnings)
