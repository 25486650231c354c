"""The texts of documents, stored or read again, to be compared with each other."""

from __future__ import annotations

import re
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from weakref import finalize

import numpy as np

from simhash_doc.api import fingerprint
from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.duplicates.compared import ComparedDocument
from simhash_doc.duplicates.packed import PackedTexts
from simhash_doc.duplicates.policy import Policy
from simhash_doc.duplicates.similarity import as_word
from simhash_doc.engines.base import utf8
from simhash_doc.errors import NoTokenError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest import FingerprintResult, ReadOptions, extract_documents
from simhash_doc.schemes import get_scheme

_STORED_BYTES = 1 << 31
_NUMBERED = re.compile(r"#[0-9]+\Z")


class DocumentTexts:
    """The tokens and numbers of documents, and on request the beginnings of their texts.

    Up to 2 GB of texts are stored in a temporary file, so that documents need not be read again. Exact copies share the
    text of the first one. A text is not available if the document can no longer be read, has changed, or came from
    standard input and is not among those that were stored.
    """

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - deleted with the object
        finalize(self, self._file.close)
        self._places: dict[str, tuple[int, int]] = {}
        self._remainders: dict[str, str] = {}  # of those that have one
        self._end = 0
        self._packed = PackedTexts(())
        self._places_of: dict[str, int] = {}  # in `_packed`
        self._texts: dict[str, str] = {}  # beginnings of those that are not in the file
        self._shown = 0

    def store(self, results: Iterable[FingerprintResult]) -> Iterator[FingerprintResult]:
        """Yield the results without their texts, which are stored."""
        for result in results:
            if result.text is not None:
                self._put(result.path, result.text, result.remainder)
                result = replace(result, text=None)
            yield result

    def _put(self, path: str, text: str, remainder: str) -> None:
        if remainder:
            self._remainders[path] = remainder
        data = utf8(text)
        if self._end + len(data) <= _STORED_BYTES:
            self._file.seek(self._end)
            self._file.write(data)
            self._places[path] = self._end, len(data)
            self._end += len(data)

    def load(
        self,
        documents: Iterable[ComparedDocument],
        policy: Policy,
        options: ReadOptions,
        workers: int | None = None,
        shown: int = 0,
    ) -> None:
        """Take the texts of documents from those that were stored, and read all others.

        Args:
            documents: the documents.
            policy: how they will be compared.
            options: how they are read.
            workers: number of worker processes; None for one per core.
            shown: number of characters for `text`.
        """
        sources = {_source(document): document for document in documents}
        self._shown = shown
        options = replace(options, remainder=policy.is_whole)
        texts = (self._taken(path, text) for path, text in self._read(sources, options, workers))
        self._packed = PackedTexts(texts, whole=policy.is_whole)

    def _read(
        self, sources: dict[tuple[str, str | None], ComparedDocument], options: ReadOptions, workers: int | None
    ) -> Iterator[tuple[str, str]]:
        """Yield path and text of each document that is available."""
        missing = dict[str, ComparedDocument]()
        for (path, _), document in sources.items():
            if path in self._places:
                start, size = self._places[path]
                self._file.seek(start)
                yield path, self._file.read(size).decode("utf-8")
            else:
                missing[path] = document
        wanted = _Wanted(missing)
        files = dict.fromkeys(file for path, file in sources if path in missing and file not in (None, STANDARD_INPUT))
        for result in extract_documents([file for file in files if file], options=options, workers=workers):
            if result.extracted and (own := wanted.take(result.path, result.extracted.text)):
                self._put(own, result.extracted.text, result.extracted.remainder)
                yield own, result.extracted.text

    def _taken(self, path: str, text: str) -> str:
        self._places_of[path] = len(self._places_of)
        if path not in self._places:
            self._texts[path] = text[: self._shown]
        remainder = self._remainders.get(path)
        return f"{text} {as_word(remainder)}" if remainder else text

    def has(self, document: ComparedDocument) -> bool:
        """Return whether the text of a document is available."""
        return _source(document)[0] in self._places_of

    def packed(self, documents: Iterable[ComparedDocument]) -> PackedTexts:
        """Return the texts of documents, which are available."""
        return self._packed.some([self._places_of[_source(document)[0]] for document in documents])

    def similarity(self, a: ComparedDocument, b: ComparedDocument) -> float | None:
        """Return the share of common tokens of two documents; None if a text is not available."""
        if not (self.has(a) and self.has(b)):
            return None
        left, right = (self._places_of[_source(document)[0]] for document in (a, b))
        return float(self._packed.similarities(left, np.array([right]))[0][0])

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


class _Wanted:
    """The documents whose texts are read from files, which may have changed meanwhile.

    Captures of one page at one time have the same name, and a store adds a number to their ids. So the name without
    this number and the fingerprint decide which text belongs to which document.
    """

    def __init__(self, documents: Mapping[str, ComparedDocument]) -> None:
        self._scheme = next((document.fingerprint.scheme.id for document in documents.values()), "")
        self._paths: dict[tuple[str, Fingerprint], list[str]] = defaultdict(list)
        self._taken: set[str] = set()
        for path, document in documents.items():
            for name in {path, _NUMBERED.sub("", path)}:
                self._paths[name, document.fingerprint].append(path)

    def take(self, name: str, text: str) -> str | None:
        """Return the path of a document with this text, each once; None if there is none."""
        try:
            paths = self._paths.get((name, fingerprint(text, get_scheme(self._scheme))), [])
        except NoTokenError:
            return None
        while paths:
            path = paths.pop()
            if path not in self._taken:
                self._taken.add(path)
                return path
        return None
