"""Looking up fingerprints in the collections of their scheme."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import islice

import sqlalchemy as sa

from simhash_doc.store.database import Database
from simhash_doc.store.documents import Collection, Document, Match, Scalar, check_filter, is_integer, scheme_text
from simhash_doc.store.engines import Found, Search, StoredRow
from simhash_doc.store.errors import BadDocumentError, CollectionError, StoreParameterError
from simhash_doc.store.layout import Layout
from simhash_doc.store.schema import collections
from simhash_doc.store.slices import check_distance, from_words
from simhash_doc.value import Fingerprint


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of every query; `distance` None is the scheme's recommended threshold."""

    distance: int | None
    limit: int | None
    collection: str | None
    where: Mapping[str, Scalar]

    @classmethod
    def checked(
        cls, distance: int | None, limit: int | None, collection: str | None, where: Mapping[str, Scalar] | None
    ) -> Question:
        """Return the question.

        Raises:
            StoreParameterError: the limit is no positive integer, or the filter holds what cannot be.
        """
        if limit is not None and (not is_integer(limit) or limit < 1):
            raise StoreParameterError(f"limit is {limit!r}; it is 1 or more, or None for all")
        return cls(distance, limit, collection, check_filter(where))


def named_collection(connection: sa.Connection, name: str) -> Collection:
    """Return a collection.

    Raises:
        CollectionError: there is none of this name.
    """
    known = collections(connection)
    for collection in known:
        if collection.name == name:
            return collection
    raise CollectionError(f"there is no collection {name!r}; there {_listed([one.name for one in known])}")


def find_part(
    database: Database, connection: sa.Connection, queries: Sequence[Fingerprint], question: Question
) -> list[list[Match]]:
    """Return the matches of each query, queries of any schemes.

    Raises:
        BadDocumentError: a query is no `Fingerprint`.
        CollectionError: there is no such collection, or none of a query's scheme.
        StoreParameterError: the distance is not below the number of slices.
    """
    by_scheme: dict[tuple[str, bool], list[int]] = {}
    for at, query in enumerate(queries):
        if not isinstance(query, Fingerprint):
            raise BadDocumentError(f"{query!r} is no Fingerprint")
        by_scheme.setdefault((query.scheme_id, query.canonical), []).append(at)
    known = collections(connection)
    by_number = {collection.number: collection for collection in known}
    answers: list[list[Match]] = [[] for _ in queries]
    for (scheme_id, canonical), places in by_scheme.items():
        asked = [queries[at] for at in places]
        distance = asked[0].scheme.close if question.distance is None else question.distance
        targets = _targets(connection, known, question.collection, scheme_id, canonical)
        found: list[list[Found]] = [[] for _ in asked]
        for layout, number in targets:
            check_distance(layout.slices, distance)
            search = Search(number, distance, question.limit, question.where)
            values = [query.value for query in asked]
            for at, one in enumerate(database.engine.find(connection, layout, search, values)):
                found[at].append(one)
        for at, parts in zip(places, found, strict=True):
            nearest = merge(*parts, key=lambda item: (item[0], item[1].collection, item[1].id))
            answers[at] = [
                Match(document(row, by_number[row.collection]), bits) for bits, row in islice(nearest, question.limit)
            ]
    return answers


def document(row: StoredRow, collection: Collection) -> Document:
    """Return a row as the document that it holds."""
    made = Fingerprint(from_words(row.words), collection.scheme_id, collection.canonical)
    return Document(row.id, made, row.uri, collection.name, json.loads(row.metadata), row.time)


def _targets(
    connection: sa.Connection, known: Sequence[Collection], name: str | None, scheme_id: str, canonical: bool
) -> list[tuple[Layout, int | None]]:
    """Return the tables to search, with the number of the collection, or None for all of the table."""
    if name is not None:
        collection = named_collection(connection, name)
        # A customised fingerprint may be compared with others of its width (spec, section 11).
        if collection.scheme_id != scheme_id:
            raise CollectionError(
                f"collection {name!r} holds {collection.scheme} fingerprints; a query of {scheme_id} cannot be compared"
            )
        return [(Layout.of(collection), collection.number)]
    fitting = [one for one in known if (one.scheme_id, one.canonical) == (scheme_id, canonical)]
    if known and not fitting:
        raise CollectionError(
            f"no collection holds {scheme_text(scheme_id, canonical)} fingerprints; "
            f"there {_listed([f'{one.name} ({one.scheme})' for one in known])}"
        )
    return [(layout, None) for layout in {Layout.of(one): None for one in fitting}]


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return f"are: {shown}" if names else "are none"
