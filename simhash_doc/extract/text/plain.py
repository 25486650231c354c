"""Reads plain text."""

from __future__ import annotations

from simhash_doc.extract.charset import decode
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.result import ExtractedText


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read plain text: its characters, unchanged."""
    text, encoding = decode(data)
    warnings = () if encoding == "utf-8" else (f"read as {encoding}",)
    return ExtractedText(text, document_format, name, warnings)
