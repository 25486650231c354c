"""`simhash-doc dedupe`: clusters of duplicates among documents, of files or of a collection of a store."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import click

from simhash_doc.cli.dedupe_page import KEPT_CHARACTERS, count_kind, counted_kinds, counted_unique, page_of, percent
from simhash_doc.cli.distance import Distance, check_distance, chosen_distance, distance_option
from simhash_doc.cli.document_options import min_tokens_option, path_options
from simhash_doc.cli.document_report import find_sources, report
from simhash_doc.cli.messages import (
    Messages,
    Progress,
    counted,
    escape_path,
    is_quiet,
    print_error,
    print_notice,
    resumable,
)
from simhash_doc.cli.output import output_option, printing, text_or_json_option
from simhash_doc.cli.rows import COLUMN, dedupe_rows
from simhash_doc.cli.search_options import search_errors
from simhash_doc.cli.store import collection_option, optional_store
from simhash_doc.duplicates.clusters import Cluster, Confirm, Keep, Kind, Member, Rule, make_clusters, removable
from simhash_doc.duplicates.compared import (
    CONFIRMING_SCHEME,
    ComparedDocument,
    documents_of_results,
    documents_of_store,
)
from simhash_doc.duplicates.copies import Copies, find_copies
from simhash_doc.duplicates.texts import DocumentTexts
from simhash_doc.ingest import FingerprintResult, ReadOptions, Source, fingerprint_documents
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.lookup import find_clusters
from simhash_doc.provenance import Provenance
from simhash_doc.schemes import get_scheme, get_schemes
from simhash_doc.store.documents import DEFAULT_COLLECTION
from simhash_doc.store.folders import FolderUpdate
from simhash_doc.thresholds import SHORTEST

_TIMEOUT = 30  # seconds to wait for other users of the database
_SHOWN_KINDS: dict[Kind, str] = {"representative": "keep", "exact": "exact copy"}


@click.command(
    epilog="""\b
Examples:
  simhash-doc dedupe articles/
  simhash-doc dedupe --html report.html crawl.warc.gz
  simhash-doc dedupe --keep oldest --min-similarity 95 --remove-list remove.txt articles/
  simhash-doc dedupe --db near.sqlite articles/
  simhash-doc dedupe --column text --id id in.parquet -o kept.parquet --groups groups.csv
  simhash-doc dedupe --distance 2 --format json -o report.jsonl articles/ drafts/
"""
)
@text_or_json_option
@output_option
@click.option(
    "--html", metavar="FILE", help="Also write an HTML page with the clusters and the differences between their texts."
)
@click.option(
    "--keep",
    default="longest",
    show_default=True,
    metavar="RULE",
    help="Representative of a cluster: the longest text, the oldest file, or the first in the input; with --column, "
    "longest, first, or column:NAME for the least value of a column, missing ones last.",
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
    help="Write the paths of files that are exact copies or near-duplicates, without the representatives, and without "
    "documents inside other files. Nothing is deleted.",
)
@click.option(
    "--scheme",
    type=click.Choice(list(get_schemes())),
    help="Scheme of the fingerprints.  [default: that of the collection, else sd64]",
)
@distance_option
@click.option(
    "--db",
    "database",
    metavar="DATABASE",
    help="Update a collection of a store with the documents, and report on the complete collection.",
)
@collection_option(DEFAULT_COLLECTION)
@click.option(
    "--column",
    metavar="NAME",
    help="PATH are Parquet, CSV or JSON-lines files; copy their rows without duplicates of this column to -o.",
)
@click.option("--id", "id_column", metavar="NAME", help="Column with the ids for --groups.  [default: row numbers]")
@click.option(
    "--groups",
    metavar="FILE",
    help="Write the groups of --column: id, group, keeper, distance, similarity, reason (Parquet, CSV or JSON lines).",
)
@min_tokens_option
@path_options("output", "html", "remove_list", "groups")
def dedupe(
    paths: tuple[str, ...],
    output_format: str,
    output: str,
    html: str | None,
    remove_list: str | None,
    database: str | None,
    collection: str,
    column: str | None,
    id_column: str | None,
    groups: str | None,
    **given: Any,
) -> int:
    """Report clusters of duplicates among the documents PATH, of any format that `fingerprint` reads.

    Directories are searched as by `fingerprint`. A file that is given twice, or through a link, counts
    once. Files with equal content are exact copies. Each cluster has a representative, which is kept;
    it is followed by its exact copies, near-duplicates (within the distance of it, and confirmed) and
    candidates (within the distance, and not confirmed; they are kept, too). The largest cluster comes
    first. Each document has its distance in bits from the representative, and the similarity of the
    texts. No document is changed or deleted. A document without a fingerprint is reported on standard
    error, and the status is 1; all others are clustered.

    With --db, only files that are new or have changed since the last run are read; size, time and
    content show a change. The id of a document is its absolute path, as `store add` stores the path of an
    existing file. Documents of files that no longer exist in the directories PATH are removed
    from the collection.

    With --column, the rows of tabular files of one format are compared instead, by sd256 fingerprints and
    their texts, and those that are kept are copied to -o, in the same format. A row is left out if it is
    near and similar to a kept row. Rows without a text or a token are kept, and
    counted on standard error. Rows that cannot be read are reported and left out, and the status is 1.
    """
    if given["keep"] not in ("longest", "oldest", "first") and not given["keep"].startswith(COLUMN):
        raise click.UsageError(f"--keep is {given['keep']!r}; expected longest, oldest, first or {COLUMN}NAME")
    if column is not None:
        return dedupe_rows(paths, column, id_column, output, groups, **given)
    if id_column is not None or groups is not None or given["keep"].startswith(COLUMN):
        raise click.UsageError("--id, --groups and --keep column:NAME need --column")
    # Before any document is read: an error in the options is reported at once.
    search = _Search(**given)
    if database is None:
        check_distance(search.distance, get_scheme(search.scheme or "sd64"))
    compares = bool(html or search.confirm == "text")
    compares |= search.confirm is None and (database is None or bool(remove_list))
    texts = DocumentTexts() if compares else None
    if database is None:
        near, distance, total, complete = _in_files(paths, search, texts)
    else:
        near, distance, total, complete = _in_store(database, collection, paths, search, (output, html, remove_list))
    if texts:
        documents = [document for group in near for document in group]
        with Progress(None).begin(f"reading {counted(len(documents), 'text')} to compare"):
            texts.load(documents, search.options, search.jobs, KEPT_CHARACTERS if html else 0)
    method = search.confirm or ("text" if texts else "none")
    clusters = make_clusters(near, Rule(distance, search.keep, method, search.min_similarity / 100), texts)
    # The files come first: a closed pipe, as of `| head`, ends the command.
    if html and texts:
        with printing(html) as show:
            for line in page_of(clusters, total, texts.text):
                show(line)
    if remove_list:
        _write_remove_list(clusters, remove_list)
    with printing(output) as show:
        for line in _text_report(clusters, total) if output_format == "text" else _json_report(clusters):
            show(line)
    return 0 if complete else 1


@dataclass(frozen=True, slots=True)
class _Search:
    keep: Keep
    confirm: Confirm | None
    min_similarity: int
    scheme: str | None
    distance: Distance
    options: ReadOptions
    jobs: int | None

    def most(self, scheme: str, documents: int) -> int:
        """Return the distance for so many documents."""
        wide = get_scheme(CONFIRMING_SCHEME).close if self.confirm == CONFIRMING_SCHEME and scheme == "sd64" else None
        tokens = max(SHORTEST, self.options.min_tokens)
        chosen = chosen_distance(self.distance, get_scheme(scheme), documents, tokens=tokens, confirmed=wide)
        return get_scheme(scheme).or_close(chosen)


Groups = list[list[ComparedDocument]]


def _in_files(paths: tuple[str, ...], search: _Search, texts: DocumentTexts | None) -> tuple[Groups, int, int, bool]:
    """Return groups of near documents in files, the distance, the number of all, and whether all could be read."""
    scheme = search.scheme or "sd64"
    narrow = search.confirm == "none" or get_scheme(scheme).bits >= get_scheme(CONFIRMING_SCHEME).bits
    walked = find_sources(paths, search.options.selection)
    with Progress(None).begin("comparing files"):
        copies = find_copies(walked.sources)
    _report_same(copies)
    computed = fingerprint_documents(
        copies.sources,
        scheme if narrow else CONFIRMING_SCHEME,
        options=search.options,
        jobs=search.jobs,
        with_text=texts is not None,
    )
    reported = report(computed, walked, "distinct document" if copies.exact or copies.same else "document")
    results = list(texts.kept(reported) if texts else reported)
    documents = documents_of_results(results, copies, scheme)
    most = search.most(scheme, len(documents))
    with search_errors(), Progress(None).begin(f"searching {len(documents):,} fingerprints"):
        clusters = find_clusters([document.fingerprint for document in documents], distance=most, scheme=scheme)
        groups = [[documents[at] for at in members.tolist()] for members in clusters]
    complete = not computed.empty and all(result.fingerprint for result in results)
    return groups, most, len(documents), complete and not walked.incomplete


def _in_store(
    database: str, collection: str, paths: tuple[str, ...], search: _Search, outputs: Sequence[str | None]
) -> tuple[Groups, int, int, bool]:
    """Update a collection and return the groups of all of it, as `_in_files` does."""

    def warn(path: str, message: str) -> None:
        print_error(f"simhash-doc: {path}: {message}")

    def kept() -> str:
        stored = changes.added + changes.replaced
        return f"{counted(stored, 'document')} stored; the same command continues with the others" if stored else ""

    with optional_store(database, _TIMEOUT, outputs) as target:
        known = {one.name: one.scheme_id for one in target.store.collections()} if target.store else {}
        scheme = known.get(collection, search.scheme or "sd64")
        check_distance(search.distance, get_scheme(scheme))
        update = FolderUpdate(target.store, target.created, collection, search.scheme, warn)
        changes = update.changes
        with resumable(kept):
            complete = _update(update, database, paths, search)
        print_notice(f"{database}: {changes}")
        total, most, stored = 0, 0, []
        if target.store and (collection in known or changes.added):
            total = sum(1 for _ in target.store.documents(collection))
            most = search.most(scheme, total)
            stored = [
                [(member.uri or member.id, member.fingerprint) for member in group]
                for group in target.store.clusters(most, collection)
            ]
    groups, copies = documents_of_store(stored)
    _report_same(copies)
    return groups, most, total - len(copies.same), complete


def _report_same(copies: Copies) -> None:
    if is_quiet():
        return
    messages = Messages()
    for path, first in copies.same.items():
        messages.show(f"{path}: the same file as {first}: counted once", "files that are given twice: counted once")
    messages.finish()


def _update(update: FolderUpdate, database: str, paths: tuple[str, ...], search: _Search) -> bool:
    """Update a collection; return whether everything could be read."""
    from simhash_doc.store.schema import is_file_of  # later: it needs SQLAlchemy

    if STANDARD_INPUT in paths:
        raise click.UsageError("--db needs files or directories: standard input has no path to identify a document")

    def fingerprint_sources(
        sources: list[Source], scheme: str, before: Callable[[Source], object]
    ) -> Iterator[tuple[Source, FingerprintResult]]:
        results = fingerprint_documents(sources, scheme, options=search.options, jobs=search.jobs, before=before)
        return ((results.source, result) for result in report(results, walked))

    walked = find_sources(paths, search.options.selection)
    sources = [source for source in walked.sources if not is_file_of(database, source.path)]
    folders = [path for path in paths if os.path.isdir(path)]
    update.run(sources, folders, fingerprint_sources)
    return not update.changes.failed and not walked.incomplete


def _text_report(clusters: list[Cluster], total: int) -> Iterator[str]:
    for number, cluster in enumerate(clusters, 1):
        yield f"cluster {number}: {len(cluster)} documents ({', '.join(counted_kinds([cluster]))})"
        for member in cluster:
            yield f"  {_text_row(member)}"
        yield ""
    grouped = f"{sum(map(len, clusters)):,} of them in {counted(len(clusters), 'cluster')}"
    yield f"{counted(total, 'document')}, {grouped}"
    yield f"{', '.join(counted_kinds(clusters))}: {counted_unique(clusters, total)}"


def _json_report(clusters: list[Cluster]) -> Iterator[str]:
    written: list[Provenance] = []
    for number, cluster in enumerate(clusters, 1):
        fields = {
            "cluster": number,
            "size": len(cluster),
            "representative": cluster[0].document.path,
            "documents": [_member_fields(member, written) for member in cluster],
        }
        yield json.dumps(fields)


def _write_remove_list(clusters: list[Cluster], path: str) -> None:
    """Write the paths of the files that can be deleted, one per line; names with line ends are left out."""
    paths = [path for cluster in clusters for path in removable(cluster)]
    listed = [path for path in paths if "\n" not in path]
    with printing(path) as show:
        for one in listed:
            show(one)
    if unlisted := len(paths) - len(listed):
        print_error(f"simhash-doc: {path} leaves out {counted(unlisted, 'name')} with line ends")
    if inside := count_kind(clusters, "exact", "near-duplicate") - len(paths):
        print_error(f"simhash-doc: {path} leaves out {counted(inside, 'duplicate')} inside other files")


def _text_row(member: Member) -> str:
    document, kind = member.document, _SHOWN_KINDS.get(member.kind, member.kind)
    similarity = percent(member.similarity)
    return f"{kind:<14}  {document.fingerprint}  {member.distance:2}  {similarity:>5}  {escape_path(document.path)}"


def _member_fields(member: Member, written: list[Provenance]) -> dict[str, Any]:
    """Return a document with its provenance, unless that is among those `written`."""
    document = member.document
    fields: dict[str, Any] = {
        "path": document.path,
        "kind": member.kind,
        "fingerprint": str(document.fingerprint),
        "distance": member.distance,
        "sd256_distance": member.wide_distance,
        "similarity": member.similarity,
    }
    if member.copy_of is not None:
        fields["copy_of"] = member.copy_of
    if document.provenance and document.provenance not in written:
        written.append(document.provenance)
        fields["provenance"] = document.provenance.to_dict()
    return fields
