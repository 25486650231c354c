"""Maps of codes to Unicode (`ToUnicode`) that PDFium ignores though their entries are there.

Their words are not separated, their counts are wrong, or their characters have two digits. Such a map is written again
in its place, in the bytes of the file. There is room, because nothing needs what comes before its entries.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress

from simhash_doc_extraction.pdf.streams import streams

_FILTERS = re.compile(rb"/Filter\s*+(/\w++|\[[^\]]*+\])")
_PREDICTED = re.compile(rb"/Predictor\s++(?!1\b)\d")
_CODINGS = {
    b"FlateDecode": b"Flate", b"Fl": b"Flate", b"ASCIIHexDecode": b"Hex", b"AHx": b"Hex",
    b"ASCII85Decode": b"85", b"A85": b"85",
}  # fmt: skip
_HEAD = 4096
_MOST = 4 << 20  # bytes of a map

_WORDS = rb"(?:begin|end)(?:codespacerange|bfchar|bfrange|cidchar|cidrange|notdefchar|notdefrange|cmap)"
_GLUED = re.compile(rb"(?<![\s<>\[\](){}/%%])%s|%s(?![\s<>\[\](){}/%%]|\Z)" % (_WORDS, _WORDS))
_ENTRIES = re.compile(rb"(?:(?<!\d)(\d++)\s*+)?begin(bfchar|bfrange)")
_BEGIN = re.compile(rb"begin(?:cmap|codespacerange|bfchar|bfrange)")
_COMMENT = re.compile(rb"%[^\r\n]*+")
_CODE = rb"<([0-9A-Fa-f\s]*+)>\s*+"
_ENTRY = {
    b"bfchar": re.compile(_CODE + _CODE),
    b"bfrange": re.compile(_CODE + _CODE + rb"(?:" + _CODE + rb"|\[([^\]]*+)\])"),
}
_CHARACTERS = re.compile(_CODE)


def with_readable_maps(data: bytes) -> tuple[bytes, int]:
    """Return a PDF in which maps to Unicode are mended, and the number of those that could not be."""
    mended, unread = bytearray(), 0
    for start, end, codings in _maps(data):
        stored = data[start:end]
        new = _mended(_decoded(stored, codings, _MOST))
        if new is None:
            continue
        new = _encoded(new, codings)
        if len(new) > len(stored):
            unread += 1
            continue
        mended = mended or bytearray(data)
        mended[start:end] = new.ljust(len(stored))
    return bytes(mended or data), unread


def _mended(content: bytes) -> bytes | None:
    """Return the entries of a map as PDFium reads them, or None if it reads the map as it is."""
    if b"usecmap" in content:
        return None
    content = _COMMENT.sub(b"", content)
    is_wrong = _GLUED.search(content) is not None
    blocks: list[tuple[bytes, list[tuple[bytes | None, ...]]]] = []
    starts = [*_ENTRIES.finditer(content)]
    stops = [*(following.start() for following in starts[1:]), len(content)]
    for found, stop in zip(starts, stops, strict=False):
        count, kind = found.groups(b"0")
        end = content.find(b"end" + kind, found.end(), stop)
        entries = [entry.groups() for entry in _ENTRY[kind].finditer(content, found.end(), stop if end < 0 else end)]
        is_wrong |= bool(entries) and int(count[:9]) != len(entries)
        characters = (entry[1 if kind == b"bfchar" else 2] for entry in entries)
        is_wrong |= any(len(b"".join(digits.split())) % 4 for digits in characters if digits)
        blocks.append((kind, entries))
    return b"".join(_block(kind, entries) for kind, entries in blocks) if is_wrong and blocks else None


def _block(kind: bytes, entries: list[tuple[bytes | None, ...]]) -> bytes:
    lines = b"".join(_line(kind, codes) for codes in entries)
    return b"%d begin%s\n%s\nend%s\n" % (len(entries), kind, lines, kind)


def _line(kind: bytes, codes: tuple[bytes | None, ...]) -> bytes:
    """Return an entry: codes, and the characters that they stand for in four digits each."""
    *first, last = (code for code in codes if code is not None)
    start = b"".join(b"<%s>" % b"".join(code.split()) for code in first)
    if kind == b"bfrange" and codes[-1] is not None:
        return b"%s[%s]" % (start, b"".join(_characters(found[1]) for found in _CHARACTERS.finditer(last)))
    return start + _characters(last)


def _characters(digits: bytes) -> bytes:
    digits = b"".join(digits.split())
    return b"<%s>" % digits.rjust(-(-len(digits) // 4) * 4, b"0")


def _maps(data: bytes) -> Iterator[tuple[int, int, list[bytes]]]:
    """Yield where maps are in a file that is not encrypted, and how they are coded."""
    if b"/ToUnicode" not in data and b"/ObjStm" not in data:
        return
    for dictionary, start, end in streams(data):
        filters = _FILTERS.search(dictionary)
        names = re.findall(rb"/(\w++)", filters[1]) if filters else []
        if all(name in _CODINGS for name in names) and not _PREDICTED.search(dictionary):
            codings = [_CODINGS[name] for name in names]
            if _BEGIN.search(_decoded(data[start : min(end, start + _HEAD)], codings, _HEAD)):
                yield start, end, codings


def _decoded(stored: bytes, codings: list[bytes], most: int) -> bytes:
    """Return the content of a stream, or its beginning, at most `most` bytes; nothing if it is damaged."""
    content = stored
    with suppress(ValueError, zlib.error):
        for coding in codings:
            if coding == b"Flate":
                content = zlib.decompressobj().decompress(content, most)
            elif coding == b"Hex":
                digits = b"".join(content.partition(b">")[0].split())
                content = binascii.unhexlify(digits[: len(digits) // 2 * 2])
            else:
                content = base64.a85decode(content.partition(b"~")[0])
        return content[:most]
    return b""


def _encoded(content: bytes, codings: list[bytes]) -> bytes:
    for coding in reversed(codings):
        if coding == b"Flate":
            content = zlib.compress(content, 9)
        else:
            content = content.hex().encode() + b">" if coding == b"Hex" else base64.a85encode(content) + b"~>"
    return content
