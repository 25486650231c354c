"""Clusters of near-duplicates: the connected components of the pairs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from simhash_doc.arguments import collection, integer, real
from simhash_doc.arrays import (
    Hashes,
    Lanes,
    distinct_rows,
    empty_lanes,
    equal_rows,
    lanes_from_values,
    mixed,
    popcount,
    sort_keys,
    sorted_rows,
    values_from_lanes,
)
from simhash_doc.lookup.errors import LookupParameterError
from simhash_doc.lookup.inputs import AnyValues, support_of
from simhash_doc.lookup.joins import PairArrays, Searched, gathered
from simhash_doc.lookup.pairs import (
    Pairs,
    check_memory,
    joined_pairs,
    located_batches,
    members_of,
    ranks_of,
    searched_values,
    searched_within,
)
from simhash_doc.lookup.planning.join import JoinPlan, Nearness, plan_join
from simhash_doc.lookup.positions import Positions, ranges_from
from simhash_doc.lookup.tables import index_dtype
from simhash_doc.notebooks import SHOWN, html_table
from simhash_doc.schemes import AnyScheme
from simhash_doc.thresholds import Distance

_PAIRS_READ = 1 << 17  # at a time, since they may be mapped from a file
_PAIRS_HELD = 1 << 16  # at least, before they are replaced by stars
_LABELS = 1 << 18  # flattened at a time

Labels = npt.NDArray[np.signedinteger]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Clusters:
    """Clusters of two or more positions in the input. Positions ascend, and so do the first positions of the clusters.

    `len(clusters)` is the number of clusters, and `for members in clusters` yields the positions of each, shape (m,),
    int64.

    Attributes:
        members: concatenated positions of all clusters, shape (e,), int64.
        starts: where each cluster begins in `members`, and the end, shape (c + 1,), int64.

    >>> clusters = find_clusters([0, 7, 2**40 - 1, 2**40 - 2])
    >>> len(clusters), clusters[0].tolist(), [members.tolist() for members in clusters]
    (2, [0, 1], [[0, 1], [2, 3]])
    """

    members: Positions
    starts: Positions

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __iter__(self) -> Iterator[Positions]:
        for start, end in pairwise(self.starts.tolist()):
            yield self.members[start:end]

    def __getitem__(self, number: SupportsIndex) -> Positions:
        at = range(len(self))[number]
        return self.members[self.starts[at] : self.starts[at + 1]]

    def __repr__(self) -> str:
        return f"<Clusters: {len(self):,} of {len(self.members):,} positions>"

    def _repr_html_(self) -> str:
        rows = ((members[0], len(members), ", ".join(map(str, members[:SHOWN].tolist()))) for members in self)
        return html_table(repr(self), ("first", "size", "positions"), islice(rows, SHOWN))


def find_clusters(
    values: AnyValues,
    *,
    distance: Distance = None,
    sd64_distance: int | None = None,
    blocks: int | None = None,
    scheme: AnyScheme | None = None,
    min_support: float = 0,
) -> Clusters:
    """Return the connected components of the fingerprints within `distance` bits of each other.

    Entries with equal fingerprints belong together. Two members of a cluster may be further apart than the distance, if
    other members lie between them. Entries without a near-duplicate or without a fingerprint are in no cluster.

    Args:
        values: as for `find_all`, without the path of a file.
        distance: as for `find_all`.
        sd64_distance: as for `find_all`.
        blocks: as for `find_all`.
        scheme: as for `find_all`.
        min_support: texts with a smaller support (see `Measurement.support`) are in no cluster: one frequent word may
            bring unrelated texts near them, which would connect clusters. 15 is recommended. If it is over 0, `values`
            are `Fingerprints`, or a table with the column ``support``; a text whose support is null stays.

    Returns:
        Positions in the input.

    Raises:
        TypeError, BadValueError, LookupParameterError, TooExpensiveError: as for `find_all`.
        BadValueError: there is a `min_support`, and the values do not contain the support.

    >>> [cluster.tolist() for cluster in find_clusters([0, 255, 7, 63, 0xFF00, 255])]
    [[0, 1, 2, 3, 5]]
    """
    if isinstance(values, str | os.PathLike):
        collection(values, "values", "fingerprints")
    min_support = real(min_support, "min_support")
    if min_support < 0:
        raise LookupParameterError(f"min_support is {min_support:g}; expected 0 or more")
    searched = searched_values(values, scheme=scheme)
    if min_support > 0:
        searched = _supported(searched, support_of(values), min_support)
    near = searched_within(searched, distance, sd64_distance=sd64_distance, blocks=blocks)
    return clusters_of(connecting_pairs(searched, near))


def _supported(searched: Searched, support: npt.NDArray[np.float64], least: float) -> Searched:
    """Return the fingerprints without those of documents with less support, shape (n,); NaN is not less."""
    places = np.arange(len(support)) if searched.places is None else searched.places
    enough = ~(support[places] < least)
    return Searched(searched.values[enough], places[enough])


def affordable_clusters(values: Lanes, distance: int, most: float) -> Clusters | None:
    """Return the clusters of `find_clusters`; None if it takes too long to find them.

    Args:
        values: shape (n, lanes).
        distance: most bits in which near fingerprints differ.
        most: comparisons for each fingerprint; beyond them, it takes too long.

    Raises:
        LookupParameterError: the distance is not supported.
    """
    searched = searched_values(values)
    near = searched_within(searched, distance)
    plan = plan_join(searched.values, near, warn=False)
    if plan.cost > most:
        return None
    return clusters_of(_connected(searched, near, plan))


def connecting_pairs(searched: Searched, near: Nearness) -> Pairs:
    """Return pairs that connect the fingerprints of one input as all pairs within a distance do.

    They are as many as fingerprints that have a near one, however many pairs there are: each with the least of its
    component. Arguments and errors are as for `find_all`.
    """
    return _connected(searched, near, plan_join(searched.values, near, warn=False))


def _connected(searched: Searched, near: Nearness, plan: JoinPlan) -> Pairs:
    values = searched.values
    pairs = _stars(joined_pairs(values, plan, near, connect=True), values.shape[1])
    found = np.stack([values_from_lanes(side) for side in pairs], axis=1)
    return Pairs(values_from_lanes(values), found, popcount(pairs[0] ^ pairs[1]), searched.places)


def _stars(pairs: Iterable[PairArrays], lanes: int) -> PairArrays:
    """Return each fingerprint of a pair with the least of its connected component, itself for the least."""
    kept = [(empty_lanes(lanes), empty_lanes(lanes))]
    known = _by_hash(kept[0])
    held, limit = 0, _PAIRS_HELD
    for piece in gathered(pairs):
        kept.append(_not_connected(piece, *known))
        held += len(kept[-1][0])
        if held > limit:
            kept = [_star_of_each(kept)]
            known = _by_hash(kept[0])
            held = len(kept[0][0])
            limit = max(_PAIRS_HELD, 2 * held)
    return _star_of_each(kept)


def _by_hash(stars: PairArrays) -> tuple[Hashes, PairArrays]:
    """Return the hashes of the members of stars, ascending, and the stars in this order."""
    hashes = mixed(stars[1])
    order = np.argsort(hashes)
    return hashes[order], (stars[0][order], stars[1][order])


def _not_connected(pairs: PairArrays, hashes: Hashes, stars: PairArrays) -> PairArrays:
    """Return the pairs that stars do not connect, and those of members with one hash, which are few.

    Each of many tables finds the pairs of a template. Looking them up by a hash is faster than sorting them.
    """
    centres, members = stars
    if not len(members):
        return pairs
    ends = [np.minimum(ranks_of(hashes, mixed(side)), len(members) - 1) for side in pairs]
    connected = equal_rows(centres[ends[0]], centres[ends[1]])
    for side, end in zip(pairs, ends, strict=True):
        connected &= equal_rows(members[end], side)
    return pairs[0][~connected], pairs[1][~connected]


def _star_of_each(pairs: list[PairArrays]) -> PairArrays:
    members = distinct_rows(sorted_rows(np.concatenate([side for pair in pairs for side in pair])))
    keys = sort_keys(members)
    labels: Labels = np.arange(len(members), dtype=index_dtype(len(members)))
    for first, second in pairs:
        unite(labels, ranks_of(keys, sort_keys(first)), ranks_of(keys, sort_keys(second)))
    flatten(labels)
    return members[labels], members


def clusters_of(pairs: Pairs, *, memory: int | None = None) -> Clusters:
    """Return the connected components of the pairs that a search found, like `find_clusters`.

    It takes up to 32 bytes of memory for each 64-bit fingerprint in a pair, more for a wider fingerprint, and 8 for
    each entry with such a fingerprint.

    Args:
        pairs: the pairs; read in pieces, so that they may be mapped from a file.
        memory: bytes that it may take; None for any number.

    Raises:
        TypeError: the pairs are not `Pairs`.
        LookupParameterError: it would take more memory.

    >>> from simhash_doc.lookup import find_all
    >>> [members.tolist() for members in clusters_of(find_all([0, 7, 2**40 - 1, 63]))]
    [[0, 1, 3]]
    """
    if not isinstance(pairs, Pairs):
        raise TypeError(f"pairs is {type(pairs).__name__}; expected the Pairs of find_all")
    if memory is not None:
        memory = integer(memory, "memory", 0, error=LookupParameterError)
    members = members_of(pairs, memory)
    keys = sort_keys(members)
    dtype = index_dtype(len(members))
    labels: Labels = np.arange(len(members), dtype=dtype)
    for start in range(0, len(pairs.value_pairs), _PAIRS_READ):
        part = pairs.value_pairs[start : start + _PAIRS_READ]
        first, second = (ranks_of(keys, sort_keys(lanes_from_values(part[:, side]))) for side in (0, 1))
        unite(labels, first, second)
    count = flatten(labels)
    # Clusters are numbered in the order in which they occur in the input. `ends` has two places more than clusters:
    # it receives the sizes, then where each cluster begins, and at last where it ends, one place further.
    numbers, ends = np.full(len(members), -1, dtype), np.zeros(count + 2, np.int64)
    found = 0
    for _, rank in located_batches(pairs, members):
        roots = labels[rank]
        new, first = np.unique(roots[numbers[roots] < 0], return_index=True)
        numbers[new[np.argsort(first)]] = np.arange(found, found + len(new))
        found += len(new)
        np.add.at(ends, numbers[roots] + 2, 1)
    np.cumsum(ends, out=ends)
    of_keys = 0 if np.may_share_memory(keys, members) else keys.nbytes
    needed = sum(array.nbytes for array in (members, labels, numbers, ends)) + of_keys + 8 * int(ends[-1])
    check_memory(len(members), needed, memory)
    placed = np.empty(int(ends[-1]), np.int64)
    for at, rank in located_batches(pairs, members):
        _place(at, numbers[labels[rank]], ends[1:], placed)
    return Clusters(placed, ends[:-1])


def _place(at: Positions, numbers: Labels, following: Positions, placed: Positions) -> None:
    """Put positions, ascending, to the next places of their clusters, which advance."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    first = np.flatnonzero(np.diff(ordered, prepend=-1))
    counts = np.diff(first, append=len(ordered))
    placed[ranges_from(following[ordered[first]], counts)] = at[order]
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
