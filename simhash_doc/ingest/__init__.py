"""Documents of any format: found below paths, opened, parsed in worker processes, and fingerprinted.

The command line, the store and Spark read documents through this package, so that a malicious document
affects nothing but its own result. Nothing is printed: warnings and errors are part of the results.
"""

from simhash_doc.ingest.fingerprints import fingerprint_documents
from simhash_doc.ingest.ignore import IgnoreRules
from simhash_doc.ingest.one_document import WorkerCrashedError, extract_in_sandbox
from simhash_doc.ingest.options import ReadOptions
from simhash_doc.ingest.results import FingerprintResult, TextResult
from simhash_doc.ingest.sources import Results
from simhash_doc.ingest.texts import extract_contents, extract_documents
from simhash_doc.ingest.walk import Selection, SkippedFile

__all__ = [
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
