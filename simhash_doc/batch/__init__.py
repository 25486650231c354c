"""Fingerprints of many documents: as an array, as a stream, and from columns of tables (`docs/many-documents.md`)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simhash_doc.batch.api import fingerprint_batches, fingerprint_many
    from simhash_doc.batch.errors import WorkerFailedError

__all__ = ["WorkerFailedError", "fingerprint_batches", "fingerprint_many"]


def __getattr__(name: str) -> object:
    # Not above: the process pool of this package is also used where numpy is not needed.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{'errors' if name.endswith('Error') else 'api'}"), name)
