"""Look-up beyond the exact distance: the least certain bits of a query are flipped first.

S. Sood, D. Loguinov, Probabilistic near-duplicate detection using simhash, CIKM 2011. An edit
rarely turns a bit whose bucket is large. So of the fingerprints further away than the tables
reach, most come into reach when the bits with the smallest buckets are flipped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.corpus import Corpus, Matches
from simhash_doc.lookup.errors import BadValueError, LookupParameterError
from simhash_doc.lookup.values import BITS, Values


def likely_flips(buckets: Sequence[int], most: int) -> Iterator[int]:
    """Yield XOR masks of up to `most` bits, in ascending order of the buckets that they overturn.

    Args:
        buckets: 64 signed numbers, that of bit 0 first; only their size counts.
        most: largest number of flipped bits.

    The first mask is 0. The cost of a mask is the sum of its buckets' sizes.

    >>> [f"{mask:b}" for mask, _ in zip(likely_flips([4, 1, 2, *[9] * 61], most=2), range(6))]
    ['0', '10', '100', '110', '1', '11']
    """
    order = sorted(range(len(buckets)), key=lambda bit: abs(buckets[bit]))
    sizes = [abs(buckets[bit]) for bit in order]
    yield 0
    # Each set of ranks has one parent: the set without its last rank, or with that rank one lower.
    # So a heap that begins with the least certain bit meets every set once, cheapest first.
    waiting: list[tuple[int, tuple[int, ...]]] = [(sizes[0], (0,))] if most and sizes else []
    while waiting:
        cost, ranks = heappop(waiting)
        yield sum(1 << order[rank] for rank in ranks)
        after = ranks[-1] + 1
        if after < len(order):
            heappush(waiting, (cost - sizes[ranks[-1]] + sizes[after], (*ranks[:-1], after)))
            if len(ranks) < most:
                heappush(waiting, (cost + sizes[after], (*ranks, after)))


def find_probable(corpus: Corpus, buckets: npt.ArrayLike, distance: int, probes: int = 64) -> Matches:
    """Return most stored fingerprints within a distance larger than the corpus finds exactly.

    Everything within `corpus.distance` is found. Of what is further away, how much depends on the
    number of probes and on how unsure the bits are that differ.

    Args:
        corpus: the stored fingerprints.
        buckets: the signed buckets of each query (see `simhash_doc.buckets`), shape (q, 64), index i
            belongs to bit i. Bits are set where the bucket is over 0.
        distance: largest number of differing bits, over `corpus.distance`.
        probes: how many queries to the corpus each query makes, the unchanged one first.

    Returns:
        As `Corpus.find_all_bulk`, each match once; a query's matches in ascending order.

    Raises:
        BadValueError: the buckets are of another shape or no integers.
        LookupParameterError: probes < 1, or the distance is not over that of the corpus.
    """
    rows = np.asarray(buckets)
    if rows.ndim != 2 or rows.shape[1] != BITS or rows.dtype.kind not in "iu":
        raise BadValueError(f"buckets of shape {rows.shape} and dtype {rows.dtype}; they are (q, {BITS}) integers")
    if probes < 1 or not corpus.distance < distance <= BITS:
        raise LookupParameterError(
            f"{probes} probes at distance {distance}; "
            f"needed: 1 or more, and a distance over the corpus's {corpus.distance}"
        )
    queries = fingerprints_of(rows)
    masks = [_first(likely_flips(row, distance - corpus.distance), probes) for row in rows.tolist()]
    counts = [len(row) for row in masks]
    asked = np.repeat(queries, counts) ^ np.array([mask for row in masks for mask in row], np.uint64)
    owner = np.repeat(np.arange(len(rows)), counts)
    found = corpus.find_all_bulk(asked)
    at, values = owner[found.queries], found.values
    distances = np.bitwise_count(queries[at] ^ values)
    near = np.flatnonzero(distances <= distance)
    near = near[np.lexsort((values[near], at[near]))]
    at, values, distances = at[near], values[near], distances[near]
    first = np.ones(len(at), bool)
    first[1:] = (at[1:] != at[:-1]) | (values[1:] != values[:-1])
    return Matches(at[first], values[first], distances[first])


def fingerprints_of(buckets: npt.NDArray[np.integer]) -> Values:
    """Return the fingerprints that buckets, shape (q, 64), stand for, shape (q,), uint64."""
    bits = np.packbits(buckets > 0, axis=1, bitorder="little")
    return bits.view("<u8").ravel().astype(np.uint64)


def _first(masks: Iterator[int], count: int) -> list[int]:
    return [mask for mask, _ in zip(masks, range(count), strict=False)]
