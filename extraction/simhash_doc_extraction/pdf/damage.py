"""Damaged compressed streams, of which PDFium shows what comes before the damage and says nothing."""

from __future__ import annotations

import re
import zlib

from simhash_doc_extraction.pdf.streams import streams

_FLATE = re.compile(rb"/Filter\s*+\[?\s*+/Fl(?:ateDecode)?\b")
# What does not affect the text: images, profiles, attached files, metadata, drawing, tables of places. PDFium takes
# the widths of letters from fonts: with a damaged one, spaces are wrong, and letters that overlap are one.
_WITHOUT_TEXT = re.compile(
    rb"/(?:Image|Alternate|EmbeddedFile|Metadata|XRef|FunctionType|ShadingType|PatternType|BitsPer\w+)\b"
    rb"|/N\s+[134]\s*(?:/Filter|/Length|>>)"
)
_PIECE = 1 << 20
_FLUSHED = b"\0\0\xff\xff"
"""Ends what is complete, although the last block is not marked."""


def damaged_streams(data: bytes, most: int) -> int:
    """Return how many streams of a PDF, which may hold text or objects, cannot be decompressed to their ends.

    Args:
        data: the file. Nothing is found in an encrypted one.
        most: how many bytes are decompressed at most, of all streams.
    """
    view, damaged = memoryview(data), 0
    for dictionary, start, end in streams(data):
        if _FLATE.search(dictionary) and not (b"/ObjStm" not in dictionary and _WITHOUT_TEXT.search(dictionary)):
            size = _decompressed(view[start:end], most)
            damaged += size is None
            most -= size or 0
            if most <= 0:
                break
    return damaged


def _decompressed(stored: memoryview, most: int) -> int | None:
    """Return the size of a stream, at most about `most`; None if it is damaged."""
    written = bytes(stored).rstrip(b"\r\n")
    if not written:
        return 0
    # The checksum, which some programs do not write, is checked if it is there.
    inflate, size, checksum, rest = zlib.decompressobj(-zlib.MAX_WBITS), 0, 1, bytes(stored[2:])
    if len(stored) < 2 or int.from_bytes(stored[:2], "big") % 31 or stored[0] & 15 != zlib.DEFLATED:
        return None
    try:
        while rest and not inflate.eof and size < most:
            piece = inflate.decompress(rest, _PIECE)
            rest = inflate.unconsumed_tail
            size += len(piece)
            checksum = zlib.adler32(piece, checksum)
    except zlib.error:
        return None
    if not inflate.eof:
        return size if size >= most or written.endswith(_FLUSHED) else None
    adler = inflate.unused_data[:4]
    return None if len(adler) == 4 and int.from_bytes(adler, "big") != checksum else size
