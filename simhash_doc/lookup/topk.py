"""Top-k results: the nearest signatures in order, the exact search, and the merge of partial results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from simhash_doc.fingerprint import Fingerprint
from simhash_doc.lookup.errors import BadValueError, LookupParameterError

Signatures = npt.NDArray[np.uint8]
NONE = -1  # in place of a missing answer, if a query has fewer than k
MOST_BITS = 4096


@dataclass(frozen=True, slots=True, eq=False)
class TopK:
    """The k nearest signatures of each query, nearest first, equal distances by position.

    Attributes:
        positions: of the signatures, shape (q, k), int64; -1 where there are fewer.
        distances: in bits, shape (q, k), int64; -1 where there are fewer.
    """

    positions: npt.NDArray[np.int64]
    distances: npt.NDArray[np.int64]


def as_signatures(signatures: Iterable[Fingerprint | bytes] | npt.NDArray[np.uint8], bits: int) -> Signatures:
    """Return signatures as an array of shape (n, bits / 8), uint8, most significant byte first.

    Accepts such an array, or an iterable of `Fingerprint`s or bytes.

    Raises:
        BadValueError: a signature has another width, or the array has another shape or dtype.
        LookupParameterError: bits is not a multiple of 16 from 16 to 4096.
    """
    check_bits(bits)
    if isinstance(signatures, np.ndarray):
        if signatures.dtype != np.uint8 or signatures.ndim != 2 or signatures.shape[1] * 8 != bits:
            raise BadValueError(
                f"the array has shape {signatures.shape} and dtype {signatures.dtype}; "
                f"signatures of {bits} bits are (n, {bits // 8}) of uint8"
            )
        return np.ascontiguousarray(signatures)
    rows = [bytes(signature) for signature in signatures]
    for at, row in enumerate(rows):
        if len(row) * 8 != bits:
            raise BadValueError(f"position {at}: the signature has {len(row) * 8} bits, not {bits}")
    return np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), bits // 8)


def check_bits(bits: int) -> None:
    """Reject a width that cannot be cut into slices of 16 bits."""
    if bits % 16 or not 16 <= bits <= MOST_BITS:
        raise LookupParameterError(f"bits is {bits}; signatures have a multiple of 16 bits, from 16 to {MOST_BITS}")


def nearest(signatures: Signatures, query: Signatures, k: int, among: npt.NDArray[np.int64] | None = None) -> TopK:
    """Return the k nearest of some signatures to one query by comparing them all.

    Args:
        signatures: shape (n, b), uint8.
        query: shape (b,), uint8.
        among: positions to compare, ascending, shape (c,); None for all.
    """
    chosen = signatures if among is None else signatures[among]
    width = np.uint64 if signatures.shape[1] % 8 == 0 else np.uint16
    difference = chosen.view(width) ^ query.view(width)
    distances = np.bitwise_count(difference).sum(axis=1, dtype=np.int64)
    if k < len(distances):
        # All that are as near as the k-th, so that equal distances are ordered by position.
        near = np.flatnonzero(distances <= np.partition(distances, k - 1)[k - 1])
    else:
        near = np.arange(len(distances))
    near = near[np.argsort(distances[near], kind="stable")[:k]]
    ranked = TopK(np.full((1, k), NONE), np.full((1, k), NONE))
    ranked.positions[0, : len(near)] = near if among is None else among[near]
    ranked.distances[0, : len(near)] = distances[near]
    return ranked


def merge_topk(parts: Sequence[TopK], offsets: Sequence[int], k: int) -> TopK:
    """Merge the results of the same queries in parts of a collection.

    Args:
        parts: one result per part, of the same number of queries q.
        offsets: position in the collection of each part's first signature.
        k: number of answers to keep; the result is exact if each part has as many.

    Returns:
        The result of a search in the complete collection, with positions in it.
    """
    if len(parts) != len(offsets):
        raise LookupParameterError(f"{len(parts)} parts and {len(offsets)} offsets: each part needs one offset")
    counted = [
        np.where(part.positions == NONE, NONE, part.positions + offset)
        for part, offset in zip(parts, offsets, strict=True)
    ]
    positions = np.concatenate(counted, axis=1)
    distances = np.concatenate([part.distances for part in parts], axis=1)
    last = np.where(positions == NONE, np.iinfo(np.int64).max, distances)
    order = np.lexsort((positions, last), axis=1)[:, :k]
    return TopK(np.take_along_axis(positions, order, 1), np.take_along_axis(distances, order, 1))


def recall(found: TopK, exact: TopK) -> float:
    """Return the share of the exact answers that were found, counting any signature as near as the k-th.

    With k = 10 this is recall@10.
    """
    wanted = (exact.distances != NONE).sum(axis=1)
    farthest = exact.distances.max(axis=1, keepdims=True)
    hits = ((found.distances != NONE) & (found.distances <= farthest)).sum(axis=1)
    return float(np.minimum(hits, wanted).sum() / max(1, wanted.sum()))


def stacked(rows: Sequence[TopK], k: int) -> TopK:
    """Join results of one query each."""
    none = np.empty((0, k), np.int64)
    return TopK(
        np.concatenate([none, *(row.positions for row in rows)]),
        np.concatenate([none, *(row.distances for row in rows)]),
    )
