"""`simhash-doc archive`: fingerprints in the indexes of web archives, and changes of pages over time."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import click

from simhash_doc import __version__
from simhash_doc.cli.archive_page import page_of
from simhash_doc.cli.document_options import jobs_option
from simhash_doc.cli.document_report import find_sources, report
from simhash_doc.cli.guards import check_outputs
from simhash_doc.cli.messages import counted, print_error, print_notice, quiet_option, reading, resumable
from simhash_doc.cli.output import output_option, required_output_option, writing
from simhash_doc.cli.row_formats import write_json, write_rows
from simhash_doc.errors import SpecError
from simhash_doc.files import atomic_write, open_input, part_folder
from simhash_doc.ingest import fingerprint_documents
from simhash_doc.integrations.archive import Annotated, Captures, IndexLineError, PageChanges, changes
from simhash_doc.schemes import get_schemes

_FORMATS = {".html": "html", ".csv": "csv"}
_PART = r"[0-9a-f]{32}\.jsonl"
_COLUMNS = {"url": "string", "time": "string", "simhash": "string", "distance": "uint16"}


@click.group("archive")
def archive() -> None:
    """Annotate indexes of web archives, and list changed pages."""


@archive.command(
    epilog="""\b
Examples:
  cdxj-indexer --sort crawl.warc.gz > crawl.cdxj
  simhash-doc archive annotate --index crawl.cdxj crawl.warc.gz -o new.cdxj
  simhash-doc archive annotate --index pages.jsonl data/*.warc.gz -o new.jsonl
"""
)
@click.argument("crawls", nargs=-1, required=True, metavar="CRAWL...")
@click.option("--index", "index_path", required=True, metavar="FILE", help="CDXJ, or pages.jsonl of WACZ.")
@click.option("--scheme", type=click.Choice(list(get_schemes())), default="sd256", show_default=True, help="Scheme.")
@required_output_option
@jobs_option
@quiet_option
def annotate(crawls: tuple[str, ...], index_path: str, scheme: str, output: str, jobs: int | None) -> int:
    """Add the fingerprints of WARC files to the lines of their index.

    CRAWL are the WARC files. Each line of a capture gets the members simhash, simhash_support, simhash_extractor,
    and, for a capture of which only a part was stored, simhash_incomplete; or simhash_error. Nothing else in a line
    changes. Documents that cannot be read are named on standard error, and the status is 1; all others are in the
    output.

    An interrupted run resumes after the last finished WARC file: the results are kept in the folder OUTPUT.parts until
    the output is complete.
    """
    if output == "-":
        raise click.UsageError("finished parts are kept next to the output, so it must be a file: give -o FILE")
    check_outputs(output, inputs=[*crawls, index_path])
    parts = Path(f"{output}.parts")
    captures, annotated, failed = Captures(), Annotated(), False
    run = {"output": os.path.realpath(output), "program": __version__}
    names = [_part_name(crawl, scheme) for crawl in crawls]

    def kept() -> str:
        finished = sum((parts / name).exists() for name in names)
        files = f"{finished:,} of {counted(len(names), 'WARC file')}"
        return f"{files} finished, in {parts}; the same command continues" if finished else ""

    try:
        with resumable(kept), _opened(index_path) as lines, part_folder(parts, _PART, run, click.ClickException):
            for crawl, name in zip(crawls, names, strict=True):
                failed |= _add_part(captures, parts / name, crawl, scheme, jobs)
            with writing(output) as file:
                file.writelines(annotated.annotate(lines, captures))
    except IndexLineError as error:
        raise click.ClickException(f"{index_path}: {error}") from error
    return _summary(index_path, annotated, captures) or int(failed)


def _part_name(crawl: str, scheme: str) -> str:
    """Return the name of the part of a file, which is another one if the file changes."""
    with reading(crawl):
        status = os.stat(crawl)
    identity = f"{os.path.realpath(crawl)} {status.st_size} {status.st_mtime_ns} {scheme} {__version__}"
    return f"{hashlib.blake2b(os.fsencode(identity), digest_size=16).hexdigest()}.jsonl"


def _add_part(captures: Captures, part: Path, crawl: str, scheme: str, jobs: int | None) -> bool:
    """Add the captures of a file, from its part if there is one; return whether some have no fingerprint."""
    if not part.exists():
        new = Captures()
        walked = find_sources([crawl])
        results = fingerprint_documents(walked.sources, scheme, jobs=jobs)
        with atomic_write(part) as file:
            for result in report(results, walked, "capture"):
                if kept := new.add(result):
                    write_json(file, kept)
                elif result.error:  # of the file, not of a capture
                    write_json(file, {"file_error": result.code})
    failed = False
    for line in part.open(encoding="utf-8"):
        members = json.loads(line)
        failed |= "simhash" not in members
        if "time" in members:
            captures.put(members.pop("time"), members.pop("url"), members)
    return failed


def _summary(index_path: str, annotated: Annotated, captures: Captures) -> int:
    """Print what the lines of the index have got; return the exit status."""
    counts = annotated.counts
    print_notice(
        f"simhash-doc: {index_path}: {counted(counts['fingerprint'], 'line')} with a fingerprint, "
        f"{counts['error']:,} with an error, {counts['kept']:,} annotated before, "
        f"{counts['unknown']:,} of no text in these files"
    )
    if captures.ambiguous:
        print_error(
            f"simhash-doc: {index_path}: {counted(captures.ambiguous, 'capture')} of one URL in the same second, with "
            "different texts: all their lines have the fingerprint of the last"
        )
    if captures.members and not counts["fingerprint"] and not counts["error"]:
        print_error(f"simhash-doc: {index_path}: no line is of a capture in these files; is it their index?")
        return 1
    return 0


@archive.command(
    name="changes",
    epilog="""\b
Examples:
  simhash-doc archive changes new.cdxj -o changes.html
  simhash-doc archive changes new.cdxj -o changes.csv
  simhash-doc archive changes new.cdxj | jq 'select(.largest_distance > 26)'
  simhash-doc archive changes --wayback new.cdxj -o answers.jsonl
""",
)
@click.argument("index_path", metavar="INDEX")
@click.option("--wayback", is_flag=True, help="Write answers of wayback-discover-diff, a year a line.")
@output_option
@quiet_option
def show_changes(index_path: str, wayback: bool, output: str) -> int:
    """List how each page changed from capture to capture.

    INDEX is an annotated CDXJ file. JSON lines have one object a page: its captures in the order of time, the
    distance of each to the one before in bits, the number of versions (runs of captures in which no word changed),
    and the largest distance. -o FILE.csv has one row a capture, -o FILE.html a page with plots. Memory holds one
    page at a time.
    """
    check_outputs(output, inputs=[index_path])
    form = _FORMATS.get(os.path.splitext(output)[1].lower(), "json")
    if wayback and form != "json":
        raise click.UsageError(f"--wayback writes JSON lines, and {output} is not a name for them")
    try:
        with _opened(index_path) as lines:
            _write_changes(_with_fingerprints(changes(lines)), output, "wayback" if wayback else form)
    except (IndexLineError, SpecError) as error:
        raise click.ClickException(f"{index_path}: {error}") from error
    return 0


def _opened(path: str) -> BinaryIO:
    with reading(path):
        return open_input(path)


def _with_fingerprints(pages: Iterator[PageChanges]) -> Iterator[PageChanges]:
    without = 0
    for page in pages:
        if page.captures:
            yield page
        else:
            without += 1
    if without:
        print_notice(f"simhash-doc: {counted(without, 'page')} without a fingerprint left out")


def _write_changes(pages: Iterator[PageChanges], output: str, form: str) -> None:
    if form == "csv":
        write_rows(output, form, _COLUMNS, (row for page in pages for row in _rows(page)))
        return
    with writing(output) as file:
        if form == "html":
            file.writelines(f"{line}\n".encode() for line in page_of(pages))
        else:
            for page in pages:
                for found in page.by_year() if form == "wayback" else [page.as_dict()]:
                    write_json(file, found)


def _rows(page: PageChanges) -> Iterator[tuple[Any, ...]]:
    for capture in page.as_dict()["captures"]:
        yield page.url, capture["time"], capture["simhash"], capture["distance"]
