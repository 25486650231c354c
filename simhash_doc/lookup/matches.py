"""What queries of a corpus find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import SupportsIndex

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import Values, ints_from_lanes, lanes_from_values
from simhash_doc.lookup.ids import Id
from simhash_doc.lookup.positions import Positions
from simhash_doc.notebooks import SHOWN, html_table

_BATCH = 1 << 14  # queries


@dataclass(frozen=True, slots=True)
class Match:
    """A stored fingerprint that a query found.

    Attributes:
        value: the fingerprint as an int.
        distance: the bits in which it differs from the query.
        ids: its ids, in the order of insertion.

    >>> from simhash_doc.lookup import Corpus
    >>> corpus = Corpus()
    >>> corpus.insert(7, id="a.txt")
    True
    >>> [(match.value, match.distance, match.ids) for match in corpus.find(0)]
    [(7, 3, ('a.txt',))]
    """

    value: int
    distance: int
    ids: tuple[Id, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Matches:
    """The matches of several queries: a sequence with a list of `Match` for each query, in the order of the queries.

    Attributes:
        count: number of queries; a missing one finds nothing.
        queries: position of the query of each match, shape (m,), int64, ascending.
        values: the stored fingerprint of each match, shape (m,), or (m, lanes) over 64 bits, uint64: for one query
            nearest first, then ascending.
        distances: bits in which they differ, shape (m,): uint8, or uint16 over 64 bits.
        ids_of: returns the ids of a fingerprint.

    >>> from simhash_doc.lookup import Corpus
    >>> corpus = Corpus()
    >>> corpus.add_many([0, 7])
    2
    >>> found = corpus.find_many([1, 2**40 - 1])
    >>> len(found), found[1], found.queries.tolist(), found.values.tolist(), found.distances.tolist()
    (2, [], [0, 0], [0, 7], [1, 2])
    """

    count: int
    queries: Positions
    values: Values
    distances: npt.NDArray[np.unsignedinteger]
    ids_of: Callable[[int], tuple[Id, ...]]

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: SupportsIndex) -> list[Match]:
        at = range(self.count)[number]
        start, end = np.searchsorted(self.queries, [at, at + 1]).tolist()
        return self._between(start, end)

    def __iter__(self) -> Iterator[list[Match]]:
        for first in range(0, self.count, _BATCH):
            ends = np.searchsorted(self.queries, np.arange(first, min(first + _BATCH, self.count) + 1)).tolist()
            for start, end in pairwise(ends):
                yield self._between(start, end)

    def __repr__(self) -> str:
        return f"<Matches: {len(self.values):,} of {self.count:,} queries>"

    def _repr_html_(self) -> str:
        rows = zip(self.queries[:SHOWN].tolist(), self._between(0, SHOWN), strict=True)
        shown = ((query, match.value, match.distance, ", ".join(map(str, match.ids))) for query, match in rows)
        return html_table(repr(self), ("query", "value", "distance", "ids"), shown)

    def _between(self, start: int, end: int) -> list[Match]:
        values = ints_from_lanes(lanes_from_values(self.values[start:end]))
        distances = self.distances[start:end].tolist()
        return [Match(value, bits, self.ids_of(value)) for value, bits in zip(values, distances, strict=True)]
