"""`simhash-doc store dedupe`: keep a collection up to date with files, and report its clusters of duplicates."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import click

from simhash_doc.cli.cluster_options import Comparison, cluster_options
from simhash_doc.cli.cluster_page import STORED_CHARACTERS, Compared
from simhash_doc.cli.cluster_report import report_same, write_clusters
from simhash_doc.cli.distance import check_distance
from simhash_doc.cli.document_report import find_sources, report
from simhash_doc.cli.help import Command
from simhash_doc.cli.store_options import (
    OptionalStore,
    collection_option,
    database_option,
    optional_store,
    shown_database,
    timeout_option,
)
from simhash_doc.console.messages import Messages, counted, print_notice
from simhash_doc.console.termination import resumable
from simhash_doc.duplicates.clusters import Confirm
from simhash_doc.duplicates.compared import CONFIRMING_SCHEME, ComparedDocument, documents_of_store
from simhash_doc.duplicates.texts import DocumentTexts
from simhash_doc.entries.entry import unescaped_name
from simhash_doc.files import STANDARD_INPUT
from simhash_doc.ingest import FingerprintResult, Source, fingerprint_documents
from simhash_doc.schemes import get_scheme
from simhash_doc.store import DEFAULT_COLLECTION
from simhash_doc.store.folders import FolderUpdate


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  simhash-doc store dedupe --db near.sqlite articles/
  simhash-doc store dedupe --db near.sqlite --remove-list remove.txt articles/
""",
)
@database_option
@timeout_option
@collection_option(DEFAULT_COLLECTION)
@cluster_options(
    keep=("first", "oldest"),
    confirm=None,
    scheme=None,
    defaults={
        "confirm": "none; text with --html or --remove-list",
        "scheme": "the scheme of the collection, else sd64",
    },
)
def dedupe(
    paths: tuple[str, ...],
    database: str,
    timeout: float,
    collection: str,
    scheme: str | None,
    output_format: str,
    output: str,
    html: str | None,
    remove_list: str | None,
    confirm: Confirm | None,
    **given: Any,
) -> int:
    """Update a collection, and report its duplicates.

    Of the documents PATH, the command reads only files that are new or have changed since the last run. Size, time
    and content show a change. If a file in the directories PATH no longer exists, the command removes its documents
    from the collection. The id of a document is its absolute path, as in `store add`.

    The report has the form of `dedupe`, and covers all documents of the collection. Those of PATH come first, in their
    order.
    """
    if STANDARD_INPUT in paths:
        raise click.UsageError("standard input (-) has no path to identify a document; give files or directories")
    texts = DocumentTexts() if html or remove_list or confirm == "text" else None
    comparison = Comparison(confirm=confirm or ("text" if texts else "none"), **given)
    with optional_store(database, timeout, (output, html, remove_list)) as target:
        near, total, compared, complete = _near_documents(target, database, collection, scheme, paths, comparison)
    clusters = comparison.clusters(near, compared.distance, texts, STORED_CHARACTERS if html else 0)
    write_clusters(
        clusters, total, texts, compared, output_format=output_format, output=output, html=html, remove_list=remove_list
    )
    return 0 if complete else 1


def _near_documents(
    target: OptionalStore,
    database: str,
    collection: str,
    wanted: str | None,
    paths: tuple[str, ...],
    comparison: Comparison,
) -> tuple[list[list[ComparedDocument]], int, Compared, bool]:
    """Update a collection; return what `dedupe` finds in files: components, number of documents, how, success."""

    messages = Messages()

    def warn(path: str, message: str) -> None:
        messages.show(f"{path}: {message}", message.partition(":")[0])

    def kept() -> str:
        stored = update.committed.count()
        return f"{counted(stored, 'document')} stored; the same command continues with the others" if stored else ""

    known = {one.name: one.scheme_id for one in target.store.collections()} if target.store else {}
    scheme = known.get(collection, wanted or "sd64")
    check_distance(comparison.distance, get_scheme(scheme))
    if comparison.confirm == CONFIRMING_SCHEME and get_scheme(scheme).bits < get_scheme(CONFIRMING_SCHEME).bits:
        raise click.UsageError(
            f"--confirm {CONFIRMING_SCHEME}: {collection!r} has fingerprints of {scheme}, which cannot be compared so; "
            "use --confirm text"
        )
    update = FolderUpdate(target.store, target.created, collection, wanted, warn)
    changes = update.changes
    with resumable(kept):
        sources, failures, complete = _update(update, database, paths, comparison)
    messages.finish()
    print_notice(f"{shown_database(database)}: {changes}")
    total, distance, stored = 0, 0, []
    if target.store and (collection in known or changes.added):
        total = sum(1 for _ in target.store.documents(collection))
        distance = comparison.distance_for(scheme, total)
        stored = [
            [(unescaped_name(member.uri or member.id), member.fingerprint) for member in component]
            for component in target.store.clusters(distance, collection)
        ]
    near, copies = documents_of_store(stored, (os.path.abspath(source.path) for source in sources))
    report_same(copies)
    return near, total - len(copies.same), comparison.compared(paths, scheme, distance, failures), complete


def _update(
    update: FolderUpdate, database: str, paths: tuple[str, ...], comparison: Comparison
) -> tuple[list[Source], list[tuple[str, str]], bool]:
    """Update a collection; return its files among those given, failures, and whether everything could be read."""
    from simhash_doc.store.schema import is_file_of  # later: it needs SQLAlchemy

    def fingerprint_sources(
        sources: list[Source], scheme: str, before: Callable[[Source], object]
    ) -> Iterator[tuple[Source, FingerprintResult]]:
        options, jobs = comparison.options, comparison.jobs
        results = fingerprint_documents(sources, scheme, options=options, jobs=jobs, before=before)
        for result in report(results, walked, unchanged=update.changes.unchanged):
            if result.error:
                failures.append((result.path, result.error))
            yield results.source, result

    failures = list[tuple[str, str]]()
    walked = find_sources(paths, comparison.options.selection)
    sources = [source for source in walked.sources if not is_file_of(database, source.path)]
    folders = [path for path in paths if os.path.isdir(path)]
    update.run(sources, folders, fingerprint_sources)
    return sources, failures, not update.changes.failed and not walked.incomplete
