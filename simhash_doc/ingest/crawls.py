"""The documents of WARC files, which are split into records in this process; each is then parsed in a worker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from simhash_doc.extract.errors import ExtractionError, NoTextError
from simhash_doc.extract.registry import get_container_reader
from simhash_doc.ingest.documents import Document, Failure, unextractable

if TYPE_CHECKING:
    from simhash_doc.extract.decompress import ByteSource
    from simhash_doc.extract.limits import Limits

WARC = "warc"


class Crawl:
    """The documents of a WARC file, read lazily.

    Args:
        path: Path of the file.
        source: The file, at its start; a seekable one can be searched for the record after a corrupt one.
        limits: Bounds on each document.

    Attributes:
        skipped_records: Number of records without a document, so far.
    """

    def __init__(self, path: str, source: BinaryIO | ByteSource, limits: Limits) -> None:
        self._path, self._source, self._limits = path, source, limits
        self.skipped_records = 0

    def __iter__(self) -> Iterator[Document | Failure]:
        try:
            get_container_reader(WARC, self._path)
        except ExtractionError as error:  # the extra is missing
            yield unextractable(self._path, error)
            return
        from simhash_doc.extract.warc.reader import Records

        found = False
        records = Records(self._source, name=self._path, limits=self._limits)
        for payload in records:
            found = True
            if isinstance(payload, ExtractionError):
                is_file = payload.name in (None, self._path)
                yield unextractable(self._path if is_file else f"{self._path}#{payload.name}", payload)
            else:
                yield Document(f"{self._path}#{payload.uri}", len(payload.body), content=payload)
        self.skipped_records = records.skipped
        if not found:
            message = f"no document among its records ({self.skipped_records} of other kinds)"
            yield unextractable(self._path, NoTextError(message))
