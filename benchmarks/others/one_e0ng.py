"""1e0ng/simhash, the package `simhash` of PyPI, version 2.1.2.

Sources: its README, and issues 26 (ties) and 61 (leading zeros) of 1e0ng/simhash.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping

from benchmarks.others import value_of, vote

_CHARACTERS = re.compile(r"[\w\u4e00-\u9fcc]+")
WINDOW = 4  # characters


def md5(data: bytes) -> int:
    """Return the MD5 digest as an integer, the most significant byte first."""
    return int.from_bytes(hashlib.md5(data, usedforsecurity=False).digest(), "big")


def features(text: str) -> Counter[str]:
    """Return the windows of four characters, with counts, of the lower-case text without what is not `\\w`.

    Words run together, so windows cross their borders. A text of fewer than four characters is one window, and so is a
    text of none.
    """
    joined = "".join(_CHARACTERS.findall(text.lower()))
    return Counter(joined[at : at + WINDOW] for at in range(max(len(joined) - WINDOW, 0) + 1))


def simhash_of(counts: Mapping[str, int], bits: int = 64, hash_function: Callable[[bytes], int] = md5) -> int:
    """Return the simhash of weighted features: the low bits of each hash vote; a tie gives 0."""
    hashes = ((hash_function(feature.encode()), count) for feature, count in counts.items())
    return value_of(total > 0 for total in vote(hashes, bits))


def simhash(text: str, bits: int = 64) -> int:
    """Return the simhash of a text."""
    return simhash_of(features(text), bits)
