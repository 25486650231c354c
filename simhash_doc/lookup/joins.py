"""Fingerprints of any width joined by the keys of one table: in memory for wide ones, and in each task on Spark."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simhash_doc.engines.lanes import Lanes, popcount
from simhash_doc.lookup.arrays import Hashes, Positions
from simhash_doc.lookup.blocks import Tables

_LONG_RUN = 256  # candidates of one fingerprint; with more, comparing them in place beats gathering them
_GATHERED = 1 << 16  # candidates gathered at a time


def matches_within(rows: Lanes, tables: Tables, table: int) -> Iterator[tuple[Lanes, Lanes]]:
    """Yield both sides of the pairs that a table is the first to find, piece by piece.

    Args:
        rows: distinct fingerprints, shape (n, lanes).
    """
    rows, hashes = _by_key(rows, tables, table)
    lasts = np.append(np.flatnonzero(hashes[1:] != hashes[:-1]), len(hashes) - 1)
    ends = np.repeat(lasts + 1, np.diff(lasts, prepend=-1))
    for at, difference in _reported(rows, rows, np.arange(1, len(rows) + 1), ends, tables, table):
        yield rows[at], rows[at] ^ difference


def matches_between(queries: Lanes, stored: Lanes, tables: Tables, table: int) -> Iterator[tuple[Lanes, Lanes]]:
    """Yield the matches of queries among stored fingerprints that a table is the first to find, piece by piece."""
    queries, query_hashes = _by_key(queries, tables, table)
    stored, stored_hashes = _by_key(stored, tables, table)
    starts, ends = (
        np.searchsorted(stored_hashes, query_hashes, "left"),
        np.searchsorted(stored_hashes, query_hashes, "right"),
    )
    for at, difference in _reported(queries, stored, starts, ends, tables, table):
        yield queries[at], queries[at] ^ difference


def _by_key(rows: Lanes, tables: Tables, table: int) -> tuple[Lanes, Hashes]:
    hashes = tables.hashes(rows, table)
    order = np.argsort(hashes)
    return rows[order], hashes[order]


def _reported(
    a: Lanes, b: Lanes, starts: Positions, ends: Positions, tables: Tables, table: int
) -> Iterator[tuple[Positions, Lanes]]:
    """Compare row i of `a` with the rows starts[i] to ends[i] of `b`; yield i and the XOR of what is to be reported."""
    for at, difference in _differences(a, b, starts, ends):
        close = np.flatnonzero(popcount(difference) <= tables.distance)
        if len(close):
            ours = close[tables.is_first(difference[close], table)]
            if len(ours):
                yield at[ours] if isinstance(at, np.ndarray) else np.full(len(ours), at), difference[ours]


def _differences(a: Lanes, b: Lanes, starts: Positions, ends: Positions) -> Iterator[tuple[Positions | int, Lanes]]:
    """Yield positions in `a`, or one for all, and the XOR of their rows with candidates in `b`."""
    sizes = ends - starts
    few = np.flatnonzero((sizes > 0) & (sizes <= _LONG_RUN))
    totals = np.cumsum(sizes[few])
    cuts = np.searchsorted(totals, np.arange(_GATHERED, totals[-1] if len(totals) else 0, _GATHERED))
    for part in np.split(few, cuts):
        at = np.repeat(part, sizes[part])
        within = np.arange(len(at)) - np.repeat(np.cumsum(sizes[part]) - sizes[part], sizes[part])
        yield at, a[at] ^ b[starts[at] + within]
    for position in np.flatnonzero(sizes > _LONG_RUN).tolist():
        for start in range(starts[position], ends[position], _GATHERED):
            yield position, b[start : min(start + _GATHERED, ends[position])] ^ a[position]
