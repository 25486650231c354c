"""Files of fingerprints: read as entries from text, JSON lines, CSV or Parquet, and the writers of these rows."""

from __future__ import annotations

from simhash_doc.errors import SimhashDocError


class UnreadableLineError(SimhashDocError, ValueError):
    """A line or row does not hold a fingerprint, or not one of the expected scheme."""

    code = "unreadable-line"


class UnreadableInputError(SimhashDocError, ValueError):
    """A file of fingerprints cannot be read to its end."""

    code = "unreadable-input"
