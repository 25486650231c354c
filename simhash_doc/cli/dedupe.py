"""`simhash-doc dedupe`: near-duplicates among documents in one go."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import click
import numpy as np

from simhash_doc.cli.batch import fingerprint_documents
from simhash_doc.cli.documents import escaped, walk
from simhash_doc.cli.entries import writing
from simhash_doc.cli.lookup_options import blocks_option, distance_option, output_option, planned
from simhash_doc.cli.reading import Reading, reading_options
from simhash_doc.lookup import Clusters, find_clusters
from simhash_doc.value import Fingerprint

Document = tuple[str, Fingerprint]


@click.command(
    epilog="""\b
Examples:
  simhash-doc dedupe articles/
  simhash-doc dedupe crawl.warc.gz
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
@reading_options
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=None, help="Processes.  [default: all cores]")
def dedupe(
    paths: tuple[str, ...],
    output_format: str,
    output: str,
    blocks: int | None,
    distance: int,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Report clusters of near-duplicates among the documents PATH, of any medium that `fingerprint` takes.

    Directories are walked (hidden files are left out). A cluster is what is connected by
    pairs within the distance; each document is shown with its distance in bits from the
    first. Nothing is changed or deleted. A document without a fingerprint is named on standard
    error, all others count, and the status is 1.
    """
    # Before any document is read: what is wrong with the options should not cost the time of reading.
    planned(np.empty(0, np.uint64), blocks, distance)
    sys.stderr.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    outcomes = list(fingerprint_documents(list(walk(paths)), "sd64", reading=reading, jobs=jobs))
    documents = [(outcome.path, outcome.fingerprint) for outcome in outcomes if outcome.fingerprint]
    values = np.array([made.value for _, made in documents], np.uint64)
    clusters = find_clusters(values, planned(values, blocks, distance).blocks, distance)
    render = _text_report if output_format == "text" else _json_report
    with writing(output) as file:
        for line in render(clusters, documents):
            file.write(line.encode("utf-8", "surrogateescape") + b"\n")
    return 0 if documents and len(documents) == len(outcomes) else 1


def _text_report(clusters: Clusters, documents: list[Document]) -> Iterator[str]:
    for number, members in enumerate(clusters, 1):
        yield f"cluster {number}: {len(members)} documents"
        first = documents[members[0]][1]
        for path, made in (documents[at] for at in members.tolist()):
            yield f"  {made}  {made.distance(first):2}  {escaped(path)}"
        yield ""
    in_clusters = len(clusters.members)
    yield f"documents {len(documents)}, clusters of near-duplicates {len(clusters)}, documents in them {in_clusters}"
    yield f"documents left if one of each cluster is kept: {len(documents) - in_clusters + len(clusters)}"


def _json_report(clusters: Clusters, documents: list[Document]) -> Iterator[str]:
    for number, members in enumerate(clusters, 1):
        first = documents[members[0]][1]
        yield json.dumps(
            {
                "cluster": number,
                "documents": [
                    {"path": path, "fingerprint": str(made), "distance": made.distance(first)}
                    for path, made in (documents[at] for at in members.tolist())
                ],
            }
        )
