"""ClickHouse: ngramSimHash, ngramSimHashUTF8 and wordShingleSimHash, with their CaseInsensitive variants.

Sources: the page "Hash functions" of ClickHouse's SQL reference, and the comments of its FunctionsStringHash.cpp.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from benchmarks.others import value_of, vote

_CASTAGNOLI = 0x82F63B78  # CRC-32C, reflected
_WORD = re.compile(rb"[0-9A-Za-z\x80-\xff]+")
SHORTEST_WORD = 4  # bytes


def _table() -> list[int]:
    entries = []
    for entry in range(256):
        for _ in range(8):
            entry = entry >> 1 ^ (_CASTAGNOLI if entry & 1 else 0)
        entries.append(entry)
    return entries


_TABLE = _table()


def crc32c(data: bytes) -> int:
    """Return the CRC-32C of bytes without the final inversion, in 64 bits.

    The state starts with all 64 bits set. The first byte leaves 32 of them, so only no bytes at all set the upper half.
    """
    if not data:
        return 2**64 - 1
    state = 2**32 - 1
    for byte in data:
        state = _TABLE[(state ^ byte) & 0xFF] ^ state >> 8
    return state


def _hash(data: bytes, ignore_case: bool) -> int:
    """Return the CRC-32C, with bit 5 of each byte set to ignore case."""
    return crc32c(bytes(byte | 0x20 for byte in data) if ignore_case else data)


def _simhash(shingles: Iterable[bytes], ignore_case: bool) -> int:
    sums = vote(((_hash(shingle, ignore_case), count) for shingle, count in Counter(shingles).items()), 64)
    return value_of(total > 0 for total in sums)


def byte_ngrams(text: str, size: int = 3) -> list[bytes]:
    """Return the n-grams of the UTF-8 bytes, repeated ones included."""
    data = text.encode()
    return [data[at : at + size] for at in range(len(data) - size + 1)]


def code_point_ngrams(text: str, size: int = 3) -> list[bytes]:
    """Return the n-grams of the code points, as UTF-8, without the first one."""
    return [text[at : at + size].encode() for at in range(1, len(text) - size + 1)]


def word_shingles(text: str, size: int = 3) -> list[bytes]:
    """Return runs of adjacent words, joined without separators.

    A word is a run of ASCII letters and digits and of bytes over 7F, at least four bytes long. A text with fewer words
    than a shingle has one shingle of all its words, or none.
    """
    words = [word for word in _WORD.findall(text.encode()) if len(word) >= SHORTEST_WORD]
    starts = range(max(len(words) - size, 0) + 1) if words else range(0)
    return [b"".join(words[at : at + size]) for at in starts]


def ngram_simhash(text: str, size: int = 3, *, ignore_case: bool = False) -> int:
    """Return ngramSimHash. A text of fewer bytes than an n-gram gives the hash of the text."""
    if len(text.encode()) < size:
        return _hash(text.encode(), ignore_case)
    return _simhash(byte_ngrams(text, size), ignore_case)


def ngram_simhash_utf8(text: str, size: int = 3, *, ignore_case: bool = False) -> int:
    """Return ngramSimHashUTF8. A text of fewer code points than an n-gram gives the hash of the text."""
    if len(text) < size:
        return _hash(text.encode(), ignore_case)
    return _simhash(code_point_ngrams(text, size), ignore_case)


def word_shingle_simhash(text: str, size: int = 3, *, ignore_case: bool = False) -> int:
    """Return wordShingleSimHash, which wordShingleSimHashUTF8 equals. A text without words gives 0."""
    return _simhash(word_shingles(text, size), ignore_case)
