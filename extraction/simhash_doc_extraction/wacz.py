"""Reads WACZ files: ZIP archives with WARC files, which replay services exchange."""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO

from simhash_doc_extraction.base import (
    CorruptDocumentError,
    EncryptedDocumentError,
    ExtractionError,
    LimitExceededError,
    Limits,
)
from simhash_doc_extraction.detection import CRAWL_IN_WACZ
from simhash_doc_extraction.payload import Payload
from simhash_doc_extraction.warc import Records
from simhash_doc_extraction.zip_directory import READ_METHODS, ZIP_DAMAGE, check_entries, hidden_members

_IS_ENCRYPTED = 1
_WITHOUT_DOCUMENTS = re.compile(r"(?:indexes|pages|logs)/.*|datapackage[^/]*\.json", re.DOTALL)
"""Files that describe the crawls."""


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
            check_entries(self._source)
            with zipfile.ZipFile(self._source) as archive:
                if hidden := hidden_members(self._source, archive):
                    yield CorruptDocumentError(f"the directory of the WACZ file is damaged: {hidden}", name=self._name)
                for member in archive.infolist():
                    if CRAWL_IN_WACZ.fullmatch(member.filename):
                        yield from self._member(archive, member)
                    elif member.filename.lower().endswith(".wacz"):
                        self.skipped["WACZ file in another"] += 1
                    elif member.file_size and not _WITHOUT_DOCUMENTS.fullmatch(member.filename):
                        self.skipped["file without the name of a WARC file"] += 1
        except LimitExceededError as error:
            yield LimitExceededError(error.message, name=self._name)
        except ZIP_DAMAGE as error:
            yield CorruptDocumentError(f"the WACZ file cannot be read: {error}", name=self._name)

    def _member(self, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[Payload | ExtractionError]:
        if member.flag_bits & _IS_ENCRYPTED:
            yield EncryptedDocumentError(f"{member.filename} in the WACZ file needs a password", name=self._name)
            return
        if member.compress_type not in READ_METHODS:
            reason = f"uses compression method {member.compress_type}; 0 (none) and 8 (deflate) are supported"
            yield CorruptDocumentError(f"{member.filename} in the WACZ file {reason}", name=self._name)
            return
        if member.header_offset < 0:  # zipfile would seek there
            yield CorruptDocumentError(f"{member.filename} begins before the start of the WACZ file", name=self._name)
            return
        try:
            with archive.open(member) as source:
                records = Records(source, name=self._name, limits=self._limits)
                yield from records
                self.skipped += records.skipped
                self.revisits += records.revisits
        except ZIP_DAMAGE as error:  # the next one may be whole
            yield CorruptDocumentError(f"{member.filename} in the WACZ file cannot be read: {error}", name=self._name)
