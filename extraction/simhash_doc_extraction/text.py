"""Reads plain text."""

from __future__ import annotations

from simhash_doc_extraction.base import ExtractedText, Limits
from simhash_doc_extraction.encoding import decoded


def read_plain(data: bytes, document_format: str, limits: Limits) -> ExtractedText:
    """Read plain text: its characters, unchanged."""
    text, _, warnings = decoded(data)
    return ExtractedText(text, document_format, warnings=warnings)
