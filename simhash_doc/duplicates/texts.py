"""The texts of documents, stored or read again, to be compared with each other."""

from __future__ import annotations

import tempfile
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from weakref import finalize

import numpy as np

from simhash_doc.duplicates.compared import ComparedDocument
from simhash_doc.duplicates.packed import PackedTexts
from simhash_doc.duplicates.similarity import TextTokens
from simhash_doc.duplicates.templates import numbers_of
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
        finalize(self, self._file.close)
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._packed = PackedTexts(())
        self._places_of: dict[str, int] = {}  # in `_packed`
        self._numbers: dict[str, Hashable] = {}
        self._texts: dict[str, str] = {}  # beginnings of those that are not in the file
        self._shown = 0

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
        sources = dict.fromkeys(_source(document) for document in documents)
        self._shown = shown
        self._packed = PackedTexts(self._taken(path, text, shown) for path, text in self._read(sources, options, jobs))

    def _read(
        self, sources: Iterable[tuple[str, str | None]], options: ReadOptions, jobs: int | None
    ) -> Iterator[tuple[str, str]]:
        """Yield path and text of each document that is available."""
        missing = dict[str, str | None]()
        for path, file in sources:
            if path in self._places:
                start, size = self._places[path]
                self._file.seek(start)
                yield path, self._file.read(size).decode("utf-8")
            else:
                missing[path] = file
        files = dict.fromkeys(file for file in missing.values() if file and file != STANDARD_INPUT)
        for result in extract_documents(list(files), options=options, jobs=jobs):
            if result.extracted and result.path in missing:
                yield result.path, result.extracted.text

    def _taken(self, path: str, text: str, shown: int) -> TextTokens:
        self._places_of[path] = len(self._places_of)
        self._numbers[path] = hash(numbers_of(text))
        if path not in self._places:
            self._texts[path] = text[:shown]
        return TextTokens(text)

    def packed(self, documents: Iterable[ComparedDocument]) -> PackedTexts | None:
        """Return the texts of documents; None if one is not available."""
        places = [self._places_of.get(_source(document)[0]) for document in documents]
        known = [place for place in places if place is not None]
        return self._packed.some(known) if len(known) == len(places) else None

    def similarity(self, a: ComparedDocument, b: ComparedDocument) -> float | None:
        """Return the similarity of two documents, from 0 to 1; None if a text is not available."""
        found = self._similarities(a, b)
        return None if found is None else found[0]

    def are_similar(self, a: ComparedDocument, b: ComparedDocument, least: float) -> bool | None:
        """Return whether two documents are similar, as `TextTokens.is_similar`; None if a text is not available."""
        found = self._similarities(a, b)
        return None if found is None else min(found) >= least

    def _similarities(self, a: ComparedDocument, b: ComparedDocument) -> tuple[float, float] | None:
        left, right = (self._places_of.get(_source(document)[0]) for document in (a, b))
        if left is None or right is None:
            return None
        of_all, of_distinct = self._packed.similarities(left, np.array([right]))
        return float(of_all[0]), float(of_distinct[0])

    def numbers(self, document: ComparedDocument) -> Hashable:
        """Return what texts with the same digits share; None if a text is not available."""
        return self._numbers.get(_source(document)[0])

    def text(self, document: ComparedDocument) -> str | None:
        """Return the beginning of a text; None if it is not available."""
        path = _source(document)[0]
        if path not in self._places or path not in self._places_of:
            return self._texts.get(path)
        start, size = self._places[path]
        self._file.seek(start)
        # A character has at most 4 bytes; the last one may be cut.
        return self._file.read(min(size, 4 * self._shown)).decode("utf-8", "ignore")[: self._shown]


def _source(document: ComparedDocument) -> tuple[str, str | None]:
    """Return the path under which the text of a document is read, and the file."""
    if document.is_file:
        return document.content, document.content
    return document.path, document.file
