"""Errors and warnings of reading fingerprints, and of provenance."""

from __future__ import annotations

from simhash_doc.errors import SimhashDocError


class UnreadableLineError(SimhashDocError, ValueError):
    """A line or row does not hold a fingerprint, or not one of the expected scheme."""

    code = "unreadable-line"


class UnreadableInputError(SimhashDocError, ValueError):
    """A file of fingerprints cannot be read to its end."""

    code = "unreadable-input"


class InvalidProvenanceError(SimhashDocError, ValueError):
    """A provenance object is not of the form that `spec/provenance.md` describes, or contradicts its fingerprint."""

    code = "invalid-provenance"


class ProvenanceWarning(UserWarning):
    """Fingerprints of different extractors or customizations are combined: distances between them are less reliable."""
