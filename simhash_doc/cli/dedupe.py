"""`simhash-doc dedupe`: near-duplicates among documents in one go."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator

import click
import numpy as np

from simhash_doc.cli.batch import fingerprint_documents
from simhash_doc.cli.dedupe_store import bring_up_to_date
from simhash_doc.cli.documents import escaped, walk
from simhash_doc.cli.entries import writing
from simhash_doc.cli.lookup_options import blocks_option, distance_option, output_option, planned
from simhash_doc.cli.reading import Reading, reading_options
from simhash_doc.cli.store_options import collection_option, opened, store_errors
from simhash_doc.lookup import find_clusters
from simhash_doc.store.documents import DEFAULT_COLLECTION
from simhash_doc.value import Fingerprint

_TIMEOUT = 30  # seconds to wait for other users of the database
Document = tuple[str, Fingerprint]


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
    help="json: an object for each cluster, one a line.",
)
@output_option
@blocks_option("auto")
@distance_option
@click.option(
    "--db",
    "database",
    metavar="DATABASE",
    help="Keep a collection of a store up to date with the documents, and report on all of it.",
)
@collection_option(DEFAULT_COLLECTION)
@reading_options
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=None, help="Processes.  [default: all cores]")
def dedupe(
    paths: tuple[str, ...],
    output_format: str,
    output: str,
    blocks: int | None,
    distance: int,
    database: str | None,
    collection: str,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Report clusters of near-duplicates among the documents PATH, of any medium that `fingerprint` takes.

    Directories are walked (hidden files are left out). A cluster is what is connected by
    pairs within the distance; each document is shown with its distance in bits from the
    first. Nothing is changed or deleted. A document without a fingerprint is named on standard
    error, all others count, and the status is 1.

    With --db, only what is new or changed since the last time is read, by the files' sizes, times
    and contents, and what is gone from the directories PATH is removed from the collection.
    """
    # Before any document is read: what is wrong with the options should not cost the time of reading.
    planned(np.empty(0, np.uint64), blocks, distance)
    sys.stderr.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    render = _text_report if output_format == "text" else _json_report
    if database is not None:
        with store_errors(), opened(database, _TIMEOUT, create=True) as store:
            changes = bring_up_to_date(store, collection, paths, reading, jobs)
            click.echo(f"{database}: {changes}", err=True)
            total = sum(1 for _ in store.documents(collection))
            found = (
                [(member.uri or member.id, member.fingerprint) for member in cluster]
                for cluster in store.clusters(distance, collection)
            )
            _write(output, render(found, total))
        return 1 if changes.failed else 0
    outcomes = list(fingerprint_documents(list(walk(paths)), "sd64", reading=reading, jobs=jobs))
    documents = [(outcome.path, outcome.fingerprint) for outcome in outcomes if outcome.fingerprint]
    values = np.array([made.value for _, made in documents], np.uint64)
    clusters = find_clusters(values, planned(values, blocks, distance).blocks, distance)
    _write(output, render(([documents[at] for at in members.tolist()] for members in clusters), len(documents)))
    return 0 if documents and len(documents) == len(outcomes) else 1


def _write(output: str, lines: Iterable[str]) -> None:
    with writing(output) as file:
        for line in lines:
            file.write(line.encode("utf-8", "surrogateescape") + b"\n")


def _text_report(clusters: Iterable[list[Document]], total: int) -> Iterator[str]:
    number = in_clusters = 0
    for number, members in enumerate(clusters, 1):
        yield f"cluster {number}: {len(members)} documents"
        _, first = members[0]
        in_clusters += len(members)
        for path, made in members:
            yield f"  {made}  {made.distance(first):2}  {escaped(path)}"
        yield ""
    yield f"documents {total}, clusters of near-duplicates {number}, documents in them {in_clusters}"
    yield f"documents left if one of each cluster is kept: {total - in_clusters + number}"


def _json_report(clusters: Iterable[list[Document]], total: int) -> Iterator[str]:
    for number, members in enumerate(clusters, 1):
        _, first = members[0]
        yield json.dumps(
            {
                "cluster": number,
                "documents": [
                    {"path": path, "fingerprint": str(made), "distance": made.distance(first)} for path, made in members
                ],
            }
        )
