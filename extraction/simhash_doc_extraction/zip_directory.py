"""The directory at the end of a ZIP archive. If it is damaged, it can end early, and hide members without an error."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from typing import BinaryIO

READ_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
ZIP_DAMAGE = (zipfile.BadZipFile, EOFError, RuntimeError, ValueError, struct.error, zlib.error)
"""What `zipfile` raises for a damaged archive, whose names may be no UTF-8 and whose methods unknown."""
_END, _END_BYTES, _LONGEST_COMMENT = b"PK\x05\x06", 22, 2**16 - 1
_ZIP64_END, _ZIP64_BYTES = b"PK\x06\x06", 56 + 20  # with its locator
_IN_ZIP64 = 2**16 - 1


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
