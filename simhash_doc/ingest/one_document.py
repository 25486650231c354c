"""The text of one document, extracted in a worker process."""

from __future__ import annotations

from functools import partial
from typing import ClassVar

from simhash_doc.batch.process_pool import ordered_map
from simhash_doc.extract import ExtractedText, ExtractionError, extract
from simhash_doc.ingest.options import ReadOptions
from simhash_doc.ingest.results import WORKER_FAILED
from simhash_doc.ingest.sandbox import confine

_DEFAULT = ReadOptions()


class WorkerCrashedError(ExtractionError):
    """The worker process that read the document crashed, or took longer than allowed."""

    code: ClassVar[str] = WORKER_FAILED


def extract_in_sandbox(data: bytes, *, name: str | None = None, options: ReadOptions = _DEFAULT) -> ExtractedText:
    """Return the text of one document as `simhash_doc.extract.extract` does, but from a worker process of its own.

    The process has no network, and is limited in memory and time. It takes a few tenths of a second to start: for many
    documents, `extract_contents` starts it once.

    Args:
        data: The document as stored.
        name: Name of the document, for messages and for detection.
        options: Format of the document, and limits on it.

    Raises:
        ExtractionError: The document gave no text; `WorkerCrashedError` if the worker process failed.
    """
    seconds = options.seconds(len(data))
    work, failed = partial(_extract, options, name), partial(_failed, name)
    (outcome,) = ordered_map(work, [data], 1, failed, seconds=lambda _: seconds)
    if isinstance(outcome, ExtractionError):
        raise outcome
    return outcome


def _extract(options: ReadOptions, name: str | None, data: bytes) -> ExtractedText | ExtractionError:
    confine(options.max_memory)
    try:
        return extract(data, name=name, document_format=options.format, limits=options.limits, explain=options.explain)
    except ExtractionError as error:
        return error


def _failed(name: str | None, _: bytes, reason: str) -> ExtractedText | ExtractionError:
    return WorkerCrashedError(f"not read: {reason}", name=name)
