"""Clusters of near-duplicates: the connected components of the pairs within a distance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.arrays import AnyValues, Positions, sort_keys
from simhash_doc.lookup.pairs import PAIRS_READ, Pairs, check_memory, find_all, ranks
from simhash_doc.lookup.tables import index_dtype

_LABELS = 1 << 18  # flattened at a time

Labels = npt.NDArray[np.signedinteger]


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """Groups of positions in the input: two or more in each, ascending; in the order of their first position.

    Attributes:
        members: positions of all groups, one after the other, shape (e,), int64.
        starts: where each group begins in `members`, and the end, shape (c + 1,), int64.
    """

    members: Positions
    starts: Positions

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[Positions]:
        for start, end in pairwise(self.starts.tolist()):
            yield self.members[start:end]


def find_clusters(
    values: AnyValues, blocks: int | None = None, distance: int | None = None, *, scheme: str | None = None
) -> Clusters:
    """Return the connected components of the fingerprints within `distance` bits of each other.

    Entries with equal fingerprints belong together. Two members of a cluster may be further apart
    than the distance, if others lie between. An entry without a near-duplicate is in no cluster, and
    neither is a masked one, which has no fingerprint; positions are those of the input.
    Arguments and errors are those of `find_all`.

    >>> [cluster.tolist() for cluster in find_clusters([0, 255, 7, 63, 0xFF00, 255])]
    [[0, 1, 2, 3, 5]]
    """
    return clusters_of(find_all(values, blocks, distance, scheme=scheme))


def clusters_of(pairs: Pairs, *, memory: int | None = None) -> Clusters:
    """Return the connected components of pairs that were found, as `find_clusters` does.

    It takes up to 32 bytes of memory for each fingerprint of 64 bits in a pair, more for wider ones, and 8 for each
    entry that has such a fingerprint.

    Args:
        pairs: the pairs; read in pieces, so that they may be mapped from a file.
        memory: bytes that it may take; None for any number.

    Raises:
        LookupParameterError: it would take more memory.
    """
    members = pairs.members(memory)
    keys = sort_keys(members)
    dtype = index_dtype(len(members))
    labels: Labels = np.arange(len(members), dtype=dtype)
    for start in range(0, len(pairs), PAIRS_READ):
        part = pairs.values[start : start + PAIRS_READ]
        unite(labels, ranks(keys, sort_keys(part[:, 0])), ranks(keys, sort_keys(part[:, 1])))
    count = flatten(labels)
    # Clusters are numbered in the order in which they occur in the input. `ends` has two places more than clusters:
    # it receives the sizes, then where each cluster begins, and at last where it ends, one place further.
    numbers, ends = np.full(len(members), -1, dtype), np.zeros(count + 2, np.int64)
    found = 0
    for _, rank in pairs.locations(members):
        roots = labels[rank]
        new, first = np.unique(roots[numbers[roots] < 0], return_index=True)
        numbers[new[np.argsort(first)]] = np.arange(found, found + len(new))
        found += len(new)
        np.add.at(ends, numbers[roots] + 2, 1)
    np.cumsum(ends, out=ends)
    arrays = (members, labels, numbers, ends) if keys is members else (members, keys, labels, numbers, ends)
    check_memory(len(members), sum(array.nbytes for array in arrays) + 8 * int(ends[-1]), memory)
    placed = np.empty(int(ends[-1]), np.int64)
    for at, rank in pairs.locations(members):
        _place(at, numbers[labels[rank]], ends[1:], placed)
    return Clusters(placed, ends[:-1])


def _place(at: Positions, numbers: Labels, following: Positions, placed: Positions) -> None:
    """Put positions, ascending, to the next places of their clusters, which advance."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    counts = np.diff(first, append=len(ordered))
    within = np.arange(len(ordered)) - np.repeat(first, counts)
    placed[following[ordered] + within] = at[order]
    following[ordered[first]] += counts


def components(nodes: int, a: Positions, b: Positions) -> Labels:
    """Return for each node the smallest node of its component; a and b are the ends of the edges."""
    labels: Labels = np.arange(nodes)
    unite(labels, a, b)
    flatten(labels)
    return labels


def unite(labels: Labels, a: Labels, b: Labels) -> None:
    """Join the components of the ends of edges.

    Args:
        labels: for each node a smaller one of its component; itself for the smallest. Changed in place.
        a, b: the ends of the edges, shape (p,).
    """
    a, b = _roots(labels, a), _roots(labels, b)
    while True:
        apart = a != b
        if not apart.any():
            return
        a, b = a[apart], b[apart]
        # Hook the roots with the larger label to the smaller, then flatten the resulting trees.
        high = np.maximum(a, b)
        np.minimum.at(labels, high, np.minimum(a, b))
        while True:
            above = labels[high]
            flatter = labels[above]
            if np.array_equal(above, flatter):
                break
            labels[high] = flatter
        a, b = labels[a], labels[b]


def flatten(labels: Labels) -> int:
    """Let each label be the smallest node of the component; return the number of components."""
    components = 0
    for start in range(0, len(labels), _LABELS):
        part = labels[start : start + _LABELS]
        while True:
            flatter = labels[part]
            if np.array_equal(part, flatter):
                break
            part[:] = flatter
        components += int(np.count_nonzero(part == np.arange(start, start + len(part))))
    return components


def _roots(labels: Labels, nodes: Labels) -> Labels:
    roots = labels[nodes]
    while True:
        above = labels[roots]
        if np.array_equal(above, roots):
            labels[nodes] = roots
            return roots
        roots = above
