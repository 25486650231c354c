"""Many queries at once: joined with all fingerprints of a table, which are read once, instead of searched by slices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
import sqlalchemy as sa

from simhash_doc.arrays import Lanes, ints_from_lanes, lanes_from_ints, lanes_from_values, values_from_lanes
from simhash_doc.lookup.corpus import Corpus
from simhash_doc.lookup.positions import Positions
from simhash_doc.schemes import get_scheme
from simhash_doc.store.database import ROWS_AT_ONCE, Database, FoundRows, Search
from simhash_doc.store.layout import Layout, StoredRow, integer_table

_SECONDS_PER_ROW = 5e-6  # to read and to join a fingerprint, measured
_JOINED_ROWS = 1 << 20  # that are joined at once


@dataclass(slots=True)
class Route:
    """How queries are answered: by the slices, or by a join.

    Attributes:
        seconds: that a query took by the slices of a table, when it was last searched so.
        joined: whether the last queries were joined.
    """

    seconds: dict[Layout, float] = field(default_factory=dict)
    joined: bool = False

    def joins(self, connection: sa.Connection, layout: Layout, queries: int) -> bool:
        """Return whether a join is faster; not for the first queries of a table, which show what the slices take."""
        if layout not in self.seconds:
            return False
        rows = connection.execute(sa.text(f"SELECT max(entry) FROM {layout.name}")).scalar_one() or 0  # or fewer
        return self.seconds[layout] * queries > _SECONDS_PER_ROW * rows


def find_joined(
    database: Database, connection: sa.Connection, layout: Layout, search: Search, queries: Sequence[int]
) -> list[FoundRows]:
    """Return what `Database.find` finds for a search without metadata.

    The queries are the corpus, in which each stored fingerprint is looked up: `find_all` would also compare the stored
    ones with each other.
    """
    positions: defaultdict[int, list[int]] = defaultdict(list)
    for number, query in enumerate(queries):
        positions[query].append(number)
    corpus = Corpus(distance=search.distance, scheme=get_scheme(layout.scheme_id))
    corpus.add_many(values_from_lanes(lanes_from_ints(list(positions), len(layout.lanes))))
    near: list[list[tuple[int, int]]] = [[] for _ in queries]  # distances and entries
    for entries, stored in fingerprints_of(connection, layout, search.collection, _JOINED_ROWS):
        found = corpus.find_many(values_from_lanes(stored))
        values = ints_from_lanes(lanes_from_values(found.values))
        for value, bits, entry in zip(values, found.distances.tolist(), entries[found.queries].tolist(), strict=True):
            for number in positions[value]:
                near[number].append((bits, entry))
        if search.limit:
            near = [_nearest(one, search.limit) for one in near]
    needed = sorted({entry for one in near for _, entry in one})
    rows: dict[int, StoredRow] = {}
    for start in range(0, len(needed), ROWS_AT_ONCE):
        fetched = database.fetch(connection, layout, needed[start : start + ROWS_AT_ONCE])
        rows |= {row.entry: row for row in fetched}
    ranked = (sorted(((bits, rows[entry]) for bits, entry in one), key=_rank) for one in near)
    return [one[: search.limit] for one in ranked]


def _rank(found: tuple[int, StoredRow]) -> tuple[int, int, str]:
    return found[0], found[1].collection, found[1].id


def _nearest(found: list[tuple[int, int]], count: int) -> list[tuple[int, int]]:
    """Return the nearest of (distance, entry), and all that are as far as the last of them: their ids decide."""
    if len(found) <= count:
        return found
    farthest = sorted(distance for distance, _ in found)[count - 1]
    return [one for one in found if one[0] <= farthest]


def fingerprints_of(
    connection: sa.Connection, layout: Layout, collection: int | None = None, size: int | None = None
) -> Iterator[tuple[Positions, Lanes]]:
    """Yield the numbers of rows, ascending, shape (n,), and their fingerprints, shape (n, lanes), piece by piece.

    Args:
        collection: its number; None for all rows of the table.
        size: the largest number of rows in a piece; None for one piece with all rows, even if there are none.
    """
    condition = "" if collection is None else "WHERE collection = :collection "
    lanes = layout.lanes_of(connection.dialect.name)
    query = sa.text(f"SELECT entry, {lanes} FROM {layout.name} {condition}ORDER BY entry")
    options = {"stream_results": True, "yield_per": ROWS_AT_ONCE}
    parameters = {} if collection is None else {"collection": collection}
    rows = iter(connection.execute(query, parameters, execution_options=options))
    while True:
        table = integer_table(islice(rows, size), 1 + len(layout.lanes))
        if size is None or len(table):
            yield table[:, 0], np.ascontiguousarray(table[:, 1:]).view(np.uint64)
        if size is None or len(table) < size:
            return
