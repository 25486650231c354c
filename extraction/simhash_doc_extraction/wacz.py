"""Reads WACZ files: ZIP archives with WARC files, which replay services exchange."""

from __future__ import annotations

import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from simhash_doc_extraction.base import CorruptDocumentError, EncryptedDocumentError, ExtractionError, Limits
from simhash_doc_extraction.detection import CRAWL_IN_WACZ
from simhash_doc_extraction.payload import Payload
from simhash_doc_extraction.warc import Records

_IS_ENCRYPTED = 1


class CollectedRecords:
    """The documents of the WARC files in a WACZ file, in the order of the archive. Can be iterated once.

    Attributes:
        skipped: number of records so far that hold no document, by kind.
        revisits: number of records so far that only refer to an earlier capture.
    """

    def __init__(self, source: BinaryIO, *, name: str | None, limits: Limits) -> None:
        self._source, self._name, self._limits = source, name, limits
        self.skipped: Counter[str] = Counter()
        self.revisits = 0

    def __iter__(self) -> Iterator[Payload | ExtractionError]:
        try:
            with zipfile.ZipFile(self._source) as archive:
                for member in archive.infolist():
                    if CRAWL_IN_WACZ.fullmatch(member.filename):
                        yield from self._member(archive, member)
                    elif member.filename.lower().endswith(".wacz"):
                        self.skipped["WACZ file in another"] += 1
        except (zipfile.BadZipFile, NotImplementedError) as error:
            yield CorruptDocumentError(f"the WACZ file cannot be read: {error}", name=self._name)

    def _member(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[Payload | ExtractionError]:
        if member.flag_bits & _IS_ENCRYPTED:
            yield EncryptedDocumentError(f"{member.filename} in the WACZ file needs a password", name=self._name)
            return
        try:
            with archive.open(member) as source:
                records = Records(source, name=self._name, limits=self._limits)
                yield from records
                self.skipped += records.skipped
                self.revisits += records.revisits
        except (zipfile.BadZipFile, NotImplementedError, EOFError, zlib.error) as error:  # the next one may be whole
            yield CorruptDocumentError(f"{member.filename} in the WACZ file cannot be read: {error}", name=self._name)
