"""The texts of documents, stored or read again, to be compared with each other."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import replace

from simhash_doc.duplicates.compared import ComparedDocument
from simhash_doc.duplicates.similarity import TextTokens
from simhash_doc.engines.base import encode
from simhash_doc.files import STANDARD_INPUT
from simhash_doc.ingest import FingerprintResult, ReadOptions, extract_documents

_STORED_BYTES = 1 << 31


class DocumentTexts:
    """The tokens of documents, and on request the beginnings of their texts.

    Up to 2 GB of texts are stored in a temporary file, so that documents need not be read again. Exact copies share the
    text of the first one. A text is not available if the document can no longer be read, or came from standard input
    and is not among those that were stored.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - deleted with the object
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._tokens: dict[str, TextTokens] = {}
        self._texts: dict[str, str] = {}

    def store(self, results: Iterable[FingerprintResult]) -> Iterator[FingerprintResult]:
        """Yield the results without their texts, which are stored."""
        for result in results:
            if result.text is not None:
                data = encode(result.text)
                if self._end + len(data) <= _STORED_BYTES:
                    self._file.write(data)
                    self._places[result.path] = self._end, len(data)
                    self._end += len(data)
                result = replace(result, text=None)
            yield result

    def load(
        self, documents: Iterable[ComparedDocument], options: ReadOptions, jobs: int | None = None, shown: int = 0
    ) -> None:
        """Take the texts of documents from those that were stored, and read all others.

        Args:
            documents: the documents.
            options: how they are read.
            jobs: number of worker processes; None for one per core.
            shown: number of characters for `text`.
        """
        missing = dict[str, str | None]()
        for path, file in dict.fromkeys(_source(document) for document in documents):
            if path in self._places:
                start, size = self._places[path]
                self._file.seek(start)
                self._add(path, self._file.read(size).decode("utf-8"), shown)
            else:
                missing[path] = file
        files = dict.fromkeys(file for file in missing.values() if file and file != STANDARD_INPUT)
        for result in extract_documents(list(files), options=options, jobs=jobs):
            if result.extracted and result.path in missing:
                self._add(result.path, result.extracted.text, shown)

    def _add(self, path: str, text: str, shown: int) -> None:
        self._tokens[path] = TextTokens(text)
        self._texts[path] = text[:shown]

    def similarity(self, a: ComparedDocument, b: ComparedDocument) -> float | None:
        """Return the similarity of two documents, from 0 to 1; None if a text is not available."""
        left, right = self._tokens_of(a), self._tokens_of(b)
        return left.similarity(right) if left and right else None

    def are_similar(self, a: ComparedDocument, b: ComparedDocument, least: float) -> bool | None:
        """Return whether two documents are similar, as `TextTokens.is_similar`; None if a text is not available."""
        left, right = self._tokens_of(a), self._tokens_of(b)
        return left.is_similar(right, least) if left and right else None

    def _tokens_of(self, document: ComparedDocument) -> TextTokens | None:
        return self._tokens.get(_source(document)[0])

    def text(self, document: ComparedDocument) -> str | None:
        """Return the beginning of a text; None if it is not available."""
        return self._texts.get(_source(document)[0])


def _source(document: ComparedDocument) -> tuple[str, str | None]:
    """Return the path under which the text of a document is read, and the file."""
    if document.is_file:
        return document.content, document.content
    return document.path, document.file
