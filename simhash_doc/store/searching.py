"""Answers to queries: which tables are searched, by slices or with a join, and how their matches are merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice

import sqlalchemy as sa

from simhash_doc.errors import SpecError, shown
from simhash_doc.fingerprint import Fingerprint, of_text
from simhash_doc.schemes import SchemeId, get_scheme, or_close
from simhash_doc.store.database import Database, FoundRows, Search
from simhash_doc.store.documents import Collection, DocumentMatch, Scalar, scheme_text
from simhash_doc.store.errors import BadDocumentError, CollectionError
from simhash_doc.store.joining import Route, find_joined
from simhash_doc.store.layout import Layout, check_distance, document
from simhash_doc.store.schema import collections, listed, named_collection


@dataclass(frozen=True, slots=True)
class Query:
    """What `FingerprintStore.find` looks for, apart from the fingerprints.

    Attributes:
        distance: bits that may differ; None for the close threshold of each scheme.
        limit: maximum number of matches of a fingerprint, or None.
        collection: name of the collection; None for all of the scheme.
        where: keys that the metadata must have, with these values.
    """

    distance: int | None
    limit: int | None
    collection: str | None
    where: Mapping[str, Scalar]


def find_matches(
    database: Database,
    connection: sa.Connection,
    given: Sequence[Fingerprint | str | None],
    query: Query,
    route: Route,
) -> list[list[DocumentMatch]]:
    """Return the matches of each fingerprint or text form, none for None; they may be of several schemes."""
    fingerprints = [*map(_fingerprint, given)]
    by_scheme: dict[tuple[SchemeId, bool], list[int]] = {}
    for at, fingerprint in enumerate(fingerprints):
        if fingerprint is None:
            continue
        by_scheme.setdefault((fingerprint.scheme.id, fingerprint.canonical), []).append(at)
    known = collections(connection)
    by_number = {one.number: one for one in known}
    answers: list[list[DocumentMatch]] = [[] for _ in fingerprints]
    for (scheme_id, canonical), places in by_scheme.items():
        values = [fingerprint.value for at in places if (fingerprint := fingerprints[at])]
        maximum = or_close(get_scheme(scheme_id), query.distance)
        found: list[list[FoundRows]] = [[] for _ in places]
        for layout, number in _searched(connection, known, query.collection, scheme_id, canonical):
            check_distance(layout.slices, maximum)
            search = Search(number, maximum, query.limit, query.where)
            for parts, one in zip(found, _search(database, connection, layout, search, values, route), strict=True):
                parts.append(one)
        for at, parts in zip(places, found, strict=True):
            nearest = merge(*parts, key=lambda item: (item[0], item[1].collection, item[1].id))
            answers[at] = [
                DocumentMatch(document(row, by_number.get(row.collection)), bits)
                for bits, row in islice(nearest, query.limit)
            ]
    return answers


def _fingerprint(given: object) -> Fingerprint | None:
    if given is None or isinstance(given, Fingerprint):
        return given
    if not isinstance(given, str):
        raise BadDocumentError(f"the query is {shown(given)}; expected a Fingerprint or its text form")
    try:
        return Fingerprint.parse(given)
    except SpecError as error:
        raise BadDocumentError(f"the query: {error}{of_text(given)}") from error


def _search(
    database: Database, connection: sa.Connection, layout: Layout, search: Search, queries: Sequence[int], route: Route
) -> list[FoundRows]:
    """Return the matches of queries in one table, on the faster route."""
    route.joined = not search.where and route.joins(connection, layout, len(queries))
    if route.joined:
        return find_joined(database, connection, layout, search, queries)
    started = database.clock()
    found = list(database.find(connection, layout, search, queries))
    route.seconds[layout] = (database.clock() - started) / len(queries)
    return found


def _searched(
    connection: sa.Connection, known: Sequence[Collection], name: str | None, scheme_id: str, canonical: bool
) -> list[tuple[Layout, int | None]]:
    """Return the tables to search, with the number of the collection, or None for all of the table."""
    if name is not None:
        collection = named_collection(connection, name)
        # A customized fingerprint may be compared with others of its width (spec, section 11).
        if collection.scheme.id != scheme_id:
            raise CollectionError(
                f"collection {name!r} holds {collection.scheme_text} fingerprints; they cannot be compared with "
                f"{scheme_id}"
            )
        return [(Layout.of(collection), collection.number)]
    fitting = [one for one in known if (one.scheme.id, one.canonical) == (scheme_id, canonical)]
    if known and not fitting:
        raise CollectionError(
            f"no collection holds {scheme_text(scheme_id, canonical)} fingerprints; "
            f"the store {listed([f'{one.name} ({one.scheme_text})' for one in known])}"
        )
    return [(layout, None) for layout in {Layout.of(one): None for one in fitting}]
