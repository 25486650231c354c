"""`simhash-doc dedupe`: clusters of near-duplicates among documents."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import click

from simhash_doc.cli.documents import (
    bare_option,
    escape_path,
    jobs_option,
    read_options,
    report,
    report_skipped,
    text_form,
)
from simhash_doc.cli.fingerprint_io import writing
from simhash_doc.cli.lookup_options import blocks_option, chosen_blocks, distance_option, output_option
from simhash_doc.cli.store_options import collection_option, opened, store_errors
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest import FingerprintResult, ReadOptions, fingerprint_documents
from simhash_doc.ingest.sources import STANDARD_INPUT, walk
from simhash_doc.lookup import find_clusters
from simhash_doc.lookup.arrays import as_values
from simhash_doc.schemes import get_schemes
from simhash_doc.store.documents import DEFAULT_COLLECTION
from simhash_doc.store.folders import Changes, update_from_files

if TYPE_CHECKING:
    from simhash_doc.ingest.provenance import Provenance
    from simhash_doc.store import FingerprintStore

_TIMEOUT = 30  # seconds to wait for other users of the database


class Document(NamedTuple):
    """A document of the report; the provenance of one that is read from a store is not known."""

    path: str
    fingerprint: Fingerprint
    provenance: Provenance | None = None


@click.command(
    epilog="""\b
Examples:
  simhash-doc dedupe articles/
  simhash-doc dedupe crawl.warc.gz
  simhash-doc dedupe --db near.sqlite articles/
  simhash-doc dedupe --distance 2 --format json --output report.jsonl articles/ drafts/
"""
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json: one object per cluster and line.",
)
@bare_option
@output_option
@click.option(
    "--scheme",
    type=click.Choice(list(get_schemes())),
    help="Scheme of the fingerprints.  [default: that of the collection, else sd64]",
)
@blocks_option
@distance_option
@click.option(
    "--db",
    "database",
    metavar="DATABASE",
    help="Update a collection of a store with the documents, and report on the complete collection.",
)
@collection_option(DEFAULT_COLLECTION)
@read_options
@jobs_option
def dedupe(
    paths: tuple[str, ...],
    output_format: str,
    bare: bool,
    output: str,
    scheme: str | None,
    blocks: int | None,
    distance: int | None,
    database: str | None,
    collection: str,
    options: ReadOptions,
    jobs: int | None,
) -> int:
    """Report clusters of near-duplicates among the documents PATH, of any format that `fingerprint` reads.

    Directories are searched for files, except hidden ones. Documents are in one cluster if a
    chain of pairs within the distance connects them; each is shown with its distance in bits
    from the first. No document is changed or deleted. A document without a fingerprint is
    reported on standard error, and the status is 1; all others are clustered.

    With --db, only files that are new or changed since the last run are read, judged by size,
    time and content. Documents of files that no longer exist in the directories PATH are removed
    from the collection.
    """
    # Before any document is read: an error in the options is reported at once.
    chosen_blocks(as_values([], scheme), blocks, distance)
    sys.stderr.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    render = partial(_text_report if output_format == "text" else _json_report, bare=bare)
    if database is not None:
        with store_errors(), opened(database, _TIMEOUT, create=True) as store:
            changes = _update(store, collection, paths, scheme, options, jobs)
            click.echo(f"{database}: {changes}", err=True)
            total = sum(1 for _ in store.documents(collection))
            found = (
                [Document(member.uri or member.id, member.fingerprint) for member in cluster]
                for cluster in store.clusters(distance, collection)
            )
            _write(output, render(found, total))
        return 1 if changes.failed else 0
    results = list(report(fingerprint_documents(paths, scheme or "sd64", options=options, jobs=jobs)))
    documents = [
        Document(result.path, result.fingerprint, result.provenance) for result in results if result.fingerprint
    ]
    values = as_values([document.fingerprint for document in documents], scheme)
    clusters = find_clusters(values, chosen_blocks(values, blocks, distance), distance)
    _write(output, render(([documents[at] for at in members.tolist()] for members in clusters), len(documents)))
    return 0 if documents and len(documents) == len(results) else 1


def _update(
    store: FingerprintStore,
    collection: str,
    paths: tuple[str, ...],
    scheme: str | None,
    options: ReadOptions,
    jobs: int | None,
) -> Changes:
    """Update a collection with the files below the paths; warnings and errors are printed."""
    if STANDARD_INPUT in paths:
        raise click.UsageError("--db needs files or directories: standard input has no path to identify a document")

    def fingerprint_files(files: list[str], scheme: str) -> Iterator[FingerprintResult]:
        return report(fingerprint_documents(files, scheme, options=options, jobs=jobs))

    def warn(path: str, message: str) -> None:
        click.echo(f"simhash-doc: {path}: {message}", err=True)

    files = list(walk(paths, report_skipped))
    folders = [path for path in paths if os.path.isdir(path)]
    return update_from_files(store, collection, files, folders, fingerprint_files, warn, scheme)


def _write(output: str, lines: Iterable[str]) -> None:
    with writing(output) as file:
        for line in lines:
            file.write(line.encode("utf-8", "surrogateescape") + b"\n")


def _text_report(clusters: Iterable[list[Document]], total: int, *, bare: bool) -> Iterator[str]:
    number = in_clusters = 0
    for number, members in enumerate(clusters, 1):
        yield f"cluster {number}: {len(members)} documents"
        first = members[0].fingerprint
        in_clusters += len(members)
        for path, fingerprint, _ in members:
            yield f"  {text_form(fingerprint, bare=bare)}  {fingerprint.distance(first):2}  {escape_path(path)}"
        yield ""
    clusters_of = "1 cluster" if number == 1 else f"{number} clusters"
    yield f"{total} documents, {in_clusters} of them in {clusters_of} of near-duplicates"
    yield f"{total - in_clusters + number} unique documents"


def _json_report(clusters: Iterable[list[Document]], total: int, *, bare: bool) -> Iterator[str]:
    for number, members in enumerate(clusters, 1):
        first = members[0].fingerprint
        documents = [
            {
                "path": path,
                "fingerprint": text_form(fingerprint, bare=bare),
                "distance": fingerprint.distance(first),
            }
            | ({"provenance": provenance.to_dict()} if provenance else {})
            for path, fingerprint, provenance in members
        ]
        yield json.dumps({"cluster": number, "documents": documents})
