"""Documents of any format: found below paths, opened, parsed in worker processes, and fingerprinted.

The command line, the store and Spark read documents through this package, so that a malicious document
affects nothing but its own result. Nothing is printed: warnings and errors are part of the results.
"""

from typing import TYPE_CHECKING

from simhash_doc.ingest.options import EXTRACTOR, ReadOptions
from simhash_doc.ingest.reading import Results, extract_contents, extract_documents, fingerprint_documents
from simhash_doc.ingest.results import FingerprintResult, TextResult
from simhash_doc.ingest.selection import IgnoreRules, Selection
from simhash_doc.ingest.walk import SkippedFile

if TYPE_CHECKING:
    from simhash_doc.ingest.workers import WorkerCrashedError, extract_in_sandbox

__all__ = [
    "EXTRACTOR",
    "FingerprintResult",
    "IgnoreRules",
    "ReadOptions",
    "Results",
    "Selection",
    "SkippedFile",
    "TextResult",
    "WorkerCrashedError",
    "extract_contents",
    "extract_documents",
    "extract_in_sandbox",
    "fingerprint_documents",
]


def __getattr__(name: str) -> object:
    if name not in ("WorkerCrashedError", "extract_in_sandbox"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from simhash_doc.ingest import workers  # not above: plain texts are read without worker processes

    return getattr(workers, name)
