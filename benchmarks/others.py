"""Simhash algorithms of other projects, written from their public descriptions, to show why values differ.

They are for comparison only. docs/why-your-simhash-differs.md explains each. tests/benchmarks/test_others.py checks
each against values that its project publishes and, where it can be installed, against the project itself:

- ClickHouse: the page "Hash functions" of its SQL reference, and the comments of its FunctionsStringHash.cpp;
- trafilatura (`trafilatura.deduplication`), version 2.3.1: the page "Deduplication" of its documentation, and issues
  782 and 783 of adbar/trafilatura;
- 1e0ng/simhash, the package `simhash` of PyPI, version 2.1.2: its README, and its issues 26 (ties) and 61 (zeros);
- wayback-discover-diff, the service of the Internet Archive behind the Wayback Machine's "Changes": its README, and its
  pull requests 24 (base64), 27 (padding) and 28 (BLAKE2b). It takes the text of a web page first; here it is given.
"""

from __future__ import annotations

import base64
import hashlib
import re
import string
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

import numpy as np


def votes(hashes: Iterable[tuple[int, int]], bits: int) -> list[int]:
    """Return for each bit, from the least significant: the weights of hashes with a 1, minus those with a 0.

    Args:
        hashes: pairs of a hash and its weight.
        bits: number of sums.
    """
    listed = list(hashes)
    low = b"".join((value & 2**bits - 1).to_bytes(bits // 8, "little") for value, _ in listed)
    ones = np.unpackbits(np.frombuffer(low, np.uint8).reshape(-1, bits // 8), axis=1, bitorder="little")
    weights = np.array([weight for _, weight in listed], np.float64)  # exact, and faster than products of integers
    return [int(total) for total in 2 * weights @ ones - weights.sum()]


def value_of(ones: Iterable[bool]) -> int:
    """Return the integer with these bits, the least significant first."""
    return sum(1 << bit for bit, one in enumerate(ones) if one)


# ClickHouse

_CASTAGNOLI = 0x82F63B78  # CRC-32C, reflected
_WORD = re.compile(rb"[0-9A-Za-z\x80-\xff]{4,}")
_SHINGLE = 3  # bytes, code points or words


@cache
def _crc_table() -> list[int]:
    entries = []
    for entry in range(256):
        for _ in range(8):
            entry = entry >> 1 ^ (_CASTAGNOLI if entry & 1 else 0)
        entries.append(entry)
    return entries


def crc32c(data: bytes) -> int:
    """Return the CRC-32C of bytes without the final inversion, in 64 bits.

    The state starts with all 64 bits set. The first byte leaves 32 of them, so only no bytes at all set the upper half.
    """
    if not data:
        return 2**64 - 1
    state, table = 2**32 - 1, _crc_table()
    for byte in data:
        state = table[(state ^ byte) & 0xFF] ^ state >> 8
    return state


def _of_shingles(shingles: Iterable[bytes]) -> int:
    counts = Counter(shingles)
    return value_of(total > 0 for total in votes(((crc32c(one), count) for one, count in counts.items()), 64))


def clickhouse_ngram(text: str) -> int:
    """Return ngramSimHash: of three bytes of UTF-8. A text of fewer gives the hash of the text."""
    data = text.encode()
    if len(data) < _SHINGLE:
        return crc32c(data)
    return _of_shingles(data[at : at + _SHINGLE] for at in range(len(data) - _SHINGLE + 1))


def clickhouse_ngram_utf8(text: str) -> int:
    """Return ngramSimHashUTF8: of three code points, without the first three."""
    if len(text) < _SHINGLE:
        return crc32c(text.encode())
    return _of_shingles(text[at : at + _SHINGLE].encode() for at in range(1, len(text) - _SHINGLE + 1))


def clickhouse_word_shingle(text: str) -> int:
    """Return wordShingleSimHash: of three adjacent words, joined without separators. A text without words gives 0.

    A word is a run of ASCII letters and digits and of bytes over 7F, at least four bytes long. A text of fewer words
    than three has one shingle of all its words.
    """
    words = _WORD.findall(text.encode())
    starts = range(max(len(words) - _SHINGLE, 0) + 1) if words else range(0)
    return _of_shingles(b"".join(words[at : at + _SHINGLE]) for at in starts)


# trafilatura


@cache
def _punctuation_to_spaces() -> dict[int, str]:
    """Return a table for `str.translate` with the punctuation of all of Unicode."""
    return {code: " " for code in range(sys.maxunicode) if unicodedata.category(chr(code)).startswith("P")}


def trafilatura_tokens(text: str, bits: int = 64) -> list[str]:
    """Return the tokens that are hashed.

    Words stand between white space. ASCII punctuation is stripped from their ends, and a word is kept if all that is
    left are letters and digits (`str.isalnum`). If there is none, all punctuation is replaced by spaces first. Of the
    words, only the longer ones are taken: those of at least five characters if there are bits / 2 of them, else of at
    least four, three, two, else all.
    """
    stripped = (word.strip(string.punctuation) for word in text.split())
    found = [word for word in stripped if word.isalnum()]
    if not found:
        found = [word for word in text.translate(_punctuation_to_spaces()).split() if word.isalnum()]
    for shorter in range(4, 0, -1):
        longer = [word for word in found if len(word) > shorter]
        if len(longer) >= bits / 2:
            return longer
    return found


def trafilatura(text: str, bits: int = 64) -> int:
    """Return the simhash: BLAKE2b of 8 bytes per token, big-endian; every occurrence counts; a tie gives 1."""
    hashed = (hashlib.blake2b(token.encode(), digest_size=8).digest() for token in trafilatura_tokens(text, bits))
    return value_of(total >= 0 for total in votes(((int.from_bytes(one, "big"), 1) for one in hashed), bits))


# 1e0ng/simhash

_CHARACTERS = re.compile(r"[\w\u4e00-\u9fcc]+")
_WINDOW = 4  # characters


def one_e0ng_features(text: str) -> Counter[str]:
    """Return the windows of four characters, with counts, of the lower-case text without what is not `\\w`.

    Words run together, so windows cross their borders. A text of fewer than four characters is one window, and so is a
    text of none.
    """
    joined = "".join(_CHARACTERS.findall(text.lower()))
    return Counter(joined[at : at + _WINDOW] for at in range(max(len(joined) - _WINDOW, 0) + 1))


def one_e0ng(text: str, bits: int = 64) -> int:
    """Return the simhash of a text."""
    return simhash_of(one_e0ng_features(text), bits, hashlib.md5)


def simhash_of(counts: Mapping[str, int], bits: int, digest: Callable[[bytes], Any]) -> int:
    """Return the simhash of weighted features: the low bits of each big-endian hash vote; a tie gives 0."""
    hashes = ((int.from_bytes(digest(feature.encode()).digest(), "big"), count) for feature, count in counts.items())
    return value_of(total > 0 for total in votes(hashes, bits))


# wayback-discover-diff

_ASCII_PUNCTUATION_TO_SPACES = str.maketrans(dict.fromkeys(string.punctuation, " "))


def wayback_features(text: str) -> Counter[str]:
    """Return the words of a text with counts: lower case, ASCII punctuation replaced by spaces, white space between."""
    return Counter(text.lower().translate(_ASCII_PUNCTUATION_TO_SPACES).split())


def wayback(text: str, bits: int = 256) -> int | None:
    """Return the simhash of a text, by the algorithm of 1e0ng/simhash with BLAKE2b; None if it has no word."""
    counts = wayback_features(text)
    return simhash_of(counts, bits, hashlib.blake2b) if counts else None


def wayback_base64(value: int) -> str:
    """Return the form in which the service answers: base64 of the bytes of 256 bits, the least significant first."""
    return base64.b64encode(value.to_bytes(32, "little")).decode("ascii")
