"""The directory at the end of a ZIP archive. If it is damaged, it can end early, and hide members without an error."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import BinaryIO

from simhash_doc_extraction.base import LimitExceededError

MAX_ENTRIES = 20_000
"""Maximum number of entries in an archive. A book with a thousand chapters and pictures has a few thousand."""
ENTRY = b"PK\x01\x02"
"""The beginning of an entry of the directory."""
READ_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ZIP_DAMAGE = (zipfile.BadZipFile, EOFError, RuntimeError, ValueError, struct.error, zlib.error)
"""What `zipfile` raises for a damaged archive, whose names may be no UTF-8 and whose methods unknown."""
_END, _END_BYTES, _LONGEST_COMMENT = b"PK\x05\x06", 22, 2**16 - 1
_ZIP64_END, _ZIP64_BYTES = b"PK\x06\x06", 56 + 20  # with its locator
_IN_ZIP64 = 2**16 - 1
_LENGTH_IN_ZIP64 = 2**32 - 1


def check_entries(source: BinaryIO) -> None:
    """Check the number of entries before zipfile creates an object for each; the position of the file changes.

    Raises:
        LimitExceededError: there are more than `MAX_ENTRIES`.
    """
    size = source.seek(0, io.SEEK_END)
    source.seek(max(0, size - _LONGEST_COMMENT - _END_BYTES - _ZIP64_BYTES))
    end = source.read()
    at = end.rfind(_END)
    length = int.from_bytes(end[at + 12 : at + 16], "little")
    if length == _LENGTH_IN_ZIP64 and (place := end.rfind(_ZIP64_END, 0, at)) >= 0:
        length = int.from_bytes(end[place + 40 : place + 48], "little")
    source.seek(max(0, size - len(end) + at - length - _ZIP64_BYTES))
    found = 0
    while found <= MAX_ENTRIES and (piece := source.read(1 << 20)):
        found += piece.count(ENTRY)
    if found > MAX_ENTRIES:
        raise LimitExceededError(f"the archive has over {MAX_ENTRIES:,} entries, the limit")


def hidden_members(source: BinaryIO, archive: zipfile.ZipFile) -> str | None:
    """Return how many members the directory shows, if the archive states another number, else None.

    Args:
        source: the file of the archive; its position changes.
        archive: the archive, as zipfile opened it.
    """
    shown, stated = len(archive.infolist()), _stated_count(source)
    if stated in (shown, shown % 2**16):  # writers without ZIP64 wrap around
        return None
    return f"it shows {shown:,} of {stated:,} files"


def _stated_count(source: BinaryIO) -> int:
    size = source.seek(0, io.SEEK_END)
    source.seek(max(0, size - _LONGEST_COMMENT - _END_BYTES - _ZIP64_BYTES))
    end = source.read()
    at = end.rfind(_END)
    stated = int.from_bytes(end[at + 10 : at + 12], "little")
    at = end.rfind(_ZIP64_END, 0, at)
    return int.from_bytes(end[at + 32 : at + 40], "little") if stated == _IN_ZIP64 and at >= 0 else stated
