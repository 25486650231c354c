"""`simhash-doc extract`: the text that would be fingerprinted."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

import click

from simhash_doc.cli.document_options import path_options
from simhash_doc.command_line.help import SectionedCommand
from simhash_doc.command_line.options import output_option
from simhash_doc.command_line.output_formats import json_option
from simhash_doc.console.messages import escape_path
from simhash_doc.console.output import writing
from simhash_doc_extraction import BlockDecision

if TYPE_CHECKING:
    from simhash_doc.ingest import ReadOptions

_START = 100  # characters


@click.command(
    "extract",
    cls=SectionedCommand,
    epilog="""\b
Examples:
  simhash-doc extract paper.pdf
  simhash-doc extract --explain page.html
  simhash-doc extract --json crawl.warc.gz > texts.jsonl
  curl -s https://example.org/ | simhash-doc extract
""",
)
@json_option("Write JSON lines with path, format, warnings and text.")
@click.option(
    "--explain",
    is_flag=True,
    help="Instead of the text, print each block of a web page, whether it is kept, its score, and the main reasons.",
)
@output_option
@path_options("output")
def extract_command(
    paths: tuple[str, ...], output_format: str, explain: bool, output: str, options: ReadOptions, jobs: int | None
) -> int:
    """Print the text of each document.

    This is the text that `fingerprint` uses. The command searches directories as `fingerprint` does. - is standard
    input. If there are several texts, a heading with the path precedes each. If a document has no text, the command
    lists it on standard error and exits with status 1. The output contains all other documents.
    """
    from simhash_doc.cli.document_report import find_sources, report
    from simhash_doc.cli.row_formats import write_json
    from simhash_doc.ingest import extract_documents

    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    walked = find_sources(paths, options.selection)
    results = extract_documents(walked.sources, options=replace(options, explain=explain), workers=jobs)
    failed = False
    shown = 0
    with writing(output) as file:
        for result in report(results, walked):
            failed = failed or result.error is not None
            found = result.extracted
            if not found:
                continue
            if output_format == "json":
                fields = {"path": result.path, "format": found.format, "warnings": list(found.warnings)}
                if found.incomplete:
                    fields["incomplete"] = found.incomplete
                blocks = {"blocks": [asdict(block) for block in found.blocks]} if explain else {}
                write_json(file, {**fields, "text": found.text, **blocks})
                continue
            heading = ""
            if len(walked.sources) > 1 or result.path != walked.sources[0].path:
                heading = f"{chr(10) if shown else ''}==> {escape_path(result.path)} <==\n"
            text = "\n".join(map(_explained, found.blocks)) if explain else found.text
            end = "" if text.endswith("\n") else "\n"
            file.write(heading.encode("utf-8", "surrogateescape") + f"{text}{end}".encode("utf-8", "replace"))
            shown += 1
    return 1 if failed or walked.incomplete or results.empty else 0


def _explained(block: BlockDecision) -> str:
    """Return one line about a block: + if it is kept, its score, its first words, and the reasons."""
    text = " ".join(block.text.split())
    start = text if len(text) <= _START else text[: _START - 1] + "…"
    reasons = ", ".join(f"{name}={value:.4g} ({effect:+.1f})" for name, value, effect in block.reasons)
    why = "; ".join(filter(None, (f"rule {block.rule}" if block.rule else "", reasons)))
    return f"{'+' if block.kept else '-'} {block.score:.2f}  {start}\n          {why}"
