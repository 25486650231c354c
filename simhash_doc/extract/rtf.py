"""RTF: Rich Text Format, through striprtf."""

from __future__ import annotations

import re

from striprtf.striprtf import rtf_to_text

from simhash_doc.extract.document import Extracted
from simhash_doc.extract.errors import Damaged
from simhash_doc.extract.limits import Limits

_FOOTNOTE = re.compile(r"\\footnote(?![a-z])")
_BLANK_LINES = re.compile(r"\n[ \t]*(?=\n)")


def read(data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted:
    """Read an RTF file: its text with tables and footnotes, without headers, footers, pictures and comments."""
    source = _FOOTNOTE.sub(r"\\par ", data.decode("cp1252", "replace"))  # striprtf would leave footnotes out
    try:
        text: str = rtf_to_text(source, errors="replace")  # type: ignore[no-untyped-call]
    except Exception as error:  # striprtf checks nothing: numbers without digits or too large end in any kind of error
        raise Damaged(f"the RTF cannot be read: {error}", name=name) from error
    whole = data.rstrip(b"\0\r\n\t ").endswith(b"}")
    warnings = () if whole else ("the file does not end with a closing brace: truncated?",)
    text = text.encode("utf-16", "surrogatepass").decode(
        "utf-16", "replace"
    )  # \u writes UTF-16 units, in pairs if need be
    return Extracted(_BLANK_LINES.sub("\n", text).strip(), medium, name, warnings)
