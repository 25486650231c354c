"""`simhash-doc store`: fingerprints with their data in a SQLite or PostgreSQL database."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

import click

from simhash_doc.cli.entries import writing
from simhash_doc.cli.lookup_options import output_option
from simhash_doc.cli.progress import Progress
from simhash_doc.cli.store_lines import (
    Lines,
    UnreadableLineError,
    collection_fields,
    document_fields,
    fingerprint_of,
    line,
    match_fields,
    name_of,
    parsed_object,
)
from simhash_doc.cli.store_load import load
from simhash_doc.cli.store_options import (
    collection_option,
    database_option,
    opened,
    parsed_filter,
    parsed_query,
    store_errors,
    timeout_option,
)
from simhash_doc.errors import SpecError
from simhash_doc.store import DEFAULT_COLLECTION, CollectionError, Written
from simhash_doc.value import Fingerprint

_BATCH = 50_000
_QUERIES = 1000

source_option = click.option(
    "--input", "source", default="-", metavar="FILE", help="JSON objects, one a line.  [default: standard input]"
)


@click.group(
    epilog="""\b
Examples:
  simhash-doc fingerprint --format json articles/ | simhash-doc store add --db near.sqlite
  simhash-doc store find --db near.sqlite --distance 3 larqgiqsckcca
  simhash-doc store stats --db postgresql://reader@db.example.org/near
"""
)
def store() -> None:
    """Keep fingerprints in a database, and find near-duplicates in it.

    DATABASE is the path of a SQLite file, or the URL of a PostgreSQL database.
    """


@store.command()
@database_option
@collection_option(DEFAULT_COLLECTION)
@click.option(
    "--slices", type=click.IntRange(min=1), help="Of a collection that is made now; find reaches one bit less."
)
@click.option("--replace", is_flag=True, help="Replace documents whose ids are there.")
@source_option
@timeout_option
def add(database: str, collection: str, slices: int | None, replace: bool, source: str, timeout: float) -> int:
    """Add documents to a collection.

    A line is an object with `fingerprint`, an `id` or a `path`, and if wanted `uri`, `metadata` (an object)
    and `time` (ISO 8601): what `fingerprint --format json` prints. A line that cannot be stored, such as
    one whose id is there already, is named on standard error, all others are stored, and the status is 1.
    """
    lines = Lines(source)
    with store_errors(), opened(database, timeout, create=True) as made:
        loaded = load(made, lines, collection, slices, replace=replace)
    return _told(database, loaded, lines, replace=replace)


@store.command("import")
@database_option
@source_option
@timeout_option
def import_(database: str, source: str, timeout: float) -> int:
    """Add what `store export` printed, with its collections and times.

    Documents whose ids are there are replaced, so that an interrupted import can be run again.
    """
    lines = Lines(source)
    with store_errors(), opened(database, timeout, create=True) as made:
        loaded = load(made, lines, None, None, replace=True)
    return _told(database, loaded, lines, replace=True)


@store.command()
@database_option
@collection_option(None)
@output_option
@timeout_option
def export(database: str, collection: str | None, output: str, timeout: float) -> int:
    """Print all documents, or those of a collection, as JSON lines.

    The collections come first, an object each; `store import` takes it all in again. Changes made
    meanwhile are not in it.
    """
    with store_errors(), opened(database, timeout) as made, writing(output) as file:
        known = {one.name: one for one in made.collections()}
        if collection is not None and collection not in known:
            raise CollectionError(f"there is no collection {collection!r}")
        for one in known.values():
            if collection in (None, one.name):
                file.write(line(collection_fields(one)))
        with Progress(None, "documents") as progress:
            for document in made.documents(collection):
                file.write(line(document_fields(document)))
                progress.advance()
    return 0


@store.command()
@database_option
@click.argument("fingerprints", nargs=-1, metavar="[FINGERPRINT]...")
@click.option("--distance", type=click.IntRange(min=0), help="Bits that may differ.  [default: close, by the scheme]")
@click.option("--limit", type=click.IntRange(min=1), help="Most matches of each query.  [default: all]")
@collection_option(None)
@click.option("--where", multiple=True, metavar="KEY=VALUE", help="Metadata of a match; VALUE is JSON, or a string.")
@source_option
@output_option
@timeout_option
def find(
    database: str,
    fingerprints: tuple[str, ...],
    distance: int | None,
    limit: int | None,
    collection: str | None,
    where: tuple[str, ...],
    source: str,
    output: str,
    timeout: float,
) -> int:
    """Print the documents near each FINGERPRINT, or near each line of the input.

    Lines are JSON objects with a `fingerprint`, or fingerprints in base32. Each is answered by an object
    with its matches, nearest first. The status is 0 whether or not there are any.
    """
    conditions = parsed_filter(where)
    lines = Lines(source)
    asked = ((parsed_query(text), None) for text in fingerprints) if fingerprints else _queries(lines)
    with store_errors(), opened(database, timeout) as made, writing(output) as file:
        while part := list(islice(asked, _QUERIES)):
            answers = made.find_many(
                [query for query, _ in part], distance, limit=limit, collection=collection, where=conditions
            )
            for (query, path), matches in zip(part, answers, strict=True):
                fields: dict[str, object] = {"fingerprint": str(query)}
                if path is not None:
                    fields["path"] = path
                file.write(line({**fields, "matches": [match_fields(match) for match in matches]}))
    return 1 if lines.failed else 0


@store.command()
@database_option
@collection_option(DEFAULT_COLLECTION)
@click.argument("ids", nargs=-1, metavar="[ID]...")
@source_option
@timeout_option
def remove(database: str, collection: str, ids: tuple[str, ...], source: str, timeout: float) -> int:
    """Remove the documents with each ID, or those that the lines of the input name by `id` or `path`.

    What is not there is passed over.
    """
    lines = Lines(source)
    names = iter(ids) if ids else _names(lines)
    removed = 0
    with store_errors(), opened(database, timeout) as made:
        while part := list(islice(names, _BATCH)):
            removed += made.remove(part, collection)
    click.echo(f"{database}: {_counted(removed)} removed", err=True)
    return 1 if lines.failed else 0


@store.command()
@database_option
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@timeout_option
def stats(database: str, output_format: str, timeout: float) -> None:
    """Print what each collection holds, and how many rows a query of it compares.

    Expected is for uniform fingerprints; measured is the mean for stored ones.
    """
    with store_errors(), opened(database, timeout) as made:
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
            for one in made.stats()
        ]
    if output_format == "json":
        for row in rows:
            click.echo(json.dumps(row))
    elif rows:
        table = [list(rows[0]), *([_shown(value) for value in row.values()] for row in rows)]
        widths = [max(len(cells[at]) for cells in table) for at in range(len(table[0]))]
        for cells in table:
            click.echo("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())


@store.command()
@database_option
@timeout_option
def verify(database: str, timeout: float) -> int:
    """Check all tables, indexes and rows; the status is 1 if something is wrong."""
    with store_errors(), opened(database, timeout) as made:
        result = made.verify()
    for problem in result.problems:
        click.echo(f"simhash-doc: {database}: {problem}", err=True)
    if result.whole:
        click.echo(f"{database}: whole: {_counted(result.documents)}")
    return 0 if result.whole else 1


def _told(database: str, loaded: Written, lines: Lines, *, replace: bool) -> int:
    more = f", {loaded.replaced:,} replaced" if replace else ""
    click.echo(f"{database}: {_counted(loaded.added)} added{more}", err=True)
    return 1 if lines.failed else 0


def _queries(lines: Lines) -> Iterator[tuple[Fingerprint, str | None]]:
    for number, text in lines:
        try:
            if text.startswith("{"):
                record = parsed_object(text)
                path = record.get("id", record.get("path"))
                yield fingerprint_of(record), path if isinstance(path, str) else None
            else:
                yield Fingerprint.parse(text), None
        except (UnreadableLineError, SpecError) as error:
            lines.refuse(number, error)


def _names(lines: Lines) -> Iterator[str]:
    for number, text in lines:
        try:
            yield name_of(parsed_object(text))
        except UnreadableLineError as error:
            lines.refuse(number, error)


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def _counted(number: int) -> str:
    return "1 document" if number == 1 else f"{number:,} documents"
