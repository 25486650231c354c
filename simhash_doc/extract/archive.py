"""ZIP archives that nobody vouches for: the parts of DOCX, ODT and EPUB files.

Parts are looked up by name in the archive and nowhere else, so a name such as ../../etc/passwd finds nothing. All that
is decompressed counts against one budget, whatever sizes the archive declares and however its entries overlap.
"""

from __future__ import annotations

import io
import zipfile
import zlib

from simhash_doc.extract.errors import Damaged, Encrypted, OverLimit
from simhash_doc.extract.limits import Limits

PARTS = 20_000
"""Entries of an archive: a book of a thousand chapters and pictures has some thousands."""

_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


class Archive:
    """The parts of a ZIP archive, within the limits.

    Raises:
        Damaged: it cannot be opened.
        OverLimit: it has more than `PARTS` entries.
    """

    def __init__(self, data: bytes, *, name: str | None, limits: Limits) -> None:
        self._name, self._limits = name, limits
        self._left = limits.expanded_bytes
        if (entries := data.count(_ENTRY)) > PARTS:  # before zipfile makes an object of each
            raise OverLimit(f"the archive has {entries:,} entries, over the limit of {PARTS:,}", name=name)
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except Exception as error:  # zipfile raises a dozen kinds for damaged archives: BadZipFile, struct.error, ...
            raise Damaged(f"the ZIP archive cannot be opened: {error}", name=name) from error

    def __contains__(self, part: str) -> bool:
        return part in self._zip.NameToInfo

    def names(self) -> list[str]:
        """Return the names of all parts."""
        return self._zip.namelist()

    def read(self, part: str) -> bytes:
        """Return the content of a part.

        Raises:
            Damaged: there is no such part, or it is not what the archive says of it.
            Encrypted: it needs a password.
            OverLimit: all that was decompressed so far and this would exceed the limit.
        """
        info = self._zip.NameToInfo.get(part)
        if info is None:
            raise Damaged(f"the archive has no part {part!r}", name=self._name)
        if info.flag_bits & _ENCRYPTED:
            raise Encrypted(f"the part {part!r} is encrypted: save the document without a password", name=self._name)
        if info.compress_type not in _METHODS:
            raise Damaged(
                f"the part {part!r} has compression method {info.compress_type}, not deflate", name=self._name
            )
        if info.file_size > self._left:
            raise self._over(part)
        try:
            with self._zip.open(info) as file:
                data = file.read(self._left + 1)
        except (
            zlib.error,
            zipfile.BadZipFile,
            EOFError,
            OSError,
            ValueError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise Damaged(f"the part {part!r} cannot be read: {error}", name=self._name) from error
        if len(data) > self._left:
            raise self._over(part)
        self._left -= len(data)
        return data

    def _over(self, part: str) -> OverLimit:
        limit = f"expanded_bytes={self._limits.expanded_bytes:,}"
        return OverLimit(
            f"decompressed up to the part {part!r}, the archive is over the limit {limit}", name=self._name
        )
