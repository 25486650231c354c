"""Fingerprints of many documents: as an array, as a stream, and from columns of tables (`docs/bulk.md`)."""

from simhash_doc.bulk.many import LostDocumentsError, fingerprint_batches, fingerprint_many
from simhash_doc.bulk.setting import is_fast, use_fast

__all__ = ["LostDocumentsError", "fingerprint_batches", "fingerprint_many", "is_fast", "use_fast"]
