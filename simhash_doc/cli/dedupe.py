"""`simhash-doc dedupe`: clusters of duplicates among the documents of files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from simhash_doc.cli.cluster_options import Outputs, cluster_options
from simhash_doc.cli.search_options import search_errors
from simhash_doc.command_line.help import SectionedCommand, command_line
from simhash_doc.console.messages import Progress, print_notice
from simhash_doc.duplicates.policy import Policy

if TYPE_CHECKING:
    from simhash_doc.duplicates.copies import Copies
    from simhash_doc.ingest import FingerprintResult, ReadOptions, Results

_TABLES = (".csv", ".jsonl", ".ndjson", ".tsv")


@click.command(
    "dedupe",
    cls=SectionedCommand,
    epilog="""\b
Examples:
  simhash-doc dedupe articles/
  simhash-doc dedupe --html report.html crawl.warc.gz
  simhash-doc dedupe --keep oldest --remove-list remove.txt articles/
  simhash-doc dedupe --json -o report.jsonl articles/
""",
)
@cluster_options()
def dedupe_command(
    paths: tuple[str, ...],
    output_format: str,
    output: str,
    html: str | None,
    remove_list: str | None,
    policy: Policy,
    options: ReadOptions,
    jobs: int | None,
) -> int:
    """Report clusters of duplicates among documents.

    Each PATH is a directory, or a document of any format that `fingerprint` reads. A file counts once, even if you name
    it twice or through a link. The command changes and deletes no document.

    Each cluster has a representative, the document to keep. The other members follow it:

    \b
    - exact copies: files with equal content
    - near-duplicates: near and similar, and the representative has all numbers
    - candidates: near, but kept, because the text or a number differs

    The largest cluster comes first. Each member has its distance from the representative in bits, and the similarity of
    the texts. If a document has no fingerprint, the command lists it on standard error and exits with status 1. The
    report contains all other documents.

    `store dedupe` stores the fingerprints, and only reads changed files. `table dedupe` compares rows.
    """
    from simhash_doc.cli.cluster_page import STORED_CHARACTERS
    from simhash_doc.cli.cluster_report import report_same, write_clusters
    from simhash_doc.cli.document_report import find_sources, report
    from simhash_doc.duplicates.documents import find_duplicate_documents

    _tell_of_tables(paths)
    outputs = Outputs(output_format, output, html, remove_list)
    walked = find_sources(paths, options.selection)

    def watch(results: Results[FingerprintResult], copies: Copies) -> Iterable[FingerprintResult]:
        report_same(copies)
        yield from report(results, walked, "distinct document" if copies.exact or copies.same else "document")
        Progress(None).begin("comparing texts")

    with search_errors():
        found = find_duplicate_documents(walked.sources, policy, options, jobs, watch=watch, shown=STORED_CHARACTERS)
    write_clusters(found, paths, outputs, command_line())
    return 0 if found.complete and not walked.incomplete else 1


def _tell_of_tables(paths: tuple[str, ...]) -> None:
    """Print how the rows of tables are compared, which are given as documents."""
    tables = [path for path in paths if path.lower().removesuffix(".gz").endswith(_TABLES)]
    if tables:
        print_notice(
            f"simhash-doc: {tables[0]}: is one document; `simhash-doc table dedupe` compares the rows of a table"
        )
