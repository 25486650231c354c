"""Clusters of near-duplicates: the connected components of the pairs within a distance."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from simhash_doc.lookup.arrays import AnyValues, Positions
from simhash_doc.lookup.pairs import Pairs, find_all


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


def clusters_of(pairs: Pairs) -> Clusters:
    """Return the connected components of pairs that were found, as `find_clusters` does.

    It takes about 100 bytes of memory for each pair and each entry that has a near-duplicate.
    """
    members = pairs.members()
    ends = pairs.ends(members)
    labels = components(len(members), ends[:, 0], ends[:, 1])
    at, rank = pairs.locate(members)
    label = labels[rank]
    # Named after its first position, a cluster sorts to its place.
    first = np.full(len(members), int(at.max(initial=0)) + 1)
    np.minimum.at(first, label, at)
    order = np.argsort(first[label], kind="stable")
    cluster = first[label][order]
    edges = np.flatnonzero(cluster[1:] != cluster[:-1]) + 1
    return Clusters(at[order], np.concatenate(([0], edges, [len(cluster)])) if len(cluster) else np.zeros(1, np.int64))


def components(nodes: int, a: Positions, b: Positions) -> Positions:
    """Return for each node the smallest node of its component; a and b are the ends of the edges."""
    labels = np.arange(nodes)
    while True:
        of_a, of_b = labels[a], labels[b]
        low, high = np.minimum(of_a, of_b), np.maximum(of_a, of_b)
        apart = low != high
        if not apart.any():
            return labels
        a, b = a[apart], b[apart]
        # Hook the roots with the larger label to the smaller, then flatten the resulting trees.
        np.minimum.at(labels, high[apart], low[apart])
        while True:
            flatter = labels[labels]
            if np.array_equal(flatter, labels):
                break
            labels = flatter
