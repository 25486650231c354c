"""Maps of codes to Unicode (`ToUnicode`) whose words are not separated, which PDFium ignores.

A map is mended in its place, in the bytes of the file: what it says before its first range is left out, which nothing
needs, so that there is room for the spaces.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import suppress

_STREAM = re.compile(rb"(?<!end)stream\r?\n")
_DICTIONARY_BYTES = 500
_FLATE = re.compile(rb"/Filter\s*\[?\s*/Fl(?:ateDecode)?\b")
_HEAD = 512
_MOST = 4 << 20  # bytes of a map

_WORDS = rb"(?:begin|end)(?:codespacerange|bfchar|bfrange|cidchar|cidrange|notdefchar|notdefrange|cmap)"
_WORD = re.compile(rb"(?:%s)" % _WORDS)
_GLUED = re.compile(rb"(?<![\s<>\[\](){}/%%])%s|%s(?![\s<>\[\](){}/%%]|\Z)" % (_WORDS, _WORDS))
_FIRST = re.compile(rb"\d*\s*begin(?:codespacerange|bfchar|bfrange)")


def with_readable_maps(data: bytes) -> tuple[bytes, int]:
    """Return a PDF in which maps to Unicode are mended, and the number of those that could not be."""
    mended, unread = bytearray(), 0
    for start, end, is_packed in _maps(data):
        stored = data[start:end]
        content = _unpacked(stored, _MOST) if is_packed else stored
        if not _GLUED.search(content):
            continue
        first = _FIRST.search(content)
        new = _WORD.sub(rb" \g<0> ", content[first.start() if first else 0 :])
        new = zlib.compress(new, 9) if is_packed else new
        if len(new) > len(stored):
            unread += 1
            continue
        mended = mended or bytearray(data)
        mended[start:end] = new.ljust(len(stored))
    return bytes(mended or data), unread


def _maps(data: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield where maps are in a file that is not encrypted, and whether they are compressed."""
    if (b"/ToUnicode" not in data and b"/ObjStm" not in data) or b"/Encrypt" in data:
        return
    end = 0
    for found in _STREAM.finditer(data):
        if found.start() < end:
            continue  # inside a stream
        start = found.end()
        before = data[max(end, start - _DICTIONARY_BYTES) : found.start()]
        dictionary = before[before.rfind(b" obj") + 1 :]
        end = data.find(b"endstream", start)
        end = len(data) if end < 0 else end
        is_packed = _FLATE.search(dictionary) is not None
        if (is_packed or b"/Filter" not in dictionary) and b"/DecodeParms" not in dictionary:
            head = _unpacked(data[start : min(end, start + _HEAD)], _HEAD) if is_packed else data[start : start + _HEAD]
            if b"begincmap" in head or _FIRST.search(head):
                yield start, end, is_packed


def _unpacked(stored: bytes, most: int) -> bytes:
    with suppress(zlib.error):
        return zlib.decompressobj().decompress(stored, most)
    return b""
