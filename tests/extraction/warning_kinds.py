"""The kinds of warnings that docs/reference/warnings.md lists."""

from __future__ import annotations

import re
from pathlib import Path

from simhash_doc_extraction import ExtractedText, warning_kind

_PAGE = Path(__file__).resolve().parents[2] / "docs/reference/warnings.md"
_ROWS = re.findall(r"^\| (`.*?`) \|", _PAGE.read_text("utf-8"), re.M)
KINDS = frozenset(kind for row in _ROWS for kind in re.findall(r"`(.*?)`", row))


def undocumented(found: ExtractedText) -> set[str]:
    """Return the kinds of the warnings of a document that are not in the table."""
    return {warning_kind(warning) for warning in found.warnings} - KINDS
