"""`simhash-doc fingerprint`: canonical fingerprints of documents."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Iterable

import click

from simhash_doc.api import Trace
from simhash_doc.cli.batch import fingerprint_documents
from simhash_doc.cli.documents import STANDARD_INPUT, escaped, walk
from simhash_doc.cli.outcomes import Outcome
from simhash_doc.cli.reading import Reading, reading_options
from simhash_doc.pinned import schemes

_FIELDS = ("path", "scheme", "fingerprint", "hex", "tokens", "distinct_tokens")


@click.command(
    epilog="""\b
Examples:
  simhash-doc fingerprint README.md
  simhash-doc fingerprint --scheme sd256 --format json articles/ > fingerprints.jsonl
  curl -s https://example.org/ | simhash-doc fingerprint -
  simhash-doc fingerprint --format json crawl.warc.gz > crawl.jsonl
  simhash-doc fingerprint --trace note.txt
  simhash-doc fingerprint --column text --id id data.parquet -o out.parquet
"""
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--scheme", type=click.Choice(list(schemes())), default="sd64", show_default=True, help="Width.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    show_default=True,
    help="text: fingerprint and path; json: one object a line.",
)
@click.option("--trace", "traced", is_flag=True, help="Show every intermediate value (text or json).")
@click.option("--column", metavar="NAME", help="PATH is a table, Parquet or JSON lines; column of its texts.")
@click.option("--id", "id_column", metavar="NAME", help="Column that names the rows.  [default: their numbers]")
@click.option("-o", "--output", metavar="FILE", help="Result of a table: .parquet, .jsonl, or - for JSON lines.")
@reading_options
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=None, help="Processes.  [default: all cores]")
def fingerprint(
    paths: tuple[str, ...],
    scheme: str,
    output_format: str,
    traced: bool,
    column: str | None,
    id_column: str | None,
    output: str | None,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Print the fingerprint of each document PATH, in the order given.

    Directories are walked (hidden files are left out); - is standard input. Web pages, PDF,
    EPUB, DOCX, ODT, RTF, XML and Markdown need the extra simhash-doc[extract]; UTF-8 text does not.
    Of a WARC file, each document gets a line, named FILE#URI. A document without a fingerprint
    is named on standard error, and the status is 1; all others are printed.

    With --column, the one PATH is a table, and the result is a table with a row for each of its
    rows: id, scheme, fingerprint, and value (Parquet) or hex (JSON lines); a row without a
    fingerprint has a reason, and the status is 1. A run that was stopped goes on where it was
    when the same command is given again; until the output is whole, what is done is kept
    beside it, in FILE.partial.
    """
    if column is not None:
        if len(paths) != 1 or traced or output_format != "text" or reading != Reading():
            raise click.UsageError("--column takes one table, and none of --trace, --format, --as and --limit")
        try:
            from simhash_doc.cli.table import fingerprint_table
        except ModuleNotFoundError as error:
            if error.name != "pyarrow":
                raise
            raise click.ClickException("tables need pyarrow: pip install 'simhash-doc[tables]'") from error
        return fingerprint_table(paths[0], column, id_column, output or STANDARD_INPUT, scheme, jobs)
    if id_column or output:
        raise click.UsageError("--id and --output go with --column; without it, redirect the output: > FILE")
    if traced and output_format == "csv":
        raise click.UsageError("--trace needs --format text or json: a trace does not fit a CSV row")
    documents = list(walk(paths))
    sys.stdout.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    sys.stderr.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    failed = not documents
    if output_format == "csv":
        click.echo(_csv_row(_FIELDS))
    for outcome in fingerprint_documents(documents, scheme, reading=reading, jobs=jobs, traced=traced):
        failed = failed or outcome.error is not None
        if outcome.fingerprint or outcome.trace:
            click.echo(_render(outcome, output_format))
    return 1 if failed else 0


def _render(outcome: Outcome, output_format: str) -> str:
    made = outcome.fingerprint
    if output_format == "text":
        line = f"{made or 'no fingerprint'}  {escaped(outcome.path)}"
        return f"{line}\n{_text_trace(outcome.trace)}" if outcome.trace else line
    fields: dict[str, object] = {
        "path": outcome.path,
        "scheme": outcome.scheme,
        "fingerprint": str(made) if made else None,
        "hex": made.hex if made else None,
        "tokens": outcome.tokens,
        "distinct_tokens": outcome.distinct_tokens,
    }
    if output_format == "csv":
        return _csv_row(fields.values())
    if outcome.trace:
        fields["trace"] = outcome.trace.as_dict()
    return json.dumps(fields)


def _csv_row(values: Iterable[object]) -> str:
    row = io.StringIO()
    csv.writer(row, lineterminator="").writerow(values)
    return row.getvalue()


def _text_trace(traced: Trace) -> str:
    """Return a trace for reading: each intermediate value under its name."""
    lines = [f"  folded    {traced.folded!r}", f"  prepared  {traced.prepared!r}", "  tokens    counted  hash  token"]
    lines += [
        f"    {token.counted} of {token.occurrences}  {' '.join(token.hashes)}  {token.token}"
        for token in traced.tokens
    ]
    if traced.buckets and traced.hex:
        lines.append("  buckets   bit 0 of word 0 first")
        lines += [
            "    " + " ".join(f"{bucket:4}" for bucket in traced.buckets[start : start + 16])
            for start in range(0, len(traced.buckets), 16)
        ]
        lines += [f"  hex       {traced.hex}", f"  base32    {traced.fingerprint}"]
    return "\n".join(lines)
