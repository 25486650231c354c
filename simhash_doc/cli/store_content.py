"""`simhash-doc store add`, `export`, `remove`, `stats` and `verify`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING

import click

from simhash_doc.arguments import DEFAULT_COLLECTION, STANDARD_INPUT
from simhash_doc.cli.entry_options import files_argument, ids_option, scheme_option
from simhash_doc.cli.store_options import (
    collection_option,
    counted_stored,
    database_options,
    open_store,
    optional_store,
    read_rows,
    shown_database,
    text_ids_option,
)
from simhash_doc.command_line.help import Number
from simhash_doc.command_line.options import check_read_once, output_option, standard_input
from simhash_doc.command_line.output_formats import chosen_format, text_or_json_option
from simhash_doc.console.guards import check_outputs
from simhash_doc.console.messages import Progress, counted, escape_path, print_error, print_notice
from simhash_doc.console.output import printing, show_problems, writing
from simhash_doc.console.termination import resumable

if TYPE_CHECKING:
    from simhash_doc.cli.entry_input import LineErrors
    from simhash_doc.entries.json_lines import JsonObject
    from simhash_doc.store.loading import Existing

_BATCH = 50_000
_IDS = "expected JSON objects with `id` or `path`; give other ids as arguments, or with --ids -: "


@click.command(
    "add",
    epilog="""\b
Examples:
  simhash-doc store add --db near.sqlite fingerprints.jsonl
  simhash-doc store add --db near.sqlite --existing skip day.jsonl
""",
)
@database_options
@collection_option(None, f"the collection of the line, or else {DEFAULT_COLLECTION}")
@click.option(
    "--slices",
    type=Number(1),
    metavar="N",
    help="Number of slices of a new collection; it allows queries up to distance 2 N - 1.",
)
@click.option(
    "--existing",
    type=click.Choice(["fail", "skip", "replace"]),
    default="fail",
    show_default=True,
    help="If an id exists, report an error, skip the document, or replace the stored document.",
)
@text_ids_option
@scheme_option
@files_argument
def store_add_command(
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

    FILE contains fingerprints with paths or ids: text lines, JSON lines, CSV or Parquet, as other commands write them.
    The command detects the format. Without FILE, or for -, it reads standard input.

    A JSON object has `fingerprint`, and an `id` or a `path`. It may also have `uri`, `metadata` (an object), `time`
    (ISO 8601) and `collection`. The ids of a store are texts. The command refuses other ids. If a row has no id,
    its path becomes the id. The path of an existing file becomes absolute, as in `store dedupe`.

    If the command cannot store a line, it reports the line on standard error and exits with status 1. It stores the
    other lines. It skips and counts rows without a fingerprint. If it can store no line, it creates no database.

    The output of `store export` keeps its collections and times. To repeat an interrupted import, use --existing
    replace.
    """
    from simhash_doc.cli.entry_input import LineErrors
    from simhash_doc.store import StoreError
    from simhash_doc.store.loading import Loader

    failed = False
    read = files or standard_input("FILE")
    check_read_once(*read)

    def kept() -> str:
        again = "the same command with --existing skip" if existing == "fail" else "the same command"
        return f"{counted_stored(loader.committed)}; {again} stores the others"

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
            for path in read:
                errors = LineErrors(path)
                try:
                    rows = read_rows(path, errors, dict, scheme, on_columns=partial(_name_ignored, path, set()))
                    loader.load(rows, errors.report, errors.warn)
                except StoreError:
                    print_error(f"simhash-doc: {counted_stored(loader.committed)}")
                    raise
                finally:
                    errors.finish()  # of a batch, which is stored after its lines are read, too
                failed = failed or errors.count > 0
    written = loader.written
    more = f", {written.replaced:,} replaced" if existing == "replace" else ""
    more += f", {written.skipped:,} skipped" if existing == "skip" else ""
    print_notice(f"{shown_database(database)}: {counted(written.added, 'document')} added{more}")
    return 1 if failed else 0


@click.command(
    "export",
    epilog="""\b
Examples:
  simhash-doc store export --db near.sqlite -o all.jsonl
  simhash-doc store export --db near.sqlite --collection news
""",
)
@database_options
@collection_option(None, "all")
@output_option
def store_export_command(database: str, collection: str | None, output: str, timeout: float) -> int:
    """Print documents of a store, as JSON lines.

    The collections come first, one object each; `store add` reads the output. It does not contain changes
    that are made during the export.
    """
    from simhash_doc.entries.json_lines import json_line
    from simhash_doc.store.objects import collection_fields, document_fields

    chosen_format(None, output, formats=("json",))
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


@click.command(
    "remove",
    epilog="""\b
Examples:
  simhash-doc store remove --db near.sqlite /data/old.html
  simhash-doc store remove --db near.sqlite --ids deleted.txt
""",
)
@database_options
@collection_option(DEFAULT_COLLECTION)
@text_ids_option
@ids_option
@click.argument("ids", nargs=-1, metavar="[ID]...")
def store_remove_command(
    database: str, collection: str, text_ids: bool, id_files: tuple[str, ...], ids: tuple[str, ...], timeout: float
) -> int:
    """Remove documents by their ids.

    Arguments are ids, even if they exist as files. Without ID and --ids, the ids are the `id` or `path` of each line of
    standard input. If the collection does not contain an id, the command counts such ids on standard error and exits
    with status 1. The command removes all others.
    """
    from simhash_doc.cli.entry_input import LineErrors
    from simhash_doc.entries.entry import escaped_name
    from simhash_doc.store.objects import parse_id

    check_read_once(*id_files)
    errors = LineErrors(STANDARD_INPUT)
    all_errors = [errors]
    parse = partial(parse_id, text_ids=text_ids)
    names: Iterator[str] = map(escaped_name, ids)
    if not ids and not id_files:
        (source,) = standard_input("ID")
        names = (name for _, name in read_rows(source, errors, parse, expected=_IDS))
    for path in id_files:
        all_errors.append(LineErrors(path))
        names = chain(names, _parsed_ids(path, all_errors[-1], parse))
    removed = absent = 0
    with open_store(database, timeout) as store, Progress(None, "documents removed") as progress:
        absolute = {one: path for one in ids if (path := os.path.abspath(one)).isprintable()}
        paths = [one for one in absolute if os.path.isfile(one) and store.get(one, collection=collection) is None]
        while part := list(islice(names, _BATCH)):
            count = store.remove(part, collection=collection)
            removed += count
            absent += len(set(part)) - count
            progress.advance(count)
        if absent and not paths:
            paths = [one for one, path in absolute.items() if store.get(path, collection=collection)]
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


@click.command(
    "stats",
    epilog="""\b
Examples:
  simhash-doc store stats --db near.sqlite
  simhash-doc store stats --db near.sqlite --json
""",
)
@database_options
@text_or_json_option
@output_option
def store_stats_command(database: str, output_format: str, output: str, timeout: float) -> None:
    """Print collection sizes, and what a query costs.

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
                "scheme": one.collection.scheme_text,
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


@click.command(
    "verify",
    epilog="""\b
Examples:
  simhash-doc store verify --db near.sqlite
""",
)
@database_options
@text_or_json_option
@output_option
def store_verify_command(database: str, output_format: str, output: str, timeout: float) -> int:
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


def _name_ignored(path: str, named: set[str], columns: Sequence[str]) -> None:
    """Print once which columns of a table are not stored, although JSON objects may have them."""
    from simhash_doc.cli.entry_input import shown_name

    ignored = [one for one in ("uri", "metadata", "time", "collection") if one in columns and one not in named]
    named.update(ignored)
    if ignored:
        print_notice(
            f"simhash-doc: {shown_name(path)}: warning: not stored of CSV or Parquet: {', '.join(ignored)}; "
            "JSON lines can have them"
        )


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int | float) else escape_path(str(value))


def _parsed_ids(path: str, errors: LineErrors, parse: Callable[[JsonObject], str]) -> Iterator[str]:
    from simhash_doc.cli.entry_input import ids_of
    from simhash_doc.entries import UnreadableLineError

    for place, fields in ids_of(path, errors):
        try:
            name = parse(fields)
        except UnreadableLineError as error:
            errors.report(place, error)
        else:
            yield name
