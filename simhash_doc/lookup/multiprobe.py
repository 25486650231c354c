"""Search beyond the exact distance: the least certain bits of a query are flipped first.

S. Sood, D. Loguinov, Probabilistic near-duplicate detection using simhash, CIKM 2011. An edit
rarely flips a bit whose bucket is large. So flipping the bits with the smallest buckets finds most
fingerprints that are beyond the distance of the tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import islice

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import popcount
from simhash_doc.lookup.arrays import Values, differs_from_previous, from_ints, from_rows, sort_keys
from simhash_doc.lookup.corpus import Corpus, Matches
from simhash_doc.lookup.errors import BadValueError, LookupParameterError


def likely_flips(buckets: Sequence[int], most: int) -> Iterator[int]:
    """Yield XOR masks of up to `most` bits, in ascending order of the buckets that they flip.

    Args:
        buckets: a signed number per bit, that of bit 0 first; only its absolute value matters.
        most: maximum number of flipped bits.

    The first mask is 0. The cost of a mask is the sum of the absolute values of its buckets.

    >>> [f"{mask:b}" for mask, _ in zip(likely_flips([4, 1, 2, *[9] * 61], most=2), range(6))]
    ['0', '10', '100', '110', '1', '11']
    """
    order = sorted(range(len(buckets)), key=lambda bit: abs(buckets[bit]))
    sizes = [abs(buckets[bit]) for bit in order]
    yield 0
    # Each set of ranks has one parent: the set without its last rank, or with that rank one lower.
    # So a heap that starts with the least certain bit yields every set once, cheapest first.
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

    Everything within `corpus.distance` is found. How much is found beyond it depends on the number
    of probes and on how uncertain the differing bits are.

    Args:
        corpus: the stored fingerprints.
        buckets: the signed buckets of each query (see `simhash_doc.buckets`), shape (q, bits): index
            64 j + i belongs to bit i of lane j. Bits are set where the bucket is over 0.
        distance: maximum number of differing bits, over `corpus.distance`.
        probes: number of queries of the corpus for each query, the unchanged one first.

    Returns:
        As `Corpus.find_all_bulk`, each match once; a query's matches in ascending order.

    Raises:
        BadValueError: the buckets have another shape or are not integers.
        LookupParameterError: probes < 1, or the distance is not over that of the corpus.
    """
    rows = np.asarray(buckets)
    lanes, bits = corpus.scheme.lanes, corpus.scheme.bits
    if rows.ndim != 2 or rows.shape[1] != bits or rows.dtype.kind not in "iu":
        raise BadValueError(f"buckets have shape {rows.shape} and dtype {rows.dtype}; expected (q, {bits}) integers")
    if probes < 1 or not corpus.distance < distance <= bits:
        raise LookupParameterError(
            f"probes is {probes} and distance {distance}; "
            f"required: 1 or more probes, and a distance over the corpus's {corpus.distance}"
        )
    queries = fingerprints_of(rows)
    # Bit 0 of a mask is that of the last lane.
    ascending = rows.reshape(-1, lanes, 64)[:, ::-1].reshape(-1, bits)
    masks = [list(islice(likely_flips(row, distance - corpus.distance), probes)) for row in ascending.tolist()]
    counts = [len(row) for row in masks]
    probed = np.repeat(queries, counts, axis=0) ^ from_ints([mask for row in masks for mask in row], lanes)
    owner = np.repeat(np.arange(len(rows)), counts)
    found = corpus.find_all_bulk(probed)
    at, values = owner[found.queries], found.values
    distances = popcount(queries[at] ^ values)
    near = np.flatnonzero(distances <= distance)
    near = near[np.lexsort((sort_keys(values[near]), at[near]))]
    at, values, distances = at[near], values[near], distances[near]
    first = differs_from_previous(values) | differs_from_previous(at.view(np.uint64))
    return Matches(at[first], values[first], distances[first])


def fingerprints_of(buckets: npt.NDArray[np.integer]) -> Values:
    """Return the fingerprints of buckets of shape (q, bits)."""
    bits = np.packbits(buckets > 0, axis=1, bitorder="little")
    return from_rows(bits.view("<u8").astype(np.uint64))
