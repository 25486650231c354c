"""`simhash-doc dedupe`: clusters of duplicates among documents, of files or of a collection of a store."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from simhash_doc.cli.dedupe_report import (
    KEPT_CHARACTERS,
    MEMBER_COLUMNS,
    html_report,
    json_report,
    member_rows,
    text_report,
    write_remove_list,
)
from simhash_doc.cli.documents import jobs_option, min_tokens_option, path_options, read_options, report, report_skipped
from simhash_doc.cli.fingerprint_io import blocks_option, distance_option, search_errors
from simhash_doc.cli.output import (
    Messages,
    bare_option,
    check_outputs,
    chosen_format,
    is_quiet,
    output_option,
    print_error,
    print_notice,
    printing,
    write_rows,
)
from simhash_doc.cli.store import collection_option, open_store
from simhash_doc.duplicates import (
    CONFIRMING_SCHEME,
    Confirm,
    Copies,
    DocumentTexts,
    DuplicateCluster,
    Findings,
    Keep,
    confirmed,
    document_entries,
    find_copies,
    make_clusters,
    stored_entries,
)
from simhash_doc.ingest import FingerprintResult, ReadOptions, SkippedFile, fingerprint_documents
from simhash_doc.ingest.documents import walk
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.lookup import find_clusters
from simhash_doc.lookup.arrays import as_values
from simhash_doc.schemes import get_scheme, get_schemes
from simhash_doc.store.documents import DEFAULT_COLLECTION
from simhash_doc.store.folders import Changes, update_from_files

if TYPE_CHECKING:
    from simhash_doc.store import FingerprintStore

_TIMEOUT = 30  # seconds to wait for other users of the database


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
    null_separated: bool,
    database: str | None,
    collection: str,
    **given: Any,
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
    search = _Search(**given)
    html, remove_list = search.html, search.remove_list
    check_outputs(output, html, remove_list, inputs=paths, selection=search.options.selection)
    with search_errors():
        find_clusters([], search.blocks, search.distance, scheme=search.scheme)
    if output_format in ("csv", "parquet"):
        chosen_format(output_format, output)
    if null_separated and not remove_list:
        raise click.UsageError("-0 needs --remove-list")
    if database is None:
        clusters, total, complete = _in_files(paths, search)
    else:
        clusters, total, complete = _in_store(database, collection, paths, search)
    texts = _texts_of(clusters, search, database is not None)
    method = search.confirm or ("text" if texts else "none")
    found = Findings([confirmed(one, method, search.min_similarity / 100, texts) for one in clusters], total)
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


@dataclass(frozen=True, slots=True)
class _Search:
    """The options of a search for duplicates."""

    html: str | None
    keep: Keep
    confirm: Confirm | None
    min_similarity: int
    remove_list: str | None
    scheme: str | None
    blocks: int | None
    distance: int | None
    options: ReadOptions
    jobs: int | None


def _in_files(paths: tuple[str, ...], search: _Search) -> tuple[list[DuplicateCluster], int, bool]:
    """Return clusters of the documents in files, the number of documents, and whether all could be read."""
    scheme = search.scheme or "sd64"
    narrow = search.confirm == "none" or get_scheme(scheme).bits >= get_scheme(CONFIRMING_SCHEME).bits
    skipped: list[SkippedFile] = []
    copies = find_copies(walk(paths, search.options.selection, skipped.append))
    report_skipped(skipped)
    _report_same(copies)
    computed = fingerprint_documents(
        copies.files, scheme if narrow else CONFIRMING_SCHEME, options=search.options, jobs=search.jobs
    )
    computed.skipped_formats += Counter(one.format for one in skipped if one.format)
    results = list(report(computed, "distinct document" if copies.exact or copies.same else "document"))
    documents = document_entries(results, copies, scheme)
    values = as_values([document.fingerprint for document in documents], scheme)
    with search_errors():
        groups = find_clusters(values, search.blocks, search.distance)
    clusters = make_clusters(([documents[at] for at in group.tolist()] for group in groups), search.keep)
    complete = not computed.empty and all(result.fingerprint for result in results)
    return clusters, len(documents), complete and not any(one.failed for one in skipped)


def _in_store(
    database: str, collection: str, paths: tuple[str, ...], search: _Search
) -> tuple[list[DuplicateCluster], int, bool]:
    """Update a collection and return the clusters of all of it, as `_in_files` does."""
    with open_store(database, _TIMEOUT, create=True) as store:
        changes = _update(store, collection, paths, search)
        print_notice(f"{database}: {changes}")
        total = sum(1 for _ in store.documents(collection))
        stored = [
            [(member.uri or member.id, member.fingerprint) for member in group]
            for group in store.clusters(search.distance, collection)
        ]
    groups, copies = stored_entries(stored)
    _report_same(copies)
    return make_clusters(groups, search.keep), total - len(copies.same), not changes.failed


def _texts_of(clusters: list[DuplicateCluster], search: _Search, in_store: bool) -> DocumentTexts | None:
    """Return the texts of the clusters if they are compared or shown."""
    by_default = search.confirm is None and (not in_store or search.remove_list)
    if not (search.html or search.confirm == "text" or by_default):
        return None
    documents = (member.document for cluster in clusters for member in cluster.members)
    return DocumentTexts(documents, search.options, search.jobs, KEPT_CHARACTERS if search.html else 0)


def _report_same(copies: Copies) -> None:
    if is_quiet():
        return
    messages = Messages()
    for what in (
        *(f"{path}: the same file as {first}" for path, first in copies.same.items()),
        *(f"{path}: given twice" for path in copies.repeated),
    ):
        messages.show(f"{what}: counted once", "files that are given twice: counted once")
    messages.finish()


def _update(store: FingerprintStore, collection: str, paths: tuple[str, ...], search: _Search) -> Changes:
    """Update a collection with the files below the paths; warnings and errors are printed."""
    if STANDARD_INPUT in paths:
        raise click.UsageError("--db needs files or directories: standard input has no path to identify a document")

    def fingerprint_files(files: list[str], scheme: str) -> Iterator[tuple[str, FingerprintResult]]:
        results = fingerprint_documents(files, scheme, options=search.options, jobs=search.jobs)
        results.skipped_formats += Counter(one.format for one in skipped if one.format)
        return ((results.file, result) for result in report(results))

    def warn(path: str, message: str) -> None:
        print_error(f"simhash-doc: {path}: {message}")

    skipped: list[SkippedFile] = []
    found = walk(paths, search.options.selection, skipped.append)
    files = [path for path in found if not store.is_own_file(path)]
    report_skipped(skipped)
    folders = [path for path in paths if os.path.isdir(path)]
    try:
        changes = update_from_files(store, collection, files, folders, fingerprint_files, warn, search.scheme)
    except (KeyboardInterrupt, SystemExit):  # Ctrl-C, or SIGTERM
        print_error("simhash-doc: interrupted; repeat the command to resume with the documents that are not stored yet")
        raise
    changes.failed = changes.failed or any(one.failed for one in skipped)
    return changes
