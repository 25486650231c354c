"""Plain text."""

from __future__ import annotations

from simhash_doc.extract.document import Extracted
from simhash_doc.extract.limits import Limits


def read(data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted:
    """Read plain text."""
    return Extracted(data.decode("utf-8", "replace"), medium, name)
