"""Texts of documents of any format, as they would be fingerprinted."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from simhash_doc.extract.decompress import read_at_most
from simhash_doc.extract.errors import LimitExceededError, NoTextError
from simhash_doc.extract.result import ExtractedText
from simhash_doc.ingest.documents import Document, Failure, invalid_utf8, unextractable
from simhash_doc.ingest.options import ReadOptions
from simhash_doc.ingest.results import TextResult
from simhash_doc.ingest.sources import Results

_DEFAULT = ReadOptions()


def extract_documents(
    paths: Iterable[str | os.PathLike[str]], *, options: ReadOptions = _DEFAULT, jobs: int | None = None
) -> Results[TextResult]:
    """Return an iterator over the texts of documents, as `fingerprint_documents` reads them, in order.

    Args:
        paths: Files, directories, or ``-`` for standard input; as for `fingerprint_documents`.
        options: Format of the documents, and limits on each.
        jobs: Number of worker processes; None for one per core.
    """
    return Results(paths, TextTask(options), jobs)


def extract_contents(
    contents: Iterable[bytes | None], *, options: ReadOptions = _DEFAULT, jobs: int = 1
) -> Iterator[TextResult | None]:
    """Yield the text of each document in memory, lazily and in order; None for None.

    Every document is parsed in a worker process without network, limited in memory and time.

    Args:
        contents: The documents, each as the bytes of a file. The iterable may be endless.
        options: Format of the documents, and limits on each.
        jobs: Number of worker processes.
    """
    from simhash_doc.ingest.workers import map_in_workers

    is_present: deque[bool] = deque()

    def documents() -> Iterator[Document]:
        for number, data in enumerate(contents):
            is_present.append(data is not None)
            if data is not None:
                yield Document(f"document {number}", len(data), options.format, content=data)

    for result in map_in_workers(TextTask(options), documents(), jobs):
        while not is_present.popleft():
            yield None
        yield result
    yield from (None for _ in is_present)


@dataclass(frozen=True, slots=True)
class TextTask:
    """Return the texts of documents."""

    options: ReadOptions

    def of_text(self, path: str, head: bytes, file: BinaryIO) -> TextResult:
        """Return UTF-8 text, decoded."""
        limit = self.options.limits.input_bytes
        data = head + read_at_most(file, limit + 1 - len(head))
        if len(data) > limit:
            message = f"the text is over the limit of {limit:,} bytes, which does not apply to `fingerprint`"
            return self.failed(unextractable(path, LimitExceededError(message)))
        warnings: tuple[str, ...] = ()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            text, warnings = data.decode("utf-8", "replace"), (invalid_utf8(error.start),)
        if not text.strip():
            reason = "the document contains only white space" if data else "the document is empty"
            return self.failed(unextractable(path, NoTextError(f"no text: {reason}")))
        return TextResult(path, ExtractedText(text, "text", path, warnings))

    def of_extracted(self, path: str, extracted: ExtractedText) -> TextResult:
        """Return a text that was extracted."""
        return TextResult(path, extracted)

    def failed(self, failure: Failure) -> TextResult:
        """Return the result for a document that cannot be read."""
        return TextResult(failure.path, error=failure.error, code=failure.code)
