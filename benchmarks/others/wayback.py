"""wayback-discover-diff, the service of the Internet Archive behind the Wayback Machine's "Changes".

Sources: the README of internetarchive/wayback-discover-diff, and its pull requests 24 (base64), 27 (padding) and 28
(BLAKE2b in place of MD5). It takes the text of a web page first; here the text is given.
"""

from __future__ import annotations

import base64
import hashlib
import string
from collections import Counter

from benchmarks.others.one_e0ng import simhash_of

BITS = 256
_PUNCTUATION_TO_SPACES = str.maketrans(dict.fromkeys(string.punctuation, " "))


def blake2b(data: bytes) -> int:
    """Return the BLAKE2b digest of 64 bytes as an integer, the most significant byte first."""
    return int.from_bytes(hashlib.blake2b(data).digest(), "big")


def features(text: str) -> Counter[str]:
    """Return the words of a text with counts: lower case, ASCII punctuation replaced by spaces, white space between."""
    return Counter(text.lower().translate(_PUNCTUATION_TO_SPACES).split())


def simhash(text: str, bits: int = BITS) -> int | None:
    """Return the simhash of a text, by the algorithm of 1e0ng/simhash; None if it has no word."""
    counts = features(text)
    return simhash_of(counts, bits, blake2b) if counts else None


def encoded(value: int, bits: int = BITS) -> str:
    """Return the form in which the service answers: base64 of the bytes, the least significant first."""
    return base64.b64encode(value.to_bytes(bits // 8, "little")).decode("ascii")
