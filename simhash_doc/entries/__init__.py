"""Files of fingerprints: read as entries from text, JSON lines, CSV or Parquet, and the writers of these rows."""

from __future__ import annotations

from simhash_doc.errors import SimhashDocError

HOW_TO_COMPUTE = (
    "`simhash-doc fingerprint` computes fingerprints of documents, and `simhash-doc table fingerprint` of rows"
)
"""What to do with a file that has no fingerprints, as the end of a message."""


class UnreadableLineError(SimhashDocError, ValueError):
    """A line or row does not hold a fingerprint, or not one of the expected scheme."""

    code = "unreadable-line"


class UnreadableInputError(SimhashDocError, ValueError):
    """A file of fingerprints cannot be read to its end."""

    code = "unreadable-input"
