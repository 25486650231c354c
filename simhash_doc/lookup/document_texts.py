"""The texts of documents in clusters, read once more to compare them."""

from __future__ import annotations

from collections.abc import Iterable

from simhash_doc.ingest import ReadOptions, extract_documents
from simhash_doc.ingest.text_similarity import TextTokens
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.lookup.duplicates import DocumentEntry


class DocumentTexts:
    """The tokens of documents, and on request the beginnings of their texts.

    Exact copies share the text of the first one. A text is not available if the document came from standard input, or
    can no longer be read.

    Args:
        documents: the documents.
        options: how they are read.
        jobs: number of worker processes; None for one per core.
        kept: number of characters to keep of each text.
    """

    def __init__(
        self, documents: Iterable[DocumentEntry], options: ReadOptions, jobs: int | None = None, kept: int = 0
    ) -> None:
        sources = {_source(document) for document in documents}
        files = dict.fromkeys(file for _, file in sources if file and file != STANDARD_INPUT)
        self._tokens: dict[str, TextTokens] = {}
        self._texts: dict[str, str] = {}
        paths = {path for path, _ in sources}
        for result in extract_documents(list(files), options=options, jobs=jobs):
            if result.extracted and result.path in paths:
                self._tokens[result.path] = TextTokens(result.extracted.text)
                self._texts[result.path] = result.extracted.text[:kept]

    def similarity(self, a: DocumentEntry, b: DocumentEntry) -> float | None:
        """Return the similarity of two documents, from 0 to 1; None if a text is not available."""
        left, right = (self._tokens.get(_source(document)[0]) for document in (a, b))
        return left.similarity(right) if left and right else None

    def text(self, document: DocumentEntry) -> str | None:
        """Return the beginning of a text; None if it is not available."""
        return self._texts.get(_source(document)[0])


def _source(document: DocumentEntry) -> tuple[str, str | None]:
    """Return the path under which the text of a document is read, and the file."""
    if document.is_file and document.content is not None:
        return document.content, document.content
    return document.path, document.file
