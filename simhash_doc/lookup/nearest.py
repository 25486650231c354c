"""The nearest of many signatures to each query, by comparing all."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import Lanes
from simhash_doc.engines.select import select_engine
from simhash_doc.lookup.errors import BadValueError, LookupParameterError
from simhash_doc.lookup.positions import Positions
from simhash_doc.parallel.pool import available_cores, ordered_map_in_threads

Signatures = npt.NDArray[np.uint8]
"""Shape (n, bits / 8)."""
_Rows = TypeVar("_Rows", Signatures, Lanes)
Nearest = tuple[Positions, npt.NDArray[np.int64]]
"""Positions of the signatures nearest to a query, nearest first, and their distances."""

NONE = -1  # in place of a missing answer, if a query has fewer than k
_TASK = 1 << 31  # comparisons: about a second
_FEWEST, _MOST = 16, 1 << 10  # queries of a task


@dataclass(frozen=True, slots=True, eq=False)
class TopK:
    """The k nearest signatures of each query, nearest first, equal distances by position.

    k is at most the number of signatures.

    Attributes:
        positions: of the signatures, shape (q, k), int64; -1 where an approximate search found fewer.
        distances: in bits, shape (q, k), int64; -1 where it found fewer.

    >>> from simhash_doc.lookup import IsslIndex
    >>> from simhash_doc import Fingerprint
    >>> values = [Fingerprint(0), Fingerprint(7), Fingerprint(255)]
    >>> found = IsslIndex(values, bits=64).exhaustive([Fingerprint(3)], k=2)
    >>> found.positions.tolist(), found.distances.tolist()
    ([[1, 0]], [[1, 2]])
    """

    positions: npt.NDArray[np.int64]
    distances: npt.NDArray[np.int64]


def find_nearest(rows: _Rows, queries: _Rows, k: int = 10, *, threads: int | None = None) -> TopK:
    """Return exactly the k nearest rows to each query; all are compared.

    Equal distances are in the order of the rows. So ascending fingerprints give the order of `Corpus.nearest`: nearest
    first, then ascending.

    Args:
        rows: fingerprints of shape (n, lanes), uint64, or signatures of shape (n, bits / 8), uint8.
        queries: the same, shape (q, lanes) or (q, bits / 8).
        k: number of answers, at least 1; of fewer rows, all are answers.
        threads: number of threads that share the queries; None for all cores.

    Raises:
        BadValueError: rows and queries have different widths.
        LookupParameterError: k or the number of threads is below 1.

    >>> found = find_nearest(np.array([[7], [0], [1]], np.uint64), np.array([[3]], np.uint64), 2)
    >>> found.positions.tolist(), found.distances.tolist()
    ([[0, 2]], [[1, 1]])
    """
    if k < 1 or (threads is not None and threads < 1):
        raise LookupParameterError(f"k is {k} and threads {threads}; expected at least 1")
    if rows.dtype != queries.dtype or rows.shape[1:] != queries.shape[1:]:
        raise BadValueError(
            f"the rows have shape {rows.shape} and dtype {rows.dtype}, and the queries {queries.shape} and "
            f"{queries.dtype}; expected the same width"
        )
    stored, asked = _bytes_of(rows), _bytes_of(queries)
    k, compare = min(k, len(stored)), _compiled if is_compiled() else _compare_all
    size = min(max(_TASK // max(1, len(stored)), _FEWEST), _MOST)
    return answer_in_threads(lambda share: compare(stored, share, k), asked, size, threads or available_cores())


def is_compiled() -> bool:
    """Return whether the compiled core searches."""
    return select_engine(0).name == "native"


def answer_in_threads(answer: Callable[[Signatures], TopK], queries: Signatures, size: int, threads: int) -> TopK:
    """Return the answers to queries, at most `size` of which are asked at a time."""
    size = max(1, min(size, -(-len(queries) // threads)))
    shares = (queries[start : start + size] for start in range(0, len(queries), size))
    parts = [answer(queries[:0]), *ordered_map_in_threads(answer, shares, threads)]
    return TopK(np.concatenate([part.positions for part in parts]), np.concatenate([part.distances for part in parts]))


def answers_of_core(found: tuple[bytearray, bytearray], queries: int, k: int) -> TopK:
    """Return what the compiled core has found for so many queries."""
    positions, distances = (np.frombuffer(part, np.int64).reshape(queries, k) for part in found)
    return TopK(positions, distances)


def filled_up(found: Iterable[Nearest], queries: int, k: int) -> TopK:
    """Return the answers to each of so many queries, filled up."""
    top = TopK(np.full((queries, k), NONE), np.full((queries, k), NONE))
    for at, (positions, distances) in enumerate(found):
        top.positions[at, : len(positions)] = positions
        top.distances[at, : len(distances)] = distances
    return top


def nearest_to_one(signatures: Signatures, query: Signatures, k: int, among: Positions | None = None) -> Nearest:
    """Return the k nearest of some signatures to one query by comparing them all.

    Args:
        signatures: shape (n, b), uint8.
        query: shape (b,), uint8.
        k: number of answers.
        among: positions to compare, ascending, shape (c,); None for all.
    """
    chosen = signatures if among is None else signatures[among]
    width = np.uint64 if signatures.shape[1] % 8 == 0 else np.uint16
    distances = np.bitwise_count(chosen.view(width) ^ query.view(width)).sum(axis=1, dtype=np.int64)
    near = as_near_as_kth(distances, k)
    near = near[np.argsort(distances[near], kind="stable")[:k]]
    return near if among is None else among[near], distances[near]


def as_near_as_kth(distances: npt.NDArray[np.integer], k: int) -> Positions:
    """Return the positions, ascending, of all distances that are at most the k-th smallest: k or more of them."""
    if k >= len(distances):
        return np.arange(len(distances))
    return np.flatnonzero(distances <= np.partition(distances, k - 1)[k - 1])


def _compiled(rows: Signatures, queries: Signatures, k: int) -> TopK:
    from simhash_doc_native import nearest as compare

    return answers_of_core(compare(rows, queries, k), len(queries), k)


def _compare_all(rows: Signatures, queries: Signatures, k: int) -> TopK:
    return filled_up((nearest_to_one(rows, query, k) for query in queries), len(queries), k)


def _bytes_of(rows: _Rows) -> Signatures:
    return np.ascontiguousarray(rows).view(np.uint8)
