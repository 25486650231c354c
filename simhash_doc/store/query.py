"""Queries of fingerprints in the collections of their scheme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice

import sqlalchemy as sa

from simhash_doc.fingerprint import Fingerprint
from simhash_doc.store.backend import Found, Search
from simhash_doc.store.database import Database
from simhash_doc.store.documents import Collection, Match, Scalar, check_filter, is_integer, scheme_text
from simhash_doc.store.errors import BadDocumentError, CollectionError, StoreParameterError
from simhash_doc.store.layout import Layout
from simhash_doc.store.schema import collections
from simhash_doc.store.slices import check_distance
from simhash_doc.store.stored import document

FIRST_QUERIES = 16
_MOST_QUERIES = 1000
_MATCHES_AT_ONCE = 20_000  # of the queries that are searched at once; a match takes about 2 KB


def next_size(queries: int, matches: int) -> int:
    """Return the number of queries to search at once, after some of them had this number of matches together."""
    fitting = _MATCHES_AT_ONCE * queries // max(matches, 1)
    return max(1, min(2 * queries, fitting, _MOST_QUERIES))


@dataclass(frozen=True, slots=True)
class Query:
    """The conditions of a match; `distance` None is the close threshold of the scheme."""

    distance: int | None
    max_results: int | None
    collection: str | None
    where: Mapping[str, Scalar]

    @classmethod
    def checked(
        cls, distance: int | None, max_results: int | None, collection: str | None, where: Mapping[str, Scalar] | None
    ) -> Query:
        """Return the query.

        Raises:
            StoreParameterError: `max_results` is not a positive integer, or the filter is invalid.
        """
        if max_results is not None and (not is_integer(max_results) or max_results < 1):
            raise StoreParameterError(f"max_results is {max_results!r}; expected 1 or more, or None for all")
        return cls(distance, max_results, collection, check_filter(where))


def named_collection(connection: sa.Connection, name: str) -> Collection:
    """Return a collection.

    Raises:
        CollectionError: there is no collection of this name.
    """
    known = collections(connection)
    for collection in known:
        if collection.name == name:
            return collection
    raise CollectionError(f"unknown collection {name!r}; the store {_listed([one.name for one in known])}")


def find_part(
    database: Database, connection: sa.Connection, fingerprints: Sequence[Fingerprint], query: Query
) -> list[list[Match]]:
    """Return the matches of each fingerprint; they may be of several schemes.

    Raises:
        BadDocumentError: one is not a `Fingerprint`.
        CollectionError: there is no such collection, or none of a fingerprint's scheme.
        StoreParameterError: the distance is not below the number of slices.
    """
    by_scheme: dict[tuple[str, bool], list[int]] = {}
    for at, fingerprint in enumerate(fingerprints):
        if not isinstance(fingerprint, Fingerprint):
            raise BadDocumentError(f"{fingerprint!r} is not a Fingerprint")
        by_scheme.setdefault((fingerprint.scheme_id, fingerprint.canonical), []).append(at)
    known = collections(connection)
    by_number = {collection.number: collection for collection in known}
    answers: list[list[Match]] = [[] for _ in fingerprints]
    for (scheme_id, canonical), places in by_scheme.items():
        values = [fingerprints[at].value for at in places]
        distance = fingerprints[places[0]].scheme.close if query.distance is None else query.distance
        targets = _targets(connection, known, query.collection, scheme_id, canonical)
        found: list[list[Found]] = [[] for _ in places]
        for layout, number in targets:
            check_distance(layout.slices, distance)
            search = Search(number, distance, query.max_results, query.where)
            for at, one in enumerate(database.backend.find(connection, layout, search, values)):
                found[at].append(one)
        for at, parts in zip(places, found, strict=True):
            nearest = merge(*parts, key=lambda item: (item[0], item[1].collection, item[1].id))
            answers[at] = [
                Match(document(row, by_number[row.collection]), bits)
                for bits, row in islice(nearest, query.max_results)
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
            f"the store {_listed([f'{one.name} ({one.scheme})' for one in known])}"
        )
    return [(layout, None) for layout in {Layout.of(one): None for one in fitting}]


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return f"has {shown}" if names else "has none"
