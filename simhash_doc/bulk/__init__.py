"""Fingerprints of many documents: as an array, as a stream, and from columns of tables (`docs/bulk.md`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simhash_doc.bulk.setting import is_fast, use_fast

if TYPE_CHECKING:
    from simhash_doc.bulk.many import LostDocumentsError, fingerprint_batches, fingerprint_many

__all__ = ["LostDocumentsError", "fingerprint_batches", "fingerprint_many", "is_fast", "use_fast"]


def __getattr__(name: str) -> object:
    # Not above: the accumulator needs the setting, and what makes many fingerprints needs the accumulator.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from simhash_doc.bulk import many

    return getattr(many, name)
