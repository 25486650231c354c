"""`simhash-doc store`: fingerprints with their data in a SQLite or PostgreSQL database."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

import click

from simhash_doc.cli import LazyGroup
from simhash_doc.cli.distance import DEFAULT_DISTANCE
from simhash_doc.cli.document_report import find_sources, report
from simhash_doc.cli.entry_input import (
    LineErrors,
    files_argument,
    ids_of,
    ids_option,
    open_lines,
    parsed_fingerprint,
    report_skipped_rows,
    scheme_option,
    shown_name,
)
from simhash_doc.cli.guards import check_outputs, named
from simhash_doc.cli.messages import Progress, counted, print_error, print_notice, quiet_option, resumable
from simhash_doc.cli.output import output_option, printing, show_problems, text_or_json_option, writing
from simhash_doc.entries import UnreadableInputError, UnreadableLineError
from simhash_doc.entries.entry import fingerprint_of, is_without_fingerprint
from simhash_doc.entries.json_lines import JsonObject, json_line
from simhash_doc.errors import SimhashDocError
from simhash_doc.files import STANDARD_INPUT
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest import fingerprint_documents
from simhash_doc.ingest.selection import ALL
from simhash_doc.lookup.errors import LookupParameterError
from simhash_doc.provenance import Provenance, ProvenanceCheck
from simhash_doc.store import DEFAULT_COLLECTION, DocumentMatch, StoreError, StoreParameterError
from simhash_doc.store.errors import NoStoreError
from simhash_doc.store.loading import Existing, Loader
from simhash_doc.store.objects import (
    NamedQuery,
    collection_fields,
    document_fields,
    match_fields,
    parse_id,
    parse_query,
    read_objects,
)

if TYPE_CHECKING:
    from simhash_doc.store import FingerprintStore

Command = TypeVar("Command", bound=Callable[..., Any])
Parsed = TypeVar("Parsed")

_BATCH = 50_000
_IDS = "expected JSON objects with `id` or `path`, or ids as arguments: "


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
    type=click.FloatRange(min=0, min_open=True),
    default=30,
    show_default=True,
    metavar="SECONDS",
    help="Maximum time to wait for locks of other users of the database.",
)


def database_options(command: Command) -> Command:
    """Add --db, --timeout and --quiet."""
    return database_option(timeout_option(quiet_option(command)))


def collection_option(default: str | None, shown: str | None = None) -> Callable[[Command], Command]:
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
    """Open a store if there is one; report its errors with status 1, and invalid parameters with status 2.

    Raises:
        click.UsageError: one of the outputs of the command is a file of the database.
    """
    if database == STANDARD_INPUT:
        raise click.UsageError("DATABASE is -, but a database is a file or an URL: name it")
    try:
        from simhash_doc.store import FingerprintStore
        from simhash_doc.store.schema import is_file_of

        for path in named(outputs):
            if is_file_of(database, path):
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
    except (StoreParameterError, LookupParameterError) as error:
        raise click.UsageError(str(error)) from error
    except StoreError as error:
        raise click.ClickException(str(error)) from error


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

    return schema.shown_database(database)


text_ids_option = click.option(
    "--text-ids", is_flag=True, help="Take ids that are integers as texts, by their digits; otherwise they are refused."
)


@click.group(
    cls=LazyGroup,
    lazy={"dedupe": "simhash_doc.cli.store_dedupe:dedupe"},
    epilog="""\b
Examples:
  simhash-doc store dedupe --db near.sqlite articles/
  simhash-doc store add --db near.sqlite fingerprints.jsonl
  simhash-doc store find --db near.sqlite larqgiqsckcca
  simhash-doc store stats --db postgresql://reader@db.example.org/near
""",
)
def store() -> None:
    """Keep fingerprints in a database, and search in it.

    DATABASE is the path of a SQLite file, or the URL of a PostgreSQL database.
    """


@store.command()
@database_options
@collection_option(None, f"that of the line, or else {DEFAULT_COLLECTION}")
@click.option(
    "--slices",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of slices of a new collection; it allows queries up to distance 2 N - 1.",
)
@click.option(
    "--existing",
    type=click.Choice(["fail", "skip", "replace"]),
    default="fail",
    show_default=True,
    help="Documents whose ids exist: report each as an error, skip them, or replace them.",
)
@text_ids_option
@scheme_option
@files_argument
def add(
    database: str,
    collection: str | None,
    scheme: str | None,
    slices: int | None,
    existing: Existing,
    text_ids: bool,
    files: tuple[str, ...],
    timeout: float,
) -> int:
    """Add documents to a collection.

    FILE contains fingerprints with paths or ids. Its format is detected: text lines, JSON lines, CSV or
    Parquet, as other commands write them. Without FILE, or for -, standard input is read. The ids of a store are
    texts; other ids are refused. A JSON object has
    `fingerprint`, an `id` or a `path`, and optionally `uri`, `metadata` (an object), `time` (ISO 8601) and
    `collection`. The path of a row without an id becomes the id: if it is that of an existing
    file, as an absolute path, as `store dedupe` stores it. A line that
    cannot be stored, such as one whose id exists, is reported on standard error, all others are stored, and the
    status is 1. Rows without a fingerprint are skipped and counted.

    The output of `store export` is added with its collections and times. --existing replace lets that be
    repeated after an interruption. If nothing can be stored, no database is created.
    """
    failed = False

    def kept() -> str:
        again = "the same command with --existing skip" if existing == "fail" else "the same command"
        return stored() and f"{stored()}; {again} stores the others"

    def stored() -> str:
        count = loader.written.added + loader.written.replaced
        return f"{counted(count, 'document')} stored" if count else ""

    with optional_store(database, timeout) as target, Progress(None, "documents stored") as progress:
        for one in target.store.collections() if slices and target.store else ():
            if one.name == (collection or DEFAULT_COLLECTION) and one.slices != slices:
                raise click.UsageError(
                    f"collection {one.name!r} has {one.slices} slices, which cannot change: leave out --slices, "
                    "or name a new --collection"
                )
        loader = Loader(
            target.store, target.created, collection, slices, existing, text_ids=text_ids, on_commit=progress.advance
        )
        with resumable(kept):
            for path in files or (STANDARD_INPUT,):
                errors = LineErrors(path)
                try:
                    loader.load(_read(path, errors, dict, scheme), errors.report, errors.warn)
                except StoreError:
                    print_error(f"simhash-doc: {stored() or '0 documents stored'}")
                    raise
                finally:
                    errors.finish()  # of a batch, which is stored after its lines are read, too
                failed = failed or errors.count > 0
    written = loader.written
    more = f", {written.replaced:,} replaced" if existing == "replace" else ""
    more += f", {written.skipped:,} skipped" if existing == "skip" else ""
    print_notice(f"{shown_database(database)}: {counted(written.added, 'document')} added{more}")
    return 1 if failed else 0


@store.command()
@database_options
@collection_option(None, "all")
@output_option
def export(database: str, collection: str | None, output: str, timeout: float) -> int:
    """Print all documents, or those of a collection, as JSON lines.

    The collections come first, one object each; `store add` reads the output. It does not contain changes
    that are made during the export.
    """
    check_outputs(output)
    with open_store(database, timeout, output) as store, writing(output) as file:
        for one in store.collections():
            if collection in (None, one.name):
                file.write(json_line(collection_fields(one, store.provenances(one.name))))
        with Progress(None, "documents") as progress:
            for document in store.documents(collection):
                file.write(json_line(document_fields(document)))
                progress.advance()
    return 0


@store.command()
@database_options
@click.argument("fingerprints", nargs=-1, metavar="[FINGERPRINT|FILE]...")
@click.option(  # not `distance_option`: the slices limit it, and one query may search collections of several sizes
    "--distance",
    type=click.IntRange(min=0),
    help=f"Maximum number of differing bits, below twice the number of slices of the collections.  {DEFAULT_DISTANCE}",
)
@click.option("--max-results", type=click.IntRange(min=1), help="Maximum number of matches per query.  [default: all]")
@collection_option(None, "all of the scheme")
@scheme_option
@click.option(
    "--where",
    multiple=True,
    metavar="KEY=VALUE",
    help="Find only documents with this metadata; VALUE is JSON or a string. Repeatable.",
)
@click.option(
    "--document",
    "documents",
    multiple=True,
    metavar="PATH",
    help="Find what is near a document, or the documents of a directory, as `fingerprint` reads them. Repeatable.",
)
@output_option
def find(
    database: str,
    fingerprints: tuple[str, ...],
    distance: int | None,
    max_results: int | None,
    collection: str | None,
    scheme: str | None,
    where: tuple[str, ...],
    documents: tuple[str, ...],
    output: str,
    timeout: float,
) -> int:
    """Print the documents near fingerprints.

    The fingerprints are arguments, or come from the files FILE or from standard input, or are those of documents. An
    argument that exists as a file is read as `store add` reads it. The output is an object for each fingerprint with
    its matches, nearest first. The ids of queries keep their type. The status is 0 with or without matches. Before the
    first `store add`, nothing is found.

    Many fingerprints without --where are joined with all of the collections, which are read once for up to 10,000 of
    them, as soon as that is faster than to search for each. The answers are the same.
    """
    conditions = _parsed_filter(where)
    files = tuple(one for one in fingerprints if one == STANDARD_INPUT or os.path.exists(one))
    from_arguments = [NamedQuery(parsed_fingerprint(text, scheme)) for text in fingerprints if text not in files]
    read = files or (() if from_arguments or documents else (STANDARD_INPUT,))
    check_outputs(output, inputs=(*read, *documents))
    sources = [(path, LineErrors(path)) for path in read]
    with ExitStack() as stack:
        found = stack.enter_context(optional_store(database, timeout, [output]))
        known: list[Provenance] = []
        failed = False

        def of_documents() -> Iterator[NamedQuery]:
            nonlocal failed
            walked = find_sources(documents, ALL)
            for result in report(
                fingerprint_documents(walked.sources, _scheme(found.store, collection, scheme)), walked
            ):
                failed = failed or result.fingerprint is None
                if result.fingerprint:
                    yield NamedQuery(result.fingerprint, result.path, result.provenance)
            failed = failed or walked.incomplete

        if store := found.store:
            searched = [one.name for one in store.collections()] if collection is None else [collection]
            known = [provenance for name in searched for provenance in store.provenances(name)]
        else:
            print_notice(f"simhash-doc: {found.missing}: nothing is found before the first `store add`")
        file = stack.enter_context(writing(output))
        progress = stack.enter_context(Progress(None, "queries answered"))
        read_queries = (_read_queries(*source, known, scheme) for source in sources)
        named_queries = chain(from_arguments, of_documents() if documents else (), *read_queries)
        asked: deque[NamedQuery] = deque()  # not answered yet

        def given() -> Iterator[Fingerprint]:
            for query in named_queries:
                asked.append(query)
                yield query.fingerprint

        answers: Iterable[list[DocumentMatch]] = ([] for _ in given())
        if store:
            answers = store.find_many(
                given(), distance, max_results=max_results, collection=collection, where=conditions
            )
        for matches in answers:
            query = asked.popleft()
            name = {} if query.name is None else {"path": query.name}
            answer = [*map(match_fields, matches)]
            file.write(json_line({"fingerprint": str(query.fingerprint), **name, "matches": answer}))
            progress.advance()
    for _, errors in sources:
        errors.finish()
    return 1 if failed or any(errors.count for _, errors in sources) else 0


def _scheme(store: FingerprintStore | None, collection: str | None, scheme: str | None) -> str:
    """Return the scheme in which documents are searched: that of the collections, unless it is given."""
    known = [one for one in store.collections() if collection in (None, one.name)] if store else []
    schemes = sorted({one.scheme_id for one in known})
    if scheme is None and len(schemes) > 1:
        raise click.UsageError(f"the collections have the schemes {' and '.join(schemes)}: name one with --scheme")
    return scheme or next(iter(schemes), "sd64")


@store.command()
@database_options
@collection_option(DEFAULT_COLLECTION)
@text_ids_option
@ids_option
@click.argument("ids", nargs=-1, metavar="[ID]...")
def remove(
    database: str, collection: str, text_ids: bool, id_files: tuple[str, ...], ids: tuple[str, ...], timeout: float
) -> int:
    """Remove documents by their ids.

    Without ID and --ids, the ids are the `id` or `path` of each line of standard input. Arguments are ids,
    even if they exist as files. Ids that the collection does not have are counted on standard error, all others are
    removed, and the status is 1.
    """
    errors = LineErrors(STANDARD_INPUT)
    all_errors = [errors]
    parse = partial(parse_id, text_ids=text_ids)
    names: Iterator[str] = iter(ids)
    if not ids and not id_files:
        names = (name for _, name in _read(STANDARD_INPUT, errors, parse, expected=_IDS))
    for path in id_files:
        all_errors.append(LineErrors(path))
        names = chain(names, _parsed_ids(path, all_errors[-1], parse))
    removed = absent = 0
    with open_store(database, timeout) as store, Progress(None, "documents removed") as progress:
        absolute = {one: path for one in ids if (path := os.path.abspath(one)).isprintable()}
        paths = [one for one in absolute if os.path.isfile(one) and store.get(one, collection) is None]
        while part := list(islice(names, _BATCH)):
            count = store.remove(part, collection)
            removed += count
            absent += len(set(part)) - count
            progress.advance(count)
        if absent and not paths:
            paths = [one for one, path in absolute.items() if store.get(path, collection)]
    for one in all_errors:
        one.finish()
    if absent:
        print_error(f"simhash-doc: {counted(absent, 'id')} not found in collection {collection!r}")
    if paths:
        print_error(
            f"simhash-doc: {paths[0]} is a path, but ids are expected: the id of a document is its absolute path: "
            f"{absolute[paths[0]]}; ids in a file are given with --ids FILE"
        )
    print_notice(f"{shown_database(database)}: {counted(removed, 'document')} removed")
    return 1 if absent or any(one.count for one in all_errors) else 0


@store.command()
@database_options
@text_or_json_option
@output_option
def stats(database: str, output_format: str, output: str, timeout: float) -> None:
    """Print the size of each collection, and what a query costs.

    Candidates are the rows that a query compares. Expected candidates assume uniform fingerprints; measured
    candidates are the mean over stored fingerprints. A row that equals the query in several slices is a candidate
    several times.
    """
    check_outputs(output)
    with open_store(database, timeout, output) as store, Progress(None).begin(f"measuring {shown_database(database)}"):
        figures = store.stats()
        rows: list[dict[str, object]] = [
            {
                "collection": one.collection.name,
                "scheme": one.collection.scheme,
                "slices": one.collection.slices,
                "documents": one.documents,
                "bytes": one.bytes,
                "distance": one.distance,
                "candidates_expected": round(one.expected_candidates, 1),
                "candidates_measured": round(one.measured_candidates, 1),
            }
            for one in figures
        ]
    with printing(output) as show:
        if output_format == "json":
            for row, one in zip(rows, figures, strict=True):
                show(json.dumps({**row, "provenance": [provenance.to_dict() for provenance in one.provenances]}))
            return
        table = [list(rows[0]), *([_shown(value) for value in row.values()] for row in rows)] if rows else []
        widths = [max(map(len, column)) for column in zip(*table, strict=True)]
        for cells in table:
            show("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())


@store.command()
@database_options
@text_or_json_option
@output_option
def verify(database: str, output_format: str, output: str, timeout: float) -> int:
    """Check all tables, indexes and rows.

    The status is 1 if there is a problem.
    """
    check_outputs(output)
    with open_store(database, timeout, output) as store:
        shown = shown_database(database)
        with Progress(None).begin(f"verifying {shown}"):
            result = store.verify()
    problems = [f"{shown}: {problem}" for problem in result.problems]
    content = counted(result.documents, "document")
    return show_problems(shown, problems, content, {"documents": result.documents}, output_format, output)


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _parsed_filter(conditions: tuple[str, ...]) -> dict[str, Any]:
    """Parse KEY=VALUE conditions on metadata; a value that is not JSON is a string."""
    found: dict[str, Any] = {}
    for condition in conditions:
        key, equals, text = condition.partition("=")
        if not equals:
            raise click.UsageError(f"--where {condition!r} is not KEY=VALUE")
        try:
            found[key] = json.loads(text)
        except (ValueError, RecursionError):
            found[key] = text
    return found


def _read(
    path: str,
    errors: LineErrors,
    parse: Callable[[JsonObject], Parsed],
    scheme: str | None = None,
    expected: str = "",
    *,
    plain_ids: bool = False,
) -> Iterator[tuple[int, Parsed]]:
    """Yield the number and the content of each row of a file; report rows with errors, and how many were skipped.

    Args:
        errors: its `finish` is left to the caller, who may find more errors in what was read.
        scheme: that to which the fingerprints are narrowed; definitions of collections are left out then.
        expected: what lines are expected, which begins the message about another one; if empty, fingerprints.
        plain_ids: as for `read_objects`.
    """
    skipped = 0
    with open_lines(path) as file:
        try:
            for number, fields in read_objects(file, plain_ids=plain_ids):
                try:
                    if isinstance(fields, Exception):
                        raise UnreadableLineError(f"{expected}{fields}")
                    if fields is None:
                        skipped += 1
                    elif scheme is None:
                        yield number, parse(fields)
                    elif not is_without_fingerprint(fields):
                        yield number, parse(_narrowed(fields, scheme))
                except SimhashDocError as error:
                    errors.report(f"line {number}", error)
        except UnreadableInputError as error:
            raise click.ClickException(f"{shown_name(path)}: {expected}{error}") from error
    report_skipped_rows(skipped)


def _parsed_ids(path: str, errors: LineErrors, parse: Callable[[JsonObject], str]) -> Iterator[str]:
    for number, fields in ids_of(path, errors):
        try:
            name = parse(fields)
        except UnreadableLineError as error:
            errors.report(f"row {number}", error)
        else:
            yield name


def _narrowed(fields: JsonObject, scheme: str) -> JsonObject:
    """Return a row with its fingerprint, and the scheme of its provenance, narrowed."""
    found = fingerprint_of(fields)
    narrowed = fields | {"fingerprint": str(found.narrow(scheme)), "scheme": scheme}
    provenance = fields.get("provenance")
    if isinstance(provenance, dict) and provenance.get("scheme") == found.scheme_id:
        narrowed["provenance"] = provenance | {"scheme": scheme}
    return narrowed


def _read_queries(
    path: str, errors: LineErrors, known: Sequence[Provenance], scheme: str | None
) -> Iterator[NamedQuery]:
    """Yield the fingerprints of a file; warn of one whose provenance differs from the known ones of the store."""
    checks: dict[str, ProvenanceCheck] = {}
    for number, query in _read(path, errors, parse_query, scheme, plain_ids=True):
        own = query.fingerprint.scheme_id
        if own not in checks:
            checks[own] = ProvenanceCheck(one for one in known if one.scheme == own)
        if warning := checks[own].add(query.provenance):
            errors.warn(f"line {number}", warning)
        yield query
