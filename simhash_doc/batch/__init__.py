"""Fingerprints of many documents: as an array, as a stream, and from columns of tables (`docs/many-documents.md`)."""
