"""What a duplicate is: the one definition, for files, tables, stores, streams and Spark.

The documents have an order of preference, in which no two are equal: the text with the most numbers first, of these the
longest. Of equal ones it is the first row of a table, and the first path in the order of the alphabet. Documents of
protected sources come before all others, and files behind a symbolic link after them. A document is left out if it has
a text that equals the text of a kept one, or for a kept document before it in the order

1. whose fingerprint is near: it differs in at most 36 of 256 bits;
2. that shares at least 90 % of all tokens, and of all distinct tokens, of both;
3. that has every number of it, as often, and in the same order if there are at most 64.

With 100 % of the tokens, the texts are equal: only white space and what NFKC unifies may differ. Documents of files
are then also equal in what they show beside their texts (`simhash_doc_extraction.remainder`).

These are the defaults of a `Policy` (`simhash_doc.duplicates.policy`). What is left out for none is kept, and so is
each document of a protected source. A document that could be left out for several belongs to the first of them. So a
cluster is a star around its **representative**, which is kept.

It follows:

- **No number is lost**: each number of a document that is left out is in the document that is kept for it.
- What is left out is near and similar to a document that is kept. A chain of near pairs removes nothing.
- Only the order of preference decides, never how many documents there are. A document that is added at the end of the
  order changes nothing before it.
- Documents with equal content have equal answers: an exact copy belongs where the first of the copies belongs.

Condition 3 has one direction. If neither text might contradict the other, a blank form would take the place of all
forms that are filled in. Page numbers and numbers of lists are on one side only, so the formats of one document meet.

A document that is near a kept one without being left out is a **candidate**. It is kept. It is a representative like
any other, since a document may be a duplicate of the candidate alone. Documents whose texts are not at hand (a list of
fingerprints, files of a store that are gone) are never left out: they are candidates.

Connected components of near pairs (`find_clusters`, `clusters_of`, `FingerprintStore.clusters`) are chains: they
report, and nothing may be removed by them. No star leaves a component, so it is enough to look for stars in each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from simhash_doc.arrays import Lanes, popcount
from simhash_doc.lookup.positions import Positions

_CHUNK = 1 << 15  # fingerprints that are compared at a time, in the cache


class Representatives:
    """The representatives among documents that come in the order of preference, numbered from 0.

    Args:
        lanes: of a fingerprint, in units of 64 bits.
        distance: most bits in which near fingerprints differ.
        expected: the number of representatives for which memory is taken at first; more may be added.
    """

    def __init__(self, lanes: int, distance: int, expected: int = 1) -> None:
        self._distance = distance
        self._count = 0
        self._fingerprints: Lanes = np.empty((max(1, expected), lanes), np.uint64, order="F")  # each lane in one piece

    @property
    def fingerprints(self) -> Lanes:
        """Those of all representatives, in the order of their numbers, shape (n, lanes)."""
        return self._fingerprints[: self._count]

    def near(self, fingerprint: Lanes, among: Positions | None = None) -> Iterator[tuple[int, int]]:
        """Yield the number of each representative that is near, and its distance in bits, the most preferred first.

        Args:
            fingerprint: shape (lanes,).
            among: the numbers of those that are compared, ascending; None for all.
        """
        for start in range(0, self._count if among is None else len(among), _CHUNK):
            end = min(start + _CHUNK, self._count)
            chosen = slice(start, end) if among is None else among[start:end]
            distances = popcount(self._fingerprints[chosen] ^ fingerprint)
            for at in np.flatnonzero(distances <= self._distance).tolist():
                yield start + at if among is None else int(among[start + at]), int(distances[at])

    def add(self, fingerprint: Lanes) -> int:
        """Add a document that is a duplicate of none, and return its number."""
        if self._count == len(self._fingerprints):
            larger: Lanes = np.empty((2 * self._count, self._fingerprints.shape[1]), np.uint64, order="F")
            larger[: self._count] = self._fingerprints
            self._fingerprints = larger
        self._fingerprints[self._count] = fingerprint
        self._count += 1
        return self._count - 1


def assign(fingerprints: Lanes, distance: int, confirms: Callable[[int, int], bool] | None = None) -> Positions:
    """Return the position of the representative of each document: its own if it is a representative.

    It takes memory in proportion to the number of documents, and compares each with the representatives before it: time
    in proportion to the number of documents times that of representatives.

    Args:
        fingerprints: in the order of preference, shape (n, lanes).
        distance: most bits in which near fingerprints differ.
        confirms: whether a near pair is confirmed, given the positions of a representative and of a document after it;
            None if every pair is. It is called until a representative is found.

    Returns:
        Shape (n,).

    >>> chain = np.array([[0b0000], [0b0011], [0b1111], [0b0111]], np.uint64)
    >>> assign(chain, 2).tolist()
    [0, 0, 2, 2]
    """
    representatives = Representatives(fingerprints.shape[1], distance)
    positions: list[int] = []
    assigned = np.arange(len(fingerprints))
    for at, fingerprint in enumerate(fingerprints):
        for number, _ in representatives.near(fingerprint):
            if confirms is None or confirms(positions[number], at):
                assigned[at] = positions[number]
                break
        else:
            representatives.add(fingerprint)
            positions.append(at)
    return assigned
