"""Reads RTF (Rich Text Format), with the library striprtf."""

from __future__ import annotations

import re

from striprtf.striprtf import rtf_to_text

from simhash_doc.extract.errors import CorruptDocumentError
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.result import ExtractedText

_FOOTNOTE = re.compile(r"\\footnote(?![a-z])")
_BLANK_LINES = re.compile(r"\n[ \t]*(?=\n)")


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read an RTF file: text, tables and footnotes, without headers, footers, pictures and comments."""
    source = _FOOTNOTE.sub(r"\\par ", data.decode("cp1252", "replace"))  # striprtf would drop footnotes
    try:
        text: str = rtf_to_text(source, errors="replace")  # type: ignore[no-untyped-call]
    except Exception as error:  # striprtf does not validate: invalid numbers raise various errors
        raise CorruptDocumentError(f"the RTF cannot be read: {error}", name=name) from error
    is_complete = data.rstrip(b"\0\r\n\t ").endswith(b"}")
    warnings = () if is_complete else ("the file does not end with a closing brace: it may be truncated",)
    # \u denotes UTF-16 code units, which can be halves of surrogate pairs.
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return ExtractedText(_BLANK_LINES.sub("\n", text).strip(), document_format, name, warnings)
