"""Fingerprints of many documents: as an array, as a stream, and from columns of tables (`docs/many-documents.md`)."""

from simhash_doc.batch.api import WorkerFailedError, fingerprint_batches, fingerprint_many, measure_many

__all__ = ["WorkerFailedError", "fingerprint_batches", "fingerprint_many", "measure_many"]
