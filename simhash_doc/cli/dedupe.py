"""`simhash-doc dedupe`: clusters of duplicates among the documents of files."""

from __future__ import annotations

from typing import Any

import click

from simhash_doc.cli.cluster_options import Comparison, cluster_options
from simhash_doc.cli.cluster_page import STORED_CHARACTERS, Compared
from simhash_doc.cli.cluster_report import report_same, write_clusters
from simhash_doc.cli.distance import check_distance
from simhash_doc.cli.document_report import find_sources, report
from simhash_doc.cli.help import Command
from simhash_doc.cli.search_options import search_errors
from simhash_doc.console.messages import Progress
from simhash_doc.duplicates.compared import CONFIRMING_SCHEME, ComparedDocument, documents_of_results
from simhash_doc.duplicates.copies import find_copies
from simhash_doc.duplicates.texts import DocumentTexts
from simhash_doc.ingest import fingerprint_documents
from simhash_doc.lookup import find_clusters
from simhash_doc.schemes import get_scheme


@click.command(
    cls=Command,
    epilog="""\b
Examples:
  simhash-doc dedupe articles/
  simhash-doc dedupe --html report.html crawl.warc.gz
  simhash-doc dedupe --keep oldest --remove-list remove.txt articles/
  simhash-doc dedupe --distance 2 --format json -o report.jsonl articles/
""",
)
@cluster_options(keep=("longest", "oldest", "first"), confirm="text", scheme="sd64", defaults={})
def dedupe(
    paths: tuple[str, ...],
    scheme: str,
    output_format: str,
    output: str,
    html: str | None,
    remove_list: str | None,
    **given: Any,
) -> int:
    """Report clusters of duplicates among documents.

    PATH are documents of any format that `fingerprint` reads, or directories. A file counts once, even if you
    give it twice or through a link. The command changes and deletes no document.

    Each cluster has a representative, the document to keep. The other members follow it:

    \b
    - exact copies: files with equal content
    - near-duplicates: within the distance, and confirmed
    - candidates: within the distance, but not confirmed; also kept

    The largest cluster comes first. Each member has its distance from the representative in bits. With --confirm text,
    near-duplicates and candidates also have the similarity of the texts. Standard error names the documents without a
    fingerprint, and the status is 1. The report has all others.

    `store dedupe` keeps the fingerprints and reads only what has changed. `table dedupe` compares rows.
    """
    comparison = Comparison(**given)
    check_distance(comparison.distance, get_scheme(scheme))
    texts = DocumentTexts() if html or comparison.confirm == "text" else None
    near, total, compared, complete = _near_documents(paths, scheme, comparison, texts)
    clusters = comparison.clusters(near, compared.distance, texts, STORED_CHARACTERS if html else 0)
    write_clusters(
        clusters, total, texts, compared, output_format=output_format, output=output, html=html, remove_list=remove_list
    )
    return 0 if complete else 1


def _near_documents(
    paths: tuple[str, ...], scheme: str, comparison: Comparison, texts: DocumentTexts | None
) -> tuple[list[list[ComparedDocument]], int, Compared, bool]:
    """Return connected components of near documents, the number of all, how it was done, and if all were read."""
    confirming = get_scheme(CONFIRMING_SCHEME)
    narrow = comparison.confirm == "none" or get_scheme(scheme).bits >= confirming.bits
    walked = find_sources(paths, comparison.options.selection)
    with Progress(None).begin("comparing files"):
        copies = find_copies(walked.sources)
    report_same(copies)
    computed = fingerprint_documents(
        copies.sources,
        scheme if narrow else confirming.id,
        options=comparison.options,
        jobs=comparison.jobs,
        with_text=texts is not None,
    )
    reported = report(computed, walked, "distinct document" if copies.exact or copies.same else "document")
    results = list(texts.store(reported) if texts else reported)
    documents = documents_of_results(results, copies, scheme)
    distance = comparison.distance_for(scheme, len(documents))
    with search_errors(), Progress(None).begin(f"searching {len(documents):,} fingerprints"):
        components = find_clusters([document.fingerprint for document in documents], distance=distance, scheme=scheme)
        near = [[documents[at] for at in members.tolist()] for members in components]
    complete = not computed.empty and all(result.fingerprint for result in results)
    failures = [(result.path, result.error) for result in results if result.error]
    compared = comparison.compared(paths, scheme, distance, failures)
    return near, len(documents), compared, complete and not walked.incomplete
