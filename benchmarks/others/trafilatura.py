"""trafilatura: Simhash and content_fingerprint (`trafilatura.deduplication`), version 2.3.1.

Source: the page "Deduplication" of trafilatura's documentation, and issues 782 and 783 of adbar/trafilatura.
"""

from __future__ import annotations

import hashlib
import string
import sys
import unicodedata
from functools import cache

from benchmarks.others import value_of, vote

LONGEST_THRESHOLD = 4  # characters that a token must exceed, if enough tokens do


@cache
def _punctuation_to_spaces() -> dict[int, str]:
    """Return a table for `str.translate` with the punctuation of all of Unicode."""
    return {code: " " for code in range(sys.maxunicode) if unicodedata.category(chr(code)).startswith("P")}


def tokens(text: str, bits: int = 64, *, unicode_punctuation: bool = True) -> list[str]:
    """Return the tokens that are hashed.

    Words stand between white space. ASCII punctuation is stripped from their ends, and a word is kept if all that is
    left are letters and digits (`str.isalnum`). Of these, only the longer ones are taken: those of at least five
    characters if there are bits / 2 of them, else of at least four, three, two, else all.

    Args:
        text: Any text.
        bits: Width of the fingerprint.
        unicode_punctuation: If there is no token, try again with all punctuation replaced by spaces. Releases before
            the fix of issue 782 do not.
    """
    stripped = (word.strip(string.punctuation) for word in text.split())
    found = [word for word in stripped if word.isalnum()]
    if not found and unicode_punctuation:
        found = [word for word in text.translate(_punctuation_to_spaces()).split() if word.isalnum()]
    for shorter in range(LONGEST_THRESHOLD, 0, -1):
        longer = [word for word in found if len(word) > shorter]
        if len(longer) >= bits / 2:
            return longer
    return found


def simhash(text: str, bits: int = 64, *, unicode_punctuation: bool = True) -> int:
    """Return the simhash: BLAKE2b of 8 bytes per token, big-endian; every occurrence counts; a tie gives 1."""
    found = tokens(text, bits, unicode_punctuation=unicode_punctuation)
    hashes = (int.from_bytes(hashlib.blake2b(token.encode(), digest_size=8).digest(), "big") for token in found)
    return value_of(total >= 0 for total in vote(((value, 1) for value in hashes), bits))


def content_fingerprint(text: str) -> str:
    """Return the simhash in hexadecimal, without leading zeros."""
    return f"{simhash(text):x}"
