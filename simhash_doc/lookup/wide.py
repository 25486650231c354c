"""All pairs and clusters of fingerprints of several words, exact for any distance.

The blocks of Manku, Jain and Das Sarma 2007 as in `find_all`, with a sort by the prefix in place of
permuted values, which would not fit into one word.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise
from math import comb

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.clusters import Clusters, components
from simhash_doc.lookup.errors import LookupParameterError
from simhash_doc.lookup.values import CHUNK, Positions

Words = npt.NDArray[np.uint64]
WORD = 64
_MOST_SPARE = 4  # blocks beyond distance + 1 that are considered
# Nanoseconds, measured: a table, its sort a fingerprint, moving and comparing a word.
_TABLE, _SORTED, _MOVED, _COMPARED = 100_000, 100, 10, 3


@dataclass(frozen=True, slots=True, eq=False)
class WidePairs:
    """Pairs of fingerprints within a distance, by position.

    Attributes:
        positions: shape (p, 2), int64; first < second in a row, rows ascending.
        distances: shape (p,), int64, in bits.
    """

    positions: Positions
    distances: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.positions)


def find_all_wide(words: Words, distance: int) -> WidePairs:
    """Return every pair of fingerprints that differ in at most `distance` bits, each once.

    Args:
        words: shape (n, words), uint64, most significant word first; copies are pairs too.
        distance: largest number of differing bits.

    Raises:
        LookupParameterError: the distance is negative, or not below the number of bits.
    """
    groups = _Groups(words)
    left, right, bits = _pairs(groups.distinct, distance)
    rows, distances = [np.empty((0, 2), np.int64)], [np.empty(0, np.int64)]
    for a, b, apart in zip(left.tolist(), right.tolist(), bits.tolist(), strict=True):
        ends = np.stack(np.meshgrid(groups.of(a), groups.of(b), indexing="ij"), axis=-1).reshape(-1, 2)
        rows.append(np.sort(ends, axis=1))
        distances.append(np.full(len(ends), apart))
    for copies in groups.repeated():
        first, second = np.triu_indices(len(copies), 1)
        rows.append(np.column_stack((copies[first], copies[second])))
        distances.append(np.zeros(len(first), np.int64))
    positions = np.concatenate(rows)
    order = np.lexsort((positions[:, 1], positions[:, 0]))
    return WidePairs(positions[order], np.concatenate(distances)[order])


def find_clusters_wide(words: Words, distance: int) -> Clusters:
    """Return the connected components of the fingerprints within `distance` bits of each other.

    Arguments and errors are those of `find_all_wide`; the answer is ordered as by `find_clusters`.
    """
    groups = _Groups(words)
    left, right, _ = _pairs(groups.distinct, distance)
    label = components(len(groups.distinct), left, right)[groups.number]
    # Named after its first position, a cluster sorts to its place.
    first = np.full(len(groups.distinct), len(words))
    np.minimum.at(first, label, np.arange(len(words)))
    size = np.bincount(label, minlength=len(groups.distinct))
    members = np.flatnonzero(size[label] > 1)
    cluster = first[label[members]]
    order = np.argsort(cluster, kind="stable")
    edges = np.flatnonzero(np.diff(cluster[order])) + 1
    starts = np.concatenate(([0], edges, [len(members)])) if len(members) else np.zeros(1, np.int64)
    return Clusters(members[order], starts)


class _Groups:
    """Entries with equal fingerprints.

    Attributes:
        distinct: each fingerprint once, shape (d, words).
        number: of the fingerprint of each entry, shape (n,).
    """

    def __init__(self, words: Words) -> None:
        order = np.lexsort(words.T[::-1])
        ascending = words[order]
        new = np.ones(len(words), bool)
        np.any(ascending[1:] != ascending[:-1], axis=1, out=new[1:])
        self.distinct = ascending[new]
        self.number = np.empty(len(words), np.int64)
        self.number[order] = np.cumsum(new) - 1
        # The sort is stable, so that the entries of each fingerprint stand in their order.
        self._order = order
        self._edges = np.append(np.flatnonzero(new), len(words))

    def of(self, number: int) -> Positions:
        """Return the entries of a fingerprint, ascending."""
        return self._order[self._edges[number] : self._edges[number + 1]]

    def repeated(self) -> Iterator[Positions]:
        """Yield the entries of each fingerprint that has several."""
        for number in np.flatnonzero(np.diff(self._edges) > 1).tolist():
            yield self.of(number)


def bit_field(words: Words, start: int, width: int) -> npt.NDArray[np.uint64]:
    """Return `width` bits (1 to 64) of each fingerprint from bit `start` on, bit 0 the most significant; shape (n,)."""
    word, offset = divmod(start, WORD)
    aligned = words[:, word] << np.uint64(offset)
    if offset + width > WORD:
        aligned |= words[:, word + 1] >> np.uint64(WORD - offset)
    return aligned >> np.uint64(WORD - width)


def _pairs(words: Words, distance: int) -> tuple[Positions, Positions, npt.NDArray[np.int64]]:
    """Return both ends and the distance of each pair of distinct fingerprints, each pair once."""
    n, columns = words.shape
    bits = columns * WORD
    if not 0 <= distance < bits:
        raise LookupParameterError(f"distance is {distance}; for {bits} bits it is 0 to {bits - 1}")
    blocks = _cheapest(n, columns, distance)
    leading = blocks - distance
    edges = [number * bits // blocks for number in range(blocks + 1)]
    # A prefix must fit into a word; leaving bits out of blocks costs candidates, never a match.
    fields = np.array(
        [bit_field(words, start, min(end - start, WORD // leading)) for start, end in pairwise(edges)], np.uint64
    )
    widths = [min(end - start, WORD // leading) for start, end in pairwise(edges)]
    found = [np.empty((3, 0), np.int64)]
    for chosen in combinations(range(blocks), leading):
        prefix = fields[chosen[0]].copy()
        for block in chosen[1:]:
            prefix <<= np.uint64(widths[block])
            prefix |= fields[block]
        order = np.argsort(prefix, kind="stable")
        for a, b, apart in _close_in_bucket(words, prefix[order], order, distance):
            # A pair meets in several tables; it is kept in the first, that of its first blocks that agree.
            agree = fields[:, a] == fields[:, b]
            ours = agree[list(chosen)].all(axis=0)
            if chosen[-1] >= leading:
                others = [block for block in range(chosen[-1]) if block not in chosen]
                ours &= ~agree[others].any(axis=0)
            found.append(np.stack((a[ours], b[ours], apart[ours])))
    left, right, distances = np.concatenate(found, axis=1)
    return left, right, distances


def _close_in_bucket(
    words: Words, prefix: npt.NDArray[np.uint64], order: Positions, distance: int
) -> Iterator[tuple[Positions, Positions, npt.NDArray[np.int64]]]:
    """Yield ends and distances of the pairs within the distance that share a prefix; prefixes ascend."""
    n = len(prefix)
    shares = np.zeros(n, bool)
    np.equal(prefix[1:], prefix[:-1], out=shares[: n - 1])
    starting = np.flatnonzero(shares)
    moved = words[order] if 4 * len(starting) > n else None
    step = max(1, CHUNK // words.shape[1])
    for start in range(0, len(starting), step):
        at, lag = starting[start : start + step], 1
        while len(at):
            first = words[order[at]] if moved is None else moved[at]
            second = words[order[at + lag]] if moved is None else moved[at + lag]
            apart = np.bitwise_count(first ^ second).sum(axis=1, dtype=np.int64)
            near = apart <= distance
            if near.any():
                yield order[at[near]], order[at[near] + lag], apart[near]
            at = at[shares[at + lag]]
            lag += 1


def _cheapest(n: int, columns: int, distance: int) -> int:
    """Return the number of blocks with the least expected time for n uniform fingerprints."""
    bits = columns * WORD

    def cost(blocks: int) -> float:
        leading = blocks - distance
        prefix = leading * min(bits // blocks, WORD // leading)
        candidates = n * n / 2 / 2.0**prefix
        a_table = _TABLE + n * (_SORTED + _MOVED * columns) + candidates * _COMPARED * columns
        return comb(blocks, distance) * a_table

    return min(range(distance + 1, min(distance + 1 + _MOST_SPARE, bits) + 1), key=cost)
