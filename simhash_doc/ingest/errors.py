"""Errors and warnings of provenance."""

from __future__ import annotations

from simhash_doc.errors import SimhashDocError


class InvalidProvenanceError(SimhashDocError, ValueError):
    """A provenance object is not of the form that `spec/provenance.md` describes, or contradicts its fingerprint."""

    code = "invalid-provenance"


class ProvenanceWarning(UserWarning):
    """Fingerprints of different extractors or customizations are combined: distances between them are less reliable."""
