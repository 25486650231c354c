"""`simhash-doc extract`: the text that would be fingerprinted."""

from __future__ import annotations

import json
import sys

import click

from simhash_doc.cli.batch import extract_documents
from simhash_doc.cli.documents import escaped, walk
from simhash_doc.cli.reading import Reading, reading_options


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
    help="json: an object with path, medium, warnings and text for each document, one a line.",
)
@reading_options
@click.option("-j", "--jobs", type=click.IntRange(min=1), default=None, help="Processes.  [default: all cores]")
def extract(paths: tuple[str, ...], output_format: str, reading: Reading, jobs: int | None) -> int:
    """Print the text of each document PATH, as `fingerprint` would take it.

    Directories are walked (hidden files are left out); - is standard input. Several texts are
    headed by their names. A document without text is named on standard error, and the status
    is 1; all others are printed.
    """
    sys.stdout.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
    sys.stderr.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
    documents = list(walk(paths))
    failed = not documents
    shown = 0
    for text in extract_documents(documents, reading=reading, jobs=jobs):
        failed = failed or text.error is not None
        found = text.extracted
        if not found:
            continue
        if output_format == "json":
            fields = {"path": text.path, "medium": found.medium, "warnings": list(found.warnings), "text": found.text}
            click.echo(json.dumps(fields))
            continue
        if len(documents) > 1 or text.path != documents[0]:
            click.echo(f"{chr(10) if shown else ''}==> {escaped(text.path)} <==")
        click.echo(found.text, nl=not found.text.endswith("\n"))
        shown += 1
    return 1 if failed else 0
