"""`simhash-doc dedupe`: clusters of duplicates among documents."""

from __future__ import annotations

import click

from simhash_doc.cli.dedupe_html import html_report
from simhash_doc.cli.dedupe_report import (
    MEMBER_COLUMNS,
    Findings,
    json_report,
    member_rows,
    text_report,
    write_remove_list,
)
from simhash_doc.cli.dedupe_search import Choices, in_files, in_store, texts_of
from simhash_doc.cli.documents import (
    bare_option,
    jobs_option,
    min_tokens_option,
    output_option,
    path_options,
    printing,
    read_options,
)
from simhash_doc.cli.lookup_options import blocks_option, distance_option, search_errors
from simhash_doc.cli.outputs import check_outputs
from simhash_doc.cli.row_output import chosen_format, write_rows
from simhash_doc.cli.store import collection_option
from simhash_doc.ingest import ReadOptions
from simhash_doc.lookup.clusters import find_clusters
from simhash_doc.lookup.duplicates import Confirm, DocumentEntry, Keep, confirmed
from simhash_doc.schemes import get_schemes
from simhash_doc.store.documents import DEFAULT_COLLECTION


@click.command(
    epilog="""\b
Examples:
  simhash-doc dedupe articles/
  simhash-doc dedupe --html report.html crawl.warc.gz
  simhash-doc dedupe --keep oldest --remove-list remove.txt -0 articles/ && xargs -0 rm -- < remove.txt
  simhash-doc dedupe --db near.sqlite articles/
  simhash-doc dedupe --distance 2 --format json -o report.jsonl articles/ drafts/
"""
)
@path_options
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "csv", "parquet"]),
    default="text",
    show_default=True,
    help="json: one object per cluster and line; csv, parquet: one row per document.",
)
@bare_option
@output_option
@click.option(
    "--html", metavar="FILE", help="Also write an HTML page with the clusters and the differences between their texts."
)
@click.option(
    "--keep",
    type=click.Choice(["longest", "oldest", "first"]),
    default="longest",
    show_default=True,
    help="Representative of a cluster: the longest text, the oldest file, or the first in the input.",
)
@click.option(
    "--confirm",
    type=click.Choice(["none", "sd256", "text"]),
    help="How candidates are confirmed as near-duplicates of the representative: not at all, by a close sd256 "
    "fingerprint, or by a similar text.  [default: text; with --db none, but text for --remove-list]",
)
@click.option(
    "--min-similarity",
    type=click.IntRange(1, 100),
    default=50,
    show_default=True,
    metavar="PERCENT",
    help="Minimum share of common words for --confirm text.",
)
@click.option(
    "--remove-list",
    metavar="FILE",
    help="Write the paths of exact copies and near-duplicates, without the representatives. Nothing is deleted.",
)
@click.option(
    "-0", "null_separated", is_flag=True, help="End each path of --remove-list with NUL instead of a line end."
)
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
@min_tokens_option
@read_options
@jobs_option
def dedupe(
    paths: tuple[str, ...],
    output_format: str,
    bare: bool,
    output: str,
    html: str | None,
    keep: Keep,
    confirm: Confirm | None,
    min_similarity: int,
    remove_list: str | None,
    null_separated: bool,
    scheme: str | None,
    blocks: int | None,
    distance: int | None,
    database: str | None,
    collection: str,
    options: ReadOptions,
    jobs: int | None,
) -> int:
    """Report clusters of duplicates among the documents PATH, of any format that `fingerprint` reads.

    Directories are searched as by `fingerprint`. A file that is given twice, or through a link, counts
    once. Files with equal content are exact copies. Documents are in one cluster if a chain of pairs
    within the distance connects them. The largest cluster comes first; its representative is followed
    by exact copies, near-duplicates (confirmed) and candidates (not confirmed). Each has its distance in
    bits from the representative, and the similarity of the texts. No document is changed or deleted. A
    document without a fingerprint is reported on standard error, and the status is 1; all others are
    clustered.

    With --db, only files that are new or have changed since the last run are read; size, time and
    content show a change. Documents of files that no longer exist in the directories PATH are removed
    from the collection.
    """
    # Before any document is read: an error in the options is reported at once.
    check_outputs(output, html, remove_list, inputs=paths, selection=options.selection)
    with search_errors():
        find_clusters([], blocks, distance, scheme=scheme)
    if output_format in ("csv", "parquet"):
        chosen_format(output_format, output)
    if null_separated and not remove_list:
        raise click.UsageError("-0 needs --remove-list")
    choices = Choices(scheme, blocks, distance, confirm, min_similarity / 100, keep, html, remove_list)
    if database is None:
        clusters, total, complete = in_files(paths, choices, options, jobs)
    else:
        clusters, total, complete = in_store(database, collection, paths, choices, options, jobs)
    texts = texts_of(clusters, choices, database is not None, options, jobs)
    method = choices.confirm or ("text" if texts else "none")
    clusters = [
        confirmed(one, method, texts.similarity if texts else _no_similarity, choices.least) for one in clusters
    ]
    found = Findings(clusters, total)
    # The files come first: a closed pipe, as of `| head`, ends the command.
    if html and texts:
        with printing(html) as show:
            for line in html_report(found, texts.text):
                show(line)
    if remove_list:
        write_remove_list(found, remove_list, null_separated=null_separated)
    if output_format in ("text", "json"):
        lines = text_report(found, bare=bare) if output_format == "text" else json_report(found, bare=bare)
        with printing(output) as show:
            for line in lines:
                show(line)
    else:
        write_rows(output, output_format, MEMBER_COLUMNS, member_rows(found, bare=bare))
    return 0 if complete else 1


def _no_similarity(_: DocumentEntry, __: DocumentEntry) -> None:
    return None
