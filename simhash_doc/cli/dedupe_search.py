"""The search of `simhash-doc dedupe`: among the documents of files, or of a collection of a store."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from simhash_doc.cli.dedupe_html import KEPT_CHARACTERS
from simhash_doc.cli.documents import report, report_skipped
from simhash_doc.cli.lookup_options import search_errors
from simhash_doc.cli.messages import Messages
from simhash_doc.cli.store import opened, store_errors
from simhash_doc.cli.streams import is_quiet, print_error, print_notice
from simhash_doc.ingest import FingerprintResult, ReadOptions, SkippedFile, fingerprint_documents
from simhash_doc.ingest.copies import Copies, find_copies
from simhash_doc.ingest.sources import walk
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.lookup import find_clusters
from simhash_doc.lookup.arrays import as_values
from simhash_doc.lookup.document_texts import DocumentTexts
from simhash_doc.lookup.duplicate_documents import document_entries, stored_entries
from simhash_doc.lookup.duplicates import CONFIRMING_SCHEME, Confirm, DuplicateCluster, Keep, make_clusters
from simhash_doc.schemes import get_scheme
from simhash_doc.store.folders import Changes, update_from_files

if TYPE_CHECKING:
    from simhash_doc.store import FingerprintStore

_TIMEOUT = 30  # seconds to wait for other users of the database


@dataclass(frozen=True, slots=True)
class Choices:
    """The options of a search, except those for reading documents."""

    scheme: str | None
    blocks: int | None
    distance: int | None
    confirm: Confirm | None
    least: float
    keep: Keep
    html: str | None
    remove_list: str | None


def in_files(
    paths: tuple[str, ...], choices: Choices, options: ReadOptions, jobs: int | None
) -> tuple[list[DuplicateCluster], int, bool]:
    """Return clusters of the documents in files, the number of documents, and whether all could be read."""
    scheme = choices.scheme or "sd64"
    narrow = choices.confirm == "none" or get_scheme(scheme).bits >= get_scheme(CONFIRMING_SCHEME).bits
    skipped: list[SkippedFile] = []
    copies = find_copies(walk(paths, options.selection, skipped.append))
    report_skipped(skipped)
    _report_same(copies)
    computed = fingerprint_documents(copies.files, scheme if narrow else CONFIRMING_SCHEME, options=options, jobs=jobs)
    computed.skipped_formats += _formats(skipped)
    results = list(report(computed, "distinct document" if copies.exact or copies.same else "document"))
    documents = document_entries(results, copies, scheme)
    values = as_values([document.fingerprint for document in documents], scheme)
    with search_errors():
        groups = find_clusters(values, choices.blocks, choices.distance)
    clusters = make_clusters(([documents[at] for at in group.tolist()] for group in groups), choices.keep)
    complete = not computed.empty and all(result.fingerprint for result in results)
    return clusters, len(documents), complete and not any(one.failed for one in skipped)


def in_store(
    database: str,
    collection: str,
    paths: tuple[str, ...],
    choices: Choices,
    options: ReadOptions,
    jobs: int | None,
) -> tuple[list[DuplicateCluster], int, bool]:
    """Update a collection and return the clusters of all of it, as `in_files` does."""
    with store_errors(), opened(database, _TIMEOUT, create=True) as store:
        changes = _update(store, collection, paths, choices.scheme, options, jobs)
        print_notice(f"{database}: {changes}")
        total = sum(1 for _ in store.documents(collection))
        stored = [
            [(member.uri or member.id, member.fingerprint) for member in group]
            for group in store.clusters(choices.distance, collection)
        ]
    groups, copies = stored_entries(stored)
    _report_same(copies)
    return make_clusters(groups, choices.keep), total - len(copies.same), not changes.failed


def texts_of(
    clusters: list[DuplicateCluster], choices: Choices, in_store: bool, options: ReadOptions, jobs: int | None
) -> DocumentTexts | None:
    """Return the texts of the clusters if they are compared or shown."""
    by_default = choices.confirm is None and (not in_store or choices.remove_list)
    if not (choices.html or choices.confirm == "text" or by_default):
        return None
    documents = (member.document for cluster in clusters for member in cluster.members)
    return DocumentTexts(documents, options, jobs, KEPT_CHARACTERS if choices.html else 0)


def _formats(skipped: list[SkippedFile]) -> Counter[str]:
    return Counter(one.format for one in skipped if one.format)


def _report_same(copies: Copies) -> None:
    if is_quiet():
        return
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
        results.skipped_formats += _formats(skipped)
        return ((results.file, result) for result in report(results))

    def warn(path: str, message: str) -> None:
        print_error(f"simhash-doc: {path}: {message}")

    skipped: list[SkippedFile] = []
    found = walk(paths, options.selection, skipped.append)
    files = [path for path in found if not store.is_own_file(path)]
    report_skipped(skipped)
    folders = [path for path in paths if os.path.isdir(path)]
    try:
        changes = update_from_files(store, collection, files, folders, fingerprint_files, warn, scheme)
    except (KeyboardInterrupt, SystemExit):  # Ctrl-C, or SIGTERM
        print_error("simhash-doc: interrupted; repeat the command to resume with the documents that are not stored yet")
        raise
    changes.failed = changes.failed or any(one.failed for one in skipped)
    return changes
