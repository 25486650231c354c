"""The tables of a store: their creation, and their migration from older versions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from simhash_doc.errors import UnknownSchemeError
from simhash_doc.fingerprint import CUSTOM_SUFFIX
from simhash_doc.schemes import get_scheme
from simhash_doc.store.database import Database
from simhash_doc.store.documents import Collection, check_text, is_integer, scheme_text
from simhash_doc.store.errors import BusyError, CollectionError, CorruptStoreError, DatabaseError, SchemaVersionError
from simhash_doc.store.layout import COLLECTION_TABLE, SCHEMA_TABLE, TABLES, Layout
from simhash_doc.store.slices import cut

VERSION = 1
# From each older version to the next.
MIGRATIONS: Mapping[int, Callable[[sa.Connection], None]] = {}
LONGEST_NAME = 200  # bytes
_ATTEMPT = 0.5  # seconds


def open_schema(database: Database, *, create: bool) -> None:
    """Create the tables if there are none and `create` is set; migrate those of an older version.

    Raises:
        DatabaseError: there is no store.
        SchemaVersionError: the store is of a newer version.
    """
    deadline = time.monotonic() + database.timeout
    while (version := database.read(_version)) != VERSION:
        if version is None and not create:
            raise DatabaseError(f"{database.shown}: this database contains no store")
        if version is not None and version > VERSION:
            raise SchemaVersionError(
                f"{database.shown}: the store has schema version {version}; this program supports up to {VERSION}: "
                "use a newer simhash-doc"
            )
        try:
            database.write(lambda connection: _migrate(database, connection), timeout=_ATTEMPT)
            database.close()  # new connections are set up for a store
        except BusyError:
            # Another process may have created the tables meanwhile, and be using them.
            if time.monotonic() > deadline:
                raise


def _version(connection: sa.Connection) -> int | None:
    if not sa.inspect(connection).has_table(SCHEMA_TABLE.name):
        return None
    versions = connection.execute(sa.select(SCHEMA_TABLE.c.version)).scalars().all()
    if len(versions) > 1 or not all(map(is_integer, versions)):
        raise CorruptStoreError(f"table {SCHEMA_TABLE.name} does not hold one version: {versions!r:.100}")
    return versions[0] if versions else None


def _migrate(database: Database, connection: sa.Connection) -> None:
    database.backend.lock_schema(connection)
    version = _version(connection)
    if version is None:
        TABLES.create_all(connection)
        connection.execute(sa.insert(SCHEMA_TABLE).values(version=VERSION))
        return
    for step in range(version, VERSION):
        MIGRATIONS[step](connection)
    connection.execute(sa.update(SCHEMA_TABLE).values(version=VERSION))


def collections(connection: sa.Connection) -> list[Collection]:
    """Return all collections in the order of their creation."""
    rows = connection.execute(sa.select(COLLECTION_TABLE).order_by(COLLECTION_TABLE.c.number))
    return [_collection(row) for row in rows]


def find_collection(connection: sa.Connection, name: str) -> Collection | None:
    row = connection.execute(sa.select(COLLECTION_TABLE).where(COLLECTION_TABLE.c.name == name)).one_or_none()
    return None if row is None else _collection(row)


def _collection(row: Sequence[Any]) -> Collection:
    number, name, scheme, slices = row
    if not (isinstance(name, str) and isinstance(scheme, str) and is_integer(number) and is_integer(slices)):
        raise CorruptStoreError(f"table {COLLECTION_TABLE.name}: a column holds another type: {tuple(row)!r:.200}")
    scheme_id = scheme.removesuffix(CUSTOM_SUFFIX)
    try:
        bits = get_scheme(scheme_id).bits
    except UnknownSchemeError as error:
        raise CollectionError(
            f"collection {name!r} is of scheme {scheme!r}, which this program does not support"
        ) from error
    if not 1 <= slices <= bits:
        raise CorruptStoreError(f"collection {name!r} has {slices} slices; expected 1 to {bits}")
    return Collection(number, name, scheme_id, scheme == scheme_id, slices)


def ensure_collection(
    database: Database, connection: sa.Connection, name: str, scheme_id: str, canonical: bool, slices: int | None
) -> Collection:
    """Return a collection, created if it does not exist. Needs a writing transaction.

    Raises:
        CollectionError: it exists with another scheme or number of slices.
        BadDocumentError: the name is empty, over 200 bytes long, or not a text.
        StoreParameterError: not 1 <= slices <= bits.
    """
    check_text(name, "a collection's name", LONGEST_NAME)
    found = find_collection(connection, name)
    if found is None:
        scheme = get_scheme(scheme_id)
        number_of_slices = scheme.close + 1 if slices is None else slices
        cut(scheme.bits, number_of_slices)
        database.backend.lock_schema(connection)
        # Another transaction may have created it before this one got the lock.
        found = find_collection(connection, name)
    if found is None:
        layout = Layout(scheme.id, canonical, number_of_slices)
        layout.table(database.backend.name).create(connection, checkfirst=True)
        values = {"name": name, "scheme": scheme_text(scheme.id, canonical), "slices": number_of_slices}
        connection.execute(sa.insert(COLLECTION_TABLE).values(values))
        found = find_collection(connection, name)
        assert found is not None
    check_collection(found, scheme_id, canonical, slices)
    return found


def check_collection(collection: Collection, scheme_id: str, canonical: bool, slices: int | None = None) -> None:
    """Reject fingerprints of another scheme than the collection's.

    Raises:
        CollectionError: the scheme or the number of slices differs.
    """
    scheme = scheme_text(scheme_id, canonical)
    if scheme != collection.scheme:
        raise CollectionError(
            f"collection {collection.name!r} holds {collection.scheme} fingerprints, not {scheme}: "
            "use another collection for these"
        )
    if slices is not None and slices != collection.slices:
        raise CollectionError(
            f"collection {collection.name!r} has {collection.slices} slices, not {slices}; their number is fixed "
            "when a collection is created"
        )
