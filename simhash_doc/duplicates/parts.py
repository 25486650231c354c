"""The parts of a collection in which texts are compared: no text can be left out for one of another part."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import inf

import numpy as np

from simhash_doc.arrays import Lanes
from simhash_doc.lookup.clusters import affordable_clusters
from simhash_doc.lookup.positions import Positions

MOST_TOKENS = 1 << 29  # of all texts, which may be held at once: 2 GB

_COMPARISONS = 200_000  # of one fingerprint: they take about 0.14 ms, and the tokens of a short text 0.1 ms

_TOGETHER = 1 << 19  # tokens of the parts that are compared at once


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The parts of a collection.

    Attributes:
        members: positions of the documents of each part, two or more, ascending. A document that is in none is near
            no other.
        near: whether near fingerprints connect each part. Otherwise, one part has all documents, because it takes
            less time to compare their texts than to search for near fingerprints.
    """

    members: list[Positions]
    near: bool


def find_parts(fingerprints: Lanes, distance: int, tokens: int) -> Parts:
    """Return the parts of a collection.

    Letters of one frame have fingerprints around one point, though few are near each other. A search for those would
    compare all pairs, so the texts are compared at once: their indexes take nearly linear time.

    Args:
        fingerprints: shape (n, lanes).
        distance: most bits in which near fingerprints differ.
        tokens: of all texts; 0 if it is not known.

    Raises:
        LookupParameterError: the distance is not supported.
    """
    found = affordable_clusters(fingerprints, distance, _COMPARISONS if tokens <= MOST_TOKENS else inf)
    if found is None:
        return Parts([np.arange(len(fingerprints))], near=False)
    return Parts([*found], near=True)


def together(parts: Iterable[Positions], tokens: Positions) -> Iterator[list[Positions]]:
    """Yield several parts at a time: many small parts take far less time together.

    Args:
        parts: the members of each.
        tokens: of each text, shape (n,).
    """
    joined, size = list[Positions](), 0
    for part in parts:
        joined.append(part)
        size += int(tokens[part].sum())
        if size >= _TOGETHER:
            yield joined
            joined, size = [], 0
    if joined:
        yield joined
