"""The provenances of the fingerprints of a collection: a table that is created with the first of them.

Stores without the table, such as those that other programs create, are complete; nothing is known then.
"""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from simhash_doc.errors import SchemeMismatchError
from simhash_doc.ingest.errors import InvalidProvenanceError
from simhash_doc.ingest.provenance import Provenance
from simhash_doc.store.database import Database
from simhash_doc.store.documents import Collection
from simhash_doc.store.errors import CorruptStoreError

MOST = 100
"""Different provenances that a collection keeps; more are not recorded."""
_TABLE = sa.Table(
    "simhash_provenance",
    sa.MetaData(),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("collection", sa.Integer, nullable=False),
    sa.Column("provenance", sa.Text, nullable=False),
)


def read_provenances(connection: sa.Connection, collection: Collection) -> tuple[Provenance, ...]:
    """Return the different provenances of a collection, in the order of their addition.

    Raises:
        CorruptStoreError: the table holds data that this program did not store.
    """
    if not sa.inspect(connection).has_table(_TABLE.name):
        return ()
    query = sa.select(_TABLE.c.provenance).where(_TABLE.c.collection == collection.number).order_by(_TABLE.c.number)
    return tuple(_parsed(text, collection) for text in connection.execute(query).scalars())


def record_provenances(
    database: Database, connection: sa.Connection, collection: Collection, provenances: Iterable[Provenance]
) -> None:
    """Add those that a collection does not have yet. Needs a writing transaction.

    Raises:
        SchemeMismatchError: one is of another scheme than the collection.
    """
    database.backend.lock_schema(connection)
    known = list(read_provenances(connection, collection))
    new = [one for one in dict.fromkeys(provenances) if one not in known]
    for one in new:
        if one.scheme != collection.scheme_id:
            raise SchemeMismatchError(
                f"the provenance is of scheme {one.scheme}, collection {collection.name!r} of {collection.scheme_id}"
            )
    if not known:
        _TABLE.create(connection, checkfirst=True)
    for one in new[: MOST - len(known)]:
        connection.execute(sa.insert(_TABLE).values(collection=collection.number, provenance=one.to_json()))


def _parsed(text: object, collection: Collection) -> Provenance:
    try:
        if isinstance(text, str):
            return Provenance.from_json(text)
        problem: object = "it is not a text"
    except InvalidProvenanceError as error:
        problem = error
    raise CorruptStoreError(f"table {_TABLE.name}: a provenance of collection {collection.name!r}: {problem}")
