"""`simhash-doc store dedupe`: keep a collection up to date with files, and report its clusters of duplicates."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from simhash_doc.arguments import DEFAULT_COLLECTION, STANDARD_INPUT
from simhash_doc.cli.cluster_options import Outputs, cluster_options
from simhash_doc.cli.distance import reject_unrelated_distance
from simhash_doc.cli.store_options import (
    OptionalStore,
    collection_option,
    counted_stored,
    database_option,
    optional_store,
    shown_database,
    timeout_option,
)
from simhash_doc.command_line.help import SectionedCommand, command_line
from simhash_doc.command_line.options import named_scheme
from simhash_doc.console.messages import Messages, Progress, counted, print_notice
from simhash_doc.console.termination import resumable
from simhash_doc.duplicates.policy import Policy
from simhash_doc.schemes import get_scheme

if TYPE_CHECKING:
    from simhash_doc.duplicates.compared import ComparedDocument
    from simhash_doc.duplicates.documents import DocumentDuplicates
    from simhash_doc.fingerprint import Fingerprint
    from simhash_doc.ingest import FingerprintResult, ReadOptions
    from simhash_doc.ingest.walk import Source
    from simhash_doc.store.folders import FolderUpdate


@click.command(
    "dedupe",
    cls=SectionedCommand,
    epilog="""\b
Examples:
  simhash-doc store dedupe --db near.sqlite articles/
  simhash-doc store dedupe --db near.sqlite --remove-list remove.txt articles/
""",
)
@database_option
@timeout_option
@collection_option(DEFAULT_COLLECTION)
@cluster_options(scheme=f"the scheme of the collection, else {Policy().scheme}")
def store_dedupe_command(
    paths: tuple[str, ...],
    database: str,
    timeout: float,
    collection: str,
    scheme: str | None,
    output_format: str,
    output: str,
    html: str | None,
    remove_list: str | None,
    policy: Policy,
    options: ReadOptions,
    jobs: int | None,
) -> int:
    """Update a collection, and report its duplicates.

    The command reads only files of PATH that are new or have changed since the last run. It detects changes by size,
    time and content. If a file in a directory PATH no longer exists, the command removes its documents from the
    collection. The id of a document is its absolute path, as in `store add`.

    The report has the form of `dedupe`, and covers all documents of the collection. The command reads the texts of near
    documents again, because the store has none. A document whose file is gone, or has changed, is a candidate.
    """
    from simhash_doc.cli.cluster_page import STORED_CHARACTERS
    from simhash_doc.cli.cluster_report import write_clusters
    from simhash_doc.duplicates.document_clusters import make_clusters

    if STANDARD_INPUT in paths:
        raise click.UsageError("standard input (-) has no path to identify a document; give files or directories")
    outputs = Outputs(output_format, output, html, remove_list)
    with optional_store(database, timeout, (output, html, remove_list)) as target:
        update = _Update(target, database, collection, scheme, paths)
        parts, found = update.run(policy, options, jobs)
    texts = sum(map(len, parts))
    with Progress(None).begin(f"reading {counted(texts, 'text')} to compare"):
        documents = (document for part in parts for document in part)
        found.texts.load(documents, found.policy, options, jobs, STORED_CHARACTERS)
    found.clusters = make_clusters(parts, found.policy, found.texts, near=found.near)
    write_clusters(found, paths, outputs, command_line(database, shown_database(database)))
    return 0 if found.complete else 1


@dataclass(frozen=True, slots=True)
class _Update:
    """A collection that is brought up to date with files."""

    target: OptionalStore
    database: str
    collection: str
    scheme: str | None
    paths: tuple[str, ...]

    def run(
        self, policy: Policy, options: ReadOptions, jobs: int | None
    ) -> tuple[list[list[ComparedDocument]], DocumentDuplicates]:
        """Return the parts of the updated collection, and what is known without the texts."""
        from simhash_doc.cli.cluster_report import report_same
        from simhash_doc.duplicates.compared import documents_of_store
        from simhash_doc.duplicates.documents import DocumentDuplicates
        from simhash_doc.entries.entry import unescaped_name
        from simhash_doc.store.folders import FolderUpdate

        own = self._own_scheme()
        scheme = own or self.scheme or policy.scheme
        reject_unrelated_distance(policy.distance, get_scheme(scheme))
        found = DocumentDuplicates(replace(policy, scheme=scheme))
        messages = Messages()

        def warn(path: str, message: str) -> None:
            messages.show(f"{path}: {message}", message.partition(":")[0])

        def kept() -> str:
            return f"{counted_stored(update.committed)}; the same command continues with the others"

        wanted = named_scheme(self.scheme) if own else scheme
        update = FolderUpdate(self.target.store, self.target.created, self.collection, wanted, warn)
        changes = update.changes
        with resumable(kept):
            sources = self._read(update, found, options, jobs)
        messages.finish()
        print_notice(f"{shown_database(self.database)}: {changes}")
        stored: list[list[tuple[str, Fingerprint]]] = []
        if self.target.store and self._own_scheme():  # now: another process may have created the collection
            from simhash_doc.store.store import comparable_parts  # later: it needs SQLAlchemy

            found.total = sum(1 for _ in self.target.store.documents(self.collection))
            parts, found.near = comparable_parts(self.target.store, found.policy.bits, self.collection)
            stored = [
                [(unescaped_name(member.uri or member.id), member.fingerprint) for member in part] for part in parts
            ]
        of_files, copies = documents_of_store(stored, (os.path.abspath(source.path) for source in sources))
        report_same(copies)
        found.total -= len(copies.same)
        return of_files, found

    def _own_scheme(self) -> str | None:
        """Return the scheme that the collection has; None if it does not exist."""
        known = self.target.store.collections() if self.target.store else []
        return next((one.scheme.id for one in known if one.name == self.collection), None)

    def _read(
        self, update: FolderUpdate, found: DocumentDuplicates, options: ReadOptions, jobs: int | None
    ) -> list[Source]:
        """Update the collection, and note failures; return its files among those given."""
        from simhash_doc.cli.document_report import find_sources, report
        from simhash_doc.ingest.reading import Results
        from simhash_doc.ingest.tasks import FingerprintTask
        from simhash_doc.store.schema import is_store_file  # later: it needs SQLAlchemy

        def fingerprint_sources(
            sources: list[Source], scheme: str, before: Callable[[Source], object]
        ) -> Iterator[tuple[Source, FingerprintResult]]:
            results = Results(sources, FingerprintTask(options, get_scheme(scheme).id), jobs, before)
            for result in report(results, walked, unchanged=update.changes.unchanged):
                if result.error:
                    found.failures.append((result.path, result.error))
                yield results.source, result

        walked = find_sources(self.paths, options.selection)
        sources = [source for source in walked.sources if not is_store_file(self.database, source.path)]
        folders = [path for path in self.paths if os.path.isdir(path)]
        update.run(sources, folders, fingerprint_sources)
        found.complete = not update.changes.failed and not walked.incomplete
        return sources
