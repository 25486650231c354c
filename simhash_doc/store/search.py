"""Searches: documents near fingerprints, and all pairs and clusters of a collection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import merge
from itertools import islice

import numpy as np
import sqlalchemy as sa

from simhash_doc.engines.lanes import popcount
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.lookup.arrays import Positions, Values, from_rows
from simhash_doc.lookup.pairs import find_all, find_clusters
from simhash_doc.store.database import ROWS_AT_ONCE, Database, Found, Search
from simhash_doc.store.documents import Collection, Document, DocumentMatch, Pair, Scalar, scheme_text
from simhash_doc.store.errors import BadDocumentError, CollectionError
from simhash_doc.store.layout import Layout, StoredRow, check_distance, document, integer_table
from simhash_doc.store.schema import collections, listed, named_collection

FIRST_QUERIES = 16
_MOST_QUERIES = 1000
_MATCHES_AT_ONCE = 20_000  # of the queries that are searched at once; a match takes about 2 KB


def next_size(queries: int, matches: int) -> int:
    """Return the number of queries to search at once, after some of them had this number of matches together."""
    fitting = _MATCHES_AT_ONCE * queries // max(matches, 1)
    return max(1, min(2 * queries, fitting, _MOST_QUERIES))


def find_part(
    database: Database,
    connection: sa.Connection,
    fingerprints: Sequence[Fingerprint],
    distance: int | None,
    max_results: int | None,
    collection: str | None,
    where: Mapping[str, Scalar],
) -> list[list[DocumentMatch]]:
    """Return the matches of each fingerprint; they may be of several schemes.

    Args:
        distance: None is the close threshold of the scheme.
        collection: None for all collections of the scheme.

    Raises:
        BadDocumentError: one is not a `Fingerprint`.
        CollectionError: the collection does not exist, or not for a fingerprint's scheme.
        StoreParameterError: the distance is not below the number of slices.
    """
    by_scheme: dict[tuple[str, bool], list[int]] = {}
    for at, fingerprint in enumerate(fingerprints):
        if not isinstance(fingerprint, Fingerprint):
            raise BadDocumentError(f"{fingerprint!r} is not a Fingerprint")
        by_scheme.setdefault((fingerprint.scheme_id, fingerprint.canonical), []).append(at)
    known = collections(connection)
    by_number = {collection.number: collection for collection in known}
    answers: list[list[DocumentMatch]] = [[] for _ in fingerprints]
    for (scheme_id, canonical), places in by_scheme.items():
        values = [fingerprints[at].value for at in places]
        most = fingerprints[places[0]].scheme.or_close(distance)
        targets = _targets(connection, known, collection, scheme_id, canonical)
        found: list[list[Found]] = [[] for _ in places]
        for layout, number in targets:
            check_distance(layout.slices, most)
            search = Search(number, most, max_results, where)
            for at, one in enumerate(database.find(connection, layout, search, values)):
                found[at].append(one)
        for at, parts in zip(places, found, strict=True):
            nearest = merge(*parts, key=lambda item: (item[0], item[1].collection, item[1].id))
            answers[at] = [
                DocumentMatch(document(row, by_number.get(row.collection)), bits)
                for bits, row in islice(nearest, max_results)
            ]
    return answers


def _targets(
    connection: sa.Connection, known: Sequence[Collection], name: str | None, scheme_id: str, canonical: bool
) -> list[tuple[Layout, int | None]]:
    """Return the tables to search, with the number of the collection, or None for all of the table."""
    if name is not None:
        collection = named_collection(connection, name)
        # A customized fingerprint may be compared with others of its width (spec, section 11).
        if collection.scheme_id != scheme_id:
            raise CollectionError(
                f"collection {name!r} holds {collection.scheme} fingerprints; they cannot be compared with {scheme_id}"
            )
        return [(Layout.of(collection), collection.number)]
    fitting = [one for one in known if (one.scheme_id, one.canonical) == (scheme_id, canonical)]
    if known and not fitting:
        raise CollectionError(
            f"no collection holds {scheme_text(scheme_id, canonical)} fingerprints; "
            f"the store {listed([f'{one.name} ({one.scheme})' for one in known])}"
        )
    return [(layout, None) for layout in {Layout.of(one): None for one in fitting}]


# All pairs: the fingerprints of a collection are read once, and joined in memory.


def pairs(database: Database, connection: sa.Connection, collection: Collection, distance: int) -> Iterator[Pair]:
    """Yield every pair within a distance, once, in the order of insertion."""
    layout = Layout.of(collection)
    entries, fingerprints = _read_fingerprints(connection, layout, collection)
    found = find_all(fingerprints, distance=distance)
    for part in found.position_batches():
        rows = database.fetch(connection, layout, np.unique(entries[part]).tolist())
        ids = {row.entry: row.id for row in rows}
        apart = popcount(fingerprints[part[:, 0]] ^ fingerprints[part[:, 1]]).tolist()
        for (first, second), bits in zip(entries[part].tolist(), apart, strict=True):
            yield Pair(ids[first], ids[second], bits)


def clusters(
    database: Database, connection: sa.Connection, collection: Collection, distance: int
) -> Iterator[list[Document]]:
    """Yield the connected components of the pairs: two documents or more each, in the order of insertion."""
    layout = Layout.of(collection)
    entries, fingerprints = _read_fingerprints(connection, layout, collection)
    groups = find_clusters(fingerprints, distance=distance)
    rows = _rows_in_order(database, connection, layout, entries[groups.members].tolist())
    for members in groups:
        yield [document(next(rows), collection) for _ in members]


def _read_fingerprints(connection: sa.Connection, layout: Layout, collection: Collection) -> tuple[Positions, Values]:
    """Return the numbers of a collection's rows, ascending, shape (n,), and their fingerprints."""
    query = sa.text(
        f"SELECT entry, {', '.join(layout.lanes)} FROM {layout.name} WHERE collection = :collection ORDER BY entry"
    )
    options = {"stream_results": True, "yield_per": ROWS_AT_ONCE}
    rows = connection.execute(query, {"collection": collection.number}, execution_options=options)
    table = integer_table(rows, 1 + len(layout.lanes))
    return table[:, 0], from_rows(np.ascontiguousarray(table[:, 1:]).view(np.uint64))


def _rows_in_order(
    database: Database, connection: sa.Connection, layout: Layout, entries: Sequence[int]
) -> Iterator[StoredRow]:
    """Yield the rows of entries, in the order of these; an entry that occurs twice is yielded twice."""
    for start in range(0, len(entries), ROWS_AT_ONCE):
        part = entries[start : start + ROWS_AT_ONCE]
        rows = {row.entry: row for row in database.fetch(connection, layout, sorted(set(part)))}
        yield from (rows[entry] for entry in part)
