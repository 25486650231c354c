"""What describes a store: its version, its collections, and the provenances of their fingerprints."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import ArgumentError

from simhash_doc.errors import SchemeMismatchError, UnknownSchemeError
from simhash_doc.fingerprint import CUSTOM_SUFFIX
from simhash_doc.provenance import InvalidProvenanceError, Provenance
from simhash_doc.schemes import get_scheme
from simhash_doc.store import sqlite
from simhash_doc.store.database import Database, shown_url
from simhash_doc.store.documents import Collection, check_text, is_integer, scheme_text
from simhash_doc.store.errors import (
    BadDocumentError,
    CollectionError,
    CorruptStoreError,
    DatabaseError,
    NoStoreError,
    SchemaVersionError,
    StoreParameterError,
)
from simhash_doc.store.layout import (
    COLLECTION_TABLE,
    SCHEMA_TABLE,
    TABLES,
    Layout,
    cut_slices,
    default_slices,
    integer_column,
    text_column,
)
from simhash_doc.store.postgresql import Postgresql
from simhash_doc.store.sqlite import Sqlite

_KEYWORDS = re.compile(r"(?:\s*+(?:host|hostaddr|port|dbname|user|password)\s*+=\s*+(?:'[^']*+'|\S*+)(?:\s++|\Z)){2,}+")
"""A connection string of PostgreSQL: two keywords or more with values."""
_SERVER = re.compile(r"postgres(?:ql)?(?:\+[a-z0-9]+)?:", re.IGNORECASE)
"""The beginning of a URL of PostgreSQL, of which a slash may be missing."""
_LOGIN = re.compile(
    r"(?:[^/:]*+//)?+[^/:]*+:.*@|(?:\[[^]]*+]|(?:[^:\\]|\\.)*+):(?:\d++|\*):(?:[^:\\]|\\.)*+:[^:]*+:.", re.DOTALL
)
"""A user, a password and a server, with a beginning that is mistyped, or without one; or a line of .pgpass."""
_PASSWORD = re.compile(r"(?!\.{0,2}/).*(?<!\w)(?=\w*(?:pass|pwd))\w++\s*+=", re.DOTALL | re.IGNORECASE)
"""A password with its keyword, in a connection string of any kind; not a path that begins as one."""

SCHEMA_VERSION = 1
LONGEST_NAME = 200  # bytes
MOST_PROVENANCES = 100
"""Different provenances that a collection keeps; more are not recorded."""
_LONGEST_PROVENANCE = 1 << 24  # bytes
# Created with the first provenance. A store without it, such as one that another program creates, is complete.
_PROVENANCE_TABLE = sa.Table(
    "simhash_provenance",
    sa.MetaData(),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("collection", sa.Integer, nullable=False),
    sa.Column("provenance", sa.Text, nullable=False),
)


def open_database(url: str | os.PathLike[str], *, create: bool, timeout: float) -> Database:
    """Open the database of a store; the arguments and errors are those of `FingerprintStore`."""
    if not timeout > 0:
        raise StoreParameterError(f"timeout is {timeout!r}; expected a positive number of seconds")
    database = _opened(_parsed(os.fspath(url)), create=create, timeout=timeout)
    try:
        _open_tables(database, create=create)
    except BaseException:
        database.close()
        raise
    return database


def shown_store(url: str) -> str:
    """Return the path or URL of a store as messages show it, without a password."""
    return shown_url(_parsed(url)) if "://" in url else url


def is_store_file(url: str, path: str) -> bool:
    """Return True for a file that belongs to the SQLite database of a path or URL, or would if it existed."""
    try:
        parsed = _parsed(url)
    except DatabaseError:  # reported when it is opened
        return False
    return parsed.get_backend_name() == "sqlite" and sqlite.is_database_file(parsed.database or "", path)


def _parsed(url: str) -> sa.URL:
    if _KEYWORDS.fullmatch(url) or ("://" not in url and _PASSWORD.match(url) and not os.path.lexists(url)):
        raise DatabaseError(
            "a connection string such as host=... is not read; expected postgresql://USER:PASSWORD@HOST/NAME, "
            "or the path of a SQLite file"
        )
    if "://" not in url and not _SERVER.match(url):
        if _LOGIN.match(os.path.splitdrive(url)[1]) and not os.path.lexists(url):  # it may hold a password
            raise DatabaseError(
                "a login such as USER:PASSWORD@HOST is not read; expected postgresql://USER:PASSWORD@HOST/NAME, "
                "or the path of a SQLite file, such as ./NAME"
            )
        return sa.URL.create("sqlite", database=url)
    try:
        url.encode()  # fails if there is a lone surrogate
        parsed = sa.make_url(url.replace("postgres://", "postgresql://", 1) if url.startswith("postgres://") else url)
    except (ArgumentError, ValueError):
        parsed = None
    named = [one or "" for one in (parsed.username, parsed.host, parsed.database)] if parsed else []
    if parsed is None or "@" in named[1] or any(map(_PASSWORD.match, named)):  # parts of a password
        # The error is not its cause: it may quote the password.
        raise DatabaseError(
            f"{url.partition(':')[0]}:...: not a database URL; expected postgresql://USER:PASSWORD@HOST:PORT/NAME, "
            "with special characters of the password as %XX, such as %40 for @"
        )
    return parsed


def _opened(url: sa.URL, *, create: bool, timeout: float) -> Database:
    match url.get_backend_name():
        case "sqlite" if not (url.username or url.password or url.host):
            return Sqlite(url.set(drivername="sqlite"), create=create, timeout=timeout)
        case "postgresql":
            return Postgresql(url, timeout=timeout)
    raise DatabaseError(
        f"{shown_url(url)}: unsupported database; a store is in SQLite (a path) or PostgreSQL (postgresql://...)"
    )


def _open_tables(database: Database, *, create: bool) -> None:
    """Create the tables if there are none and `create` is set; reject those of another version."""
    with database.reading() as connection:
        database.check_objects(connection)
        version = _version(connection)
    if version is None:
        if not create:
            raise NoStoreError(f"{database.shown}: this database contains no store")
        version = database.write(lambda connection: _create_tables(database, connection))
        database.close()  # new connections are set up for a store
    if version != SCHEMA_VERSION:
        raise SchemaVersionError(
            f"{database.shown}: the store has schema version {version}; this program supports version "
            f"{SCHEMA_VERSION}: use a{' newer' if version > SCHEMA_VERSION else 'n older'} simhash-doc"
        )


def _version(connection: sa.Connection) -> int | None:
    if not sa.inspect(connection).has_table(SCHEMA_TABLE.name):
        return None
    version = integer_column("version", connection.dialect.name)
    versions = connection.execute(sa.text(f"SELECT {version} FROM {SCHEMA_TABLE.name} LIMIT 2")).scalars().all()
    if len(versions) > 1 or not all(map(is_integer, versions)):
        raise CorruptStoreError(f"table {SCHEMA_TABLE.name} does not hold one version: {versions!r:.100}")
    return versions[0] if versions else None


def _create_tables(database: Database, connection: sa.Connection) -> int:
    """Create the tables unless another process has done so meanwhile; return their version."""
    database.lock_schema(connection)
    if (version := _version(connection)) is not None:
        return version
    TABLES.create_all(connection)
    connection.execute(sa.insert(SCHEMA_TABLE).values(version=SCHEMA_VERSION))
    return SCHEMA_VERSION


def collections(connection: sa.Connection) -> list[Collection]:
    """Return all collections in the order of their creation."""
    return [_collection(row) for row in connection.execute(_collections(connection, "ORDER BY number"))]


def _collections(connection: sa.Connection, condition: str) -> sa.TextClause:
    dialect = connection.dialect.name
    columns = [
        "number",
        *(text_column(name, dialect, LONGEST_NAME) for name in ("name", "scheme")),
        integer_column("slices", dialect),
    ]
    return sa.text(f"SELECT {', '.join(columns)} FROM {COLLECTION_TABLE.name} {condition}")


def named_collection(connection: sa.Connection, name: str) -> Collection:
    """Return a collection.

    Raises:
        CollectionError: the collection does not exist.
    """
    if (found := find_collection(connection, name)) is None:
        known = [one.name for one in collections(connection)]
        raise CollectionError(f"unknown collection {name!r}; the store {listed(known)}")
    return found


def listed(names: Sequence[str]) -> str:
    """Return the names that a store has, for a message."""
    shown = ", ".join(names[:10]) + (f" and {len(names) - 10} more" if len(names) > 10 else "")
    return f"has {shown}" if names else "has none"


def find_collection(connection: sa.Connection, name: str) -> Collection | None:
    try:
        check_text(name, "a collection's name")
    except BadDocumentError:  # no database can hold it, or be asked for it
        return None
    row = connection.execute(_collections(connection, "WHERE name = :name"), {"name": name}).one_or_none()
    return None if row is None else _collection(row)


def _collection(row: Sequence[Any]) -> Collection:
    number, name, scheme, slices = row
    if not (isinstance(name, str) and isinstance(scheme, str) and is_integer(number) and is_integer(slices)):
        raise CorruptStoreError(f"table {COLLECTION_TABLE.name}: a column holds another type: {tuple(row)!r:.200}")
    try:
        check_text(name, "the name", LONGEST_NAME, 1)
    except BadDocumentError as error:
        raise CorruptStoreError(f"table {COLLECTION_TABLE.name}: collection {number}: {error!s:.200}") from error
    scheme_id = scheme.removesuffix(CUSTOM_SUFFIX)
    try:
        bits = get_scheme(scheme_id).bits
    except UnknownSchemeError as error:
        raise DatabaseError(
            f"collection {name!r} is of scheme {scheme!r}, which this program does not support"
        ) from error
    if not 1 <= slices <= bits:
        raise CorruptStoreError(f"collection {name!r} has {slices} slices; expected 1 to {bits}")
    return Collection(number, name, get_scheme(scheme_id), scheme == scheme_id, slices)


def check_new_collection(name: str, scheme_id: str, slices: int | None) -> int:
    """Return the number of slices of a collection that can be created; the errors are those of `create_collection`."""
    check_text(name, "a collection's name", LONGEST_NAME, 1)
    scheme = get_scheme(scheme_id)
    number_of_slices = default_slices(scheme) if slices is None else slices
    cut_slices(scheme.bits, number_of_slices)
    return number_of_slices


def ensure_collection(
    database: Database, connection: sa.Connection, name: str, scheme_id: str, canonical: bool, slices: int | None
) -> Collection:
    """Return a collection, created if it does not exist; see `create_collection`. Needs a writing transaction."""
    check_text(name, "a collection's name", LONGEST_NAME, 1)
    found = find_collection(connection, name)
    if found is None:
        number_of_slices = check_new_collection(name, scheme_id, slices)
        database.lock_schema(connection)
        # Another transaction may have created it before this one got the lock.
        found = find_collection(connection, name)
    if found is None:
        layout = Layout(scheme_id, canonical, number_of_slices)
        layout.table(database.dialect).create(connection, checkfirst=True)
        values = {"name": name, "scheme": scheme_text(scheme_id, canonical), "slices": number_of_slices}
        connection.execute(sa.insert(COLLECTION_TABLE).values(values))
        found = find_collection(connection, name)
        assert found is not None
    check_collection(found, scheme_id, canonical, slices)
    return found


def check_collection(collection: Collection, scheme_id: str, canonical: bool, slices: int | None = None) -> None:
    """Raise a `CollectionError` for another scheme, or another number of slices, than those of a collection."""
    scheme = scheme_text(scheme_id, canonical)
    if scheme != collection.scheme_text:
        raise CollectionError(
            f"collection {collection.name!r} holds {collection.scheme_text} fingerprints, not {scheme}: "
            "use another collection for these"
        )
    if slices is not None and slices != collection.slices:
        raise CollectionError(
            f"collection {collection.name!r} has {collection.slices} slices, not {slices}; their number is fixed "
            "when a collection is created"
        )


def read_provenances(connection: sa.Connection, collection: Collection) -> tuple[Provenance, ...]:
    """Return the different provenances of a collection, in the order of their addition."""
    if not sa.inspect(connection).has_table(_PROVENANCE_TABLE.name):
        return ()
    column = text_column("provenance", connection.dialect.name, _LONGEST_PROVENANCE)
    query = sa.text(f"SELECT {column} FROM {_PROVENANCE_TABLE.name} WHERE collection = :collection ORDER BY number")
    found = connection.execute(query, {"collection": collection.number}).scalars()
    return tuple(_parsed_provenance(text, collection) for text in found)


def record_provenances(
    database: Database, connection: sa.Connection, collection: Collection, provenances: Iterable[Provenance]
) -> None:
    """Add those that a collection does not have yet. Needs a writing transaction."""
    database.lock_schema(connection)
    known = read_provenances(connection, collection)
    new = [one for one in dict.fromkeys(provenances) if one not in known]
    for one in new:
        if one.scheme != collection.scheme.id:
            raise SchemeMismatchError(
                f"the provenance is of scheme {one.scheme}, collection {collection.name!r} of {collection.scheme}"
            )
    if new and not known:
        _PROVENANCE_TABLE.create(connection, checkfirst=True)
    for one in new[: MOST_PROVENANCES - len(known)]:
        connection.execute(sa.insert(_PROVENANCE_TABLE).values(collection=collection.number, provenance=one.to_json()))


def _parsed_provenance(text: object, collection: Collection) -> Provenance:
    try:
        if isinstance(text, str):
            return Provenance.from_json(text)
        problem: object = "it is not a text"
    except InvalidProvenanceError as error:
        problem = error
    raise CorruptStoreError(
        f"table {_PROVENANCE_TABLE.name}: a provenance of collection {collection.name!r}: {problem}"
    )
