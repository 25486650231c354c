"""`simhash-doc extract`: the text that would be fingerprinted."""

from __future__ import annotations

import json
import sys

import click

from simhash_doc.cli.documents import escape_path, jobs_option, read_options, report
from simhash_doc.ingest import ReadOptions, extract_documents


@click.command(
    epilog="""\b
Examples:
  simhash-doc extract paper.pdf
  simhash-doc extract --format json crawl.warc.gz > texts.jsonl
  curl -s https://example.org/ | simhash-doc extract -
"""
)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json: one object per line, with path, format, warnings and text.",
)
@read_options
@jobs_option
def extract(paths: tuple[str, ...], output_format: str, options: ReadOptions, jobs: int | None) -> int:
    """Print the text of each document PATH, as `fingerprint` reads it.

    Directories are searched for files, except hidden ones; - is standard input. If there are
    several texts, a heading with the path precedes each. A document without text is reported
    on standard error, and the status is 1; all others are printed.
    """
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    sys.stderr.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    results = extract_documents(paths, options=options, jobs=jobs)
    failed = not results.paths
    shown = 0
    for result in report(results):
        failed = failed or result.error is not None
        found = result.extracted
        if not found:
            continue
        if output_format == "json":
            fields = {"path": result.path, "format": found.format, "warnings": list(found.warnings), "text": found.text}
            click.echo(json.dumps(fields))
            continue
        if len(results.paths) > 1 or result.path != results.paths[0]:
            click.echo(f"{chr(10) if shown else ''}==> {escape_path(result.path)} <==")
        click.echo(found.text, nl=not found.text.endswith("\n"))
        shown += 1
    return 1 if failed else 0
