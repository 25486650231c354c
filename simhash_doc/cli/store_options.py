"""What the commands of `simhash-doc store` share: options, the database that is opened, and rows that are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import click

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.command_line.help import Number
from simhash_doc.command_line.options import Decorated, failure, quiet_option
from simhash_doc.console.messages import counted
from simhash_doc.errors import MissingExtraError, SimhashDocError
from simhash_doc.schemes import get_scheme

if TYPE_CHECKING:
    from simhash_doc.cli.entry_input import LineErrors
    from simhash_doc.entries.json_lines import JsonObject
    from simhash_doc.store import FingerprintStore
    from simhash_doc.store.committed import Committed

Parsed = TypeVar("Parsed")

database_option = click.option(
    "--db",
    "database",
    required=True,
    metavar="DATABASE",
    envvar="SIMHASH_DOC_DB",
    show_envvar=True,
    help="Path of a SQLite file, or URL such as postgresql://user@host/name.",
)
timeout_option = click.option(
    "--timeout",
    type=Number(0, kind=float, above=True),
    default=30,
    show_default=True,
    metavar="SECONDS",
    help="Maximum time to wait for locks of other users of the database.",
)


def database_options(command: Decorated) -> Decorated:
    """Add --db, --timeout and --quiet."""
    return database_option(timeout_option(quiet_option(command)))


def collection_option(default: str | None, shown: str | None = None) -> Callable[[Decorated], Decorated]:
    """Return the option --collection; `shown` describes the default in the help if it is None."""
    return click.option(
        "--collection", default=default, metavar="NAME", help=f"Name of the collection.  [default: {shown or default}]"
    )


@dataclass(slots=True)
class OptionalStore:
    """The store of a database, which the first change creates.

    Attributes:
        store: None if there is none.
        missing: why there is none.
    """

    _create: Callable[[], FingerprintStore]
    store: FingerprintStore | None = None
    missing: str = ""

    def created(self) -> FingerprintStore:
        """Return the store; create it if there is none."""
        self.store = self.store or self._create()
        return self.store


@contextmanager
def optional_store(database: str, timeout: float, outputs: Iterable[str | None] = ()) -> Iterator[OptionalStore]:
    """Open a store if there is one; report its errors.

    Raises:
        click.UsageError: one of the outputs of the command is a file of the database.
    """
    from simhash_doc.console.guards import named
    from simhash_doc.lookup.errors import LookupParameterError
    from simhash_doc.store import StoreError
    from simhash_doc.store.errors import NoStoreError

    if database == STANDARD_INPUT:
        raise click.UsageError("DATABASE is -, but a database is a file or an URL: name it")
    try:
        from simhash_doc.store import FingerprintStore
        from simhash_doc.store.schema import is_store_file

        for path in named(outputs):
            if is_store_file(database, path):
                raise click.UsageError(
                    f"{path}: belongs to the database, which would be destroyed; choose another output"
                )
        with ExitStack() as opened:
            found = OptionalStore(lambda: opened.enter_context(FingerprintStore(database, timeout=timeout)))
            try:
                found.store = opened.enter_context(FingerprintStore(database, create=False, timeout=timeout))
            except NoStoreError as error:
                found.missing = str(error)
            yield found
    except (StoreError, LookupParameterError, MissingExtraError) as error:
        raise failure(error) from error


@contextmanager
def open_store(database: str, timeout: float, output: str | None = None) -> Iterator[FingerprintStore]:
    """Open a store that exists; its errors are those of `optional_store`."""
    with optional_store(database, timeout, [output]) as found:
        if found.store is None:
            raise click.ClickException(found.missing)
        yield found.store


def shown_database(database: str) -> str:
    """Return the name of a database for messages, without a password."""
    from simhash_doc.store import schema  # later: it needs SQLAlchemy

    return schema.shown_store(database)


def counted_stored(committed: Committed) -> str:
    """Return how many documents the database has stored, as people read it."""
    least, most = committed.count()
    if least < most:
        return f"{least:,} to {counted(most, 'document')} stored (the database does not answer)"
    return f"{counted(least, 'document')} stored"


text_ids_option = click.option(
    "--text-ids", is_flag=True, help="Store the digits of integer ids as text. Otherwise, the command refuses such ids."
)


def read_rows(
    path: str,
    errors: LineErrors,
    parse: Callable[[JsonObject], Parsed],
    scheme: str | None = None,
    expected: str = "",
    *,
    hint: str = "",
    plain_ids: bool = False,
    on_columns: Callable[[Sequence[str]], object] = lambda names: None,
) -> Iterator[tuple[str, Parsed]]:
    """Yield the place and the content of each row of a file; report rows with errors, and how many were skipped.

    Args:
        errors: its `finish` is left to the caller, who may find more errors in what was read.
        scheme: that to which the fingerprints are narrowed; definitions of collections are left out then.
        expected: what lines are expected, which begins the message about another one; if empty, fingerprints.
        hint: the end of the message about a file that has no fingerprints.
        plain_ids, on_columns: as for `read_objects`.
    """
    from simhash_doc.cli.entry_input import open_entry_file, report_skipped_rows, shown_name
    from simhash_doc.entries import UnreadableInputError, UnreadableLineError
    from simhash_doc.entries.entry import is_without_fingerprint
    from simhash_doc.store.objects import read_objects

    skipped = 0
    with open_entry_file(path) as file:
        try:
            for place, fields in read_objects(file, plain_ids=plain_ids, on_columns=on_columns):
                try:
                    if isinstance(fields, Exception):
                        raise UnreadableLineError(f"{expected}{fields}")
                    if fields is None:
                        skipped += 1
                    elif scheme is None:
                        yield place, parse(fields)
                    elif not is_without_fingerprint(fields):
                        yield place, parse(_narrowed(fields, scheme))
                except SimhashDocError as error:
                    errors.report(place, error)
        except UnreadableInputError as error:
            raise click.ClickException(f"{shown_name(path)}: {expected}{error}{hint}") from error
    report_skipped_rows(skipped)


def _narrowed(fields: JsonObject, scheme: str) -> JsonObject:
    """Return a row with its fingerprint, and the scheme of its provenance, narrowed."""
    from simhash_doc.entries.entry import fingerprint_of

    found = fingerprint_of(fields)
    narrowed: JsonObject = fields | {"fingerprint": str(found.narrow(get_scheme(scheme))), "scheme": scheme}
    provenance = fields.get("provenance")
    if isinstance(provenance, dict) and provenance.get("scheme") == found.scheme.id:
        narrowed["provenance"] = provenance | {"scheme": scheme}
    return narrowed
