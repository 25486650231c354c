"""`simhash-doc dedupe`: clusters of duplicates among documents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from simhash_doc.cli.dedupe_html import KEPT_CHARACTERS, html_report
from simhash_doc.cli.dedupe_report import (
    MEMBER_COLUMNS,
    Findings,
    json_report,
    member_rows,
    text_report,
    write_remove_list,
)
from simhash_doc.cli.documents import (
    bare_option,
    jobs_option,
    output_option,
    path_options,
    printing,
    read_options,
    report,
    report_skipped,
)
from simhash_doc.cli.fingerprint_io import check_outputs
from simhash_doc.cli.lookup_options import blocks_option, chosen_blocks, distance_option
from simhash_doc.cli.messages import Messages
from simhash_doc.cli.row_output import chosen_format, write_rows
from simhash_doc.cli.store_options import collection_option, opened, store_errors
from simhash_doc.cli.streams import print_error
from simhash_doc.ingest import FingerprintResult, ReadOptions, SkippedFile, fingerprint_documents
from simhash_doc.ingest.copies import Copies, find_copies
from simhash_doc.ingest.sources import STANDARD_INPUT, walk
from simhash_doc.lookup import find_clusters
from simhash_doc.lookup.arrays import as_values
from simhash_doc.lookup.document_texts import DocumentTexts
from simhash_doc.lookup.duplicate_documents import document_entries, stored_entries
from simhash_doc.lookup.duplicates import (
    CONFIRMING_SCHEME,
    Confirm,
    DocumentEntry,
    DuplicateCluster,
    Keep,
    confirmed,
    make_clusters,
)
from simhash_doc.schemes import get_scheme, get_schemes
from simhash_doc.store.documents import DEFAULT_COLLECTION
from simhash_doc.store.folders import Changes, update_from_files

if TYPE_CHECKING:
    from simhash_doc.store import FingerprintStore

_TIMEOUT = 30  # seconds to wait for other users of the database


@dataclass(frozen=True, slots=True)
class _Choices:
    """The options of a search, except those for reading documents."""

    scheme: str | None
    blocks: int | None
    distance: int | None
    confirm: Confirm | None
    least: float
    keep: Keep
    html: str | None
    remove_list: str | None


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

    Directories are searched for files, except hidden ones. A file that is given twice, or through a
    link, counts once. Files with equal content are exact copies. Documents are in one cluster if a
    chain of pairs within the distance connects them. The largest cluster comes first; its
    representative is followed by exact copies, near-duplicates (confirmed) and candidates (not
    confirmed). Each has its distance in bits from the representative, and the similarity of the
    texts. No document is changed or deleted. A document without a fingerprint is reported on
    standard error, and the status is 1; all others are clustered.

    With --db, only files that are new or have changed since the last run are read; size, time and
    content show a change. Documents of files that no longer exist in the directories PATH are removed
    from the collection.
    """
    # Before any document is read: an error in the options is reported at once.
    check_outputs(output, html, remove_list)
    chosen_blocks(as_values([], scheme), blocks, distance)
    if output_format in ("csv", "parquet"):
        chosen_format(output_format, output)
    if null_separated and not remove_list:
        raise click.UsageError("-0 needs --remove-list")
    choices = _Choices(scheme, blocks, distance, confirm, min_similarity / 100, keep, html, remove_list)
    if database is None:
        clusters, total, complete = _in_files(paths, choices, options, jobs)
    else:
        clusters, total, complete = _in_store(database, collection, paths, choices, options, jobs)
    texts = _texts(clusters, choices, database is not None, options, jobs)
    method = choices.confirm or ("text" if texts else "none")
    clusters = [
        confirmed(one, method, texts.similarity if texts else _no_similarity, choices.least) for one in clusters
    ]
    found = Findings(clusters, total)
    if output_format in ("text", "json"):
        lines = text_report(found, bare=bare) if output_format == "text" else json_report(found, bare=bare)
        with printing(output) as show:
            for line in lines:
                show(line)
    else:
        write_rows(output, output_format, MEMBER_COLUMNS, member_rows(found, bare=bare))
    if html and texts:
        with printing(html) as show:
            for line in html_report(found, texts.text):
                show(line)
    if remove_list:
        write_remove_list(found, remove_list, null_separated=null_separated)
    return 0 if complete else 1


def _in_files(
    paths: tuple[str, ...], choices: _Choices, options: ReadOptions, jobs: int | None
) -> tuple[list[DuplicateCluster], int, bool]:
    """Return clusters of the documents in files, the number of documents, and whether all could be read."""
    scheme = choices.scheme or "sd64"
    narrow = choices.confirm == "none" or get_scheme(scheme).bits >= get_scheme(CONFIRMING_SCHEME).bits
    skipped: list[SkippedFile] = []
    copies = find_copies(walk(paths, skipped.append))
    for one in skipped:
        report_skipped(one)
    _report_same(copies)
    computed = fingerprint_documents(copies.files, scheme if narrow else CONFIRMING_SCHEME, options=options, jobs=jobs)
    results = list(report(computed))
    documents = document_entries(results, copies, scheme)
    values = as_values([document.fingerprint for document in documents], scheme)
    groups = find_clusters(values, chosen_blocks(values, choices.blocks, choices.distance), choices.distance)
    clusters = make_clusters(([documents[at] for at in group.tolist()] for group in groups), choices.keep)
    complete = bool(results) and all(result.fingerprint for result in results)
    return clusters, len(documents), complete and not computed.incomplete and not any(one.failed for one in skipped)


def _in_store(
    database: str,
    collection: str,
    paths: tuple[str, ...],
    choices: _Choices,
    options: ReadOptions,
    jobs: int | None,
) -> tuple[list[DuplicateCluster], int, bool]:
    """Update a collection and return the clusters of all of it, as `_in_files` does."""
    with store_errors(), opened(database, _TIMEOUT, create=True) as store:
        changes = _update(store, collection, paths, choices.scheme, options, jobs)
        print_error(f"{database}: {changes}")
        total = sum(1 for _ in store.documents(collection))
        compare = choices.confirm == "text" or bool(choices.html or choices.remove_list)
        stored = [
            [(member.uri or member.id, member.fingerprint) for member in group]
            for group in store.clusters(choices.distance, collection)
        ]
    groups, copies = stored_entries(stored, find_equal=compare)
    _report_same(copies)
    return make_clusters(groups, choices.keep), total, not changes.failed


def _texts(
    clusters: list[DuplicateCluster], choices: _Choices, in_store: bool, options: ReadOptions, jobs: int | None
) -> DocumentTexts | None:
    """Return the texts of the clusters if they are compared or shown."""
    by_default = choices.confirm is None and (not in_store or choices.remove_list)
    if not (choices.html or choices.confirm == "text" or by_default):
        return None
    documents = (member.document for cluster in clusters for member in cluster.members)
    return DocumentTexts(documents, options, jobs, KEPT_CHARACTERS if choices.html else 0)


def _no_similarity(_: DocumentEntry, __: DocumentEntry) -> None:
    return None


def _report_same(copies: Copies) -> None:
    messages = Messages()
    for path, first in copies.same.items():
        messages.show(f"{path}: the same file as {first}: counted once", "files that are given twice: counted once")
    for path in copies.repeated:
        messages.show(f"{path}: given twice: counted once", "files that are given twice: counted once")
    messages.finish()


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

    def fingerprint_files(files: list[str], scheme: str) -> Iterator[tuple[str, FingerprintResult]]:
        results = fingerprint_documents(files, scheme, options=options, jobs=jobs)
        return ((results.file, result) for result in report(results))

    def warn(path: str, message: str) -> None:
        print_error(f"simhash-doc: {path}: {message}")

    skipped: list[SkippedFile] = []
    files = [path for path in walk(paths, skipped.append) if not store.is_own_file(path)]
    for one in skipped:
        report_skipped(one)
    folders = [path for path in paths if os.path.isdir(path)]
    changes = update_from_files(store, collection, files, folders, fingerprint_files, warn, scheme)
    changes.failed = changes.failed or any(one.failed for one in skipped)
    return changes
