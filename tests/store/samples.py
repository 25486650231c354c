"""Documents to test with, and answers found by comparing all."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from simhash_doc import Fingerprint, get_scheme
from simhash_doc.schemes import SchemeId
from simhash_doc.store import Document

SCHEMES = ("sd64", "sd128", "sd256", "sd512")


@st.composite
def values(draw: st.DrawFn, bits: int, farthest: int, max_size: int = 20) -> list[int]:
    """Fingerprints up to two bits more than `farthest` from some centres, all zeros and all ones among them."""
    special = [0, (1 << bits) - 1, 1 << (bits - 1), (1 << 64) - 1, 1 << 63]
    centres = draw(st.lists(st.sampled_from(special) | st.integers(0, (1 << bits) - 1), min_size=1, max_size=3))
    flips = st.sets(st.integers(0, bits - 1), max_size=farthest + 2).map(lambda chosen: sum(1 << bit for bit in chosen))
    return draw(st.lists(st.builds(int.__xor__, st.sampled_from(centres), flips), min_size=1, max_size=max_size))


def documents(found: Iterable[int], scheme: SchemeId, collection: str) -> list[Document]:
    """Return documents with ids d0, d1, ... and metadata that says whether the number is odd."""
    return [
        Document(f"d{number}", Fingerprint(value, scheme), collection=collection, metadata={"odd": number % 2 == 1})
        for number, value in enumerate(found)
    ]


def near(stored: Iterable[Document], query: Fingerprint, distance: int) -> list[tuple[int, str]]:
    """Return (distance, id) of the documents within the distance, nearest first, then by id."""
    every = ((query.distance(document.fingerprint), document.id) for document in stored)
    return sorted(pair for pair in every if pair[0] <= distance)


def spread(scheme: SchemeId, n: int, seed: int = 1) -> list[int]:
    """Return n values, every other one a few bits from the one before."""
    import numpy as np

    bits = get_scheme(scheme).bits
    rng = np.random.default_rng(seed)
    made: list[int] = []
    for number in range(n):
        value = int.from_bytes(rng.bytes(bits // 8), "big")
        if number % 2:
            value = made[-1]
            for bit in rng.integers(0, bits, rng.integers(0, 6)).tolist():
                value ^= 1 << bit
        made.append(value)
    return made
