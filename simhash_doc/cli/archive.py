"""`simhash-doc archive`: fingerprints in the indexes of web archives, and changes of pages over time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from simhash_doc.cli.document_options import jobs_option
from simhash_doc.command_line.help import Number, SectionedCommand, command_line
from simhash_doc.command_line.options import computed_scheme_option, output_option, quiet_option, required_output_option
from simhash_doc.command_line.output_formats import ENDINGS, chosen_format
from simhash_doc.console.guards import check_outputs
from simhash_doc.console.messages import counted, print_error, print_notice, reading
from simhash_doc.console.output import writing
from simhash_doc.console.termination import resumable
from simhash_doc.errors import SpecError
from simhash_doc.files import open_rows, part_folder
from simhash_doc.schemes import get_scheme
from simhash_doc.versions import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from simhash_doc.integrations.archive import Annotated, Captures, PageChanges

_FORMATS = ENDINGS | {".html": "html"}
_INDEXES = {".cdxj": "cdxj", ".jsonl": "cdxj"}  # that `annotate` writes
_REPLAY = "https://web.archive.org/web/{time}/{url}"
_PART = r"[0-9a-f]{32}\.jsonl"
_COLUMNS = {
    "url": "string",
    "time": "string",
    "simhash": "string",
    "distance": "uint16",
    "distance_from_first": "uint16",
    "revisit": "string",
    "incomplete": "string",
    "warning": "string",
    "extractor": "string",
}


@click.group(
    "archive",
    epilog="""\b
Examples:
  simhash-doc archive annotate --index crawl.cdxj crawl.warc.gz -o new.cdxj
  simhash-doc archive changes new.cdxj -o changes.html
""",
)
def archive() -> None:
    """Annotate web archive indexes; list changed pages."""


@archive.command(
    "annotate",
    epilog="""\b
Examples:
  cdxj-indexer --sort crawl.warc.gz > crawl.cdxj
  simhash-doc archive annotate --index crawl.cdxj crawl.warc.gz -o new.cdxj
  simhash-doc archive annotate --index pages.jsonl data/*.warc.gz -o new.jsonl
""",
)
@click.argument("crawls", nargs=-1, required=True, metavar="CRAWL...")
@click.option("--index", "index_path", required=True, metavar="FILE", help="CDXJ, or pages.jsonl of WACZ.")
@computed_scheme_option("Scheme.", "sd256")
@click.option(
    "--min-tokens",
    type=Number(0),
    default=0,
    metavar="N",
    help="Give captures with fewer tokens the error too-short. The distances of short texts are unreliable.",
)
@required_output_option
@jobs_option
@quiet_option
def _annotate(
    crawls: tuple[str, ...], index_path: str, scheme: str, min_tokens: int, output: str, jobs: int | None
) -> int:
    """Add fingerprints to the lines of a web archive index.

    Each CRAWL is a WARC file. The line of a capture gets the members simhash, simhash_support and simhash_extractor. If
    only a part of the capture was stored, it also gets simhash_incomplete. If the page is an error page, a consent
    page, a check for robots or a page that needs a script, it also gets simhash_warning. If the capture has no
    fingerprint, it gets simhash_error instead of simhash. Nothing else in a line changes.

    If the command cannot read a document, it lists it on standard error and exits with status 1. The output contains
    all other documents.

    An interrupted run resumes after the last finished WARC file. The command keeps finished results in the folder
    OUTPUT.parts until the output is complete. If a file of this folder is damaged, the command names it, writes
    nothing, and exits with status 1. Delete that file and repeat the command: it reads one WARC file again.
    """
    from simhash_doc.integrations.archive import Annotated, Captures, IndexLineError

    if output == "-":
        raise click.UsageError("finished parts are kept next to the output, so it must be a file: give -o FILE")
    chosen_format(None, output, formats=("cdxj",), default="cdxj", endings=_INDEXES)
    check_outputs(output, inputs=[*crawls, index_path])
    from pathlib import Path

    parts = Path(f"{output}.parts")
    captures, annotated, failed, damaged = Captures(), Annotated(), False, 0
    run = {
        "output": os.path.realpath(output),
        "program": __version__,
        "scheme": scheme,
        "min_tokens": min_tokens,
        "crawls": [os.path.realpath(crawl) for crawl in crawls],
    }
    names = [_part_name(crawl, f"{scheme} {min_tokens}") for crawl in crawls]

    def kept() -> str:
        finished = sum((parts / name).exists() for name in names)
        files = f"{finished:,} of {counted(len(names), 'WARC file')}"
        return f"{files} finished, in {parts}; the same command continues" if finished else ""

    try:
        with resumable(kept), _opened(index_path) as lines, part_folder(parts, _PART, run, click.ClickException):
            for crawl, name in zip(crawls, names, strict=True):
                try:
                    failed |= _add_part(captures, parts / name, crawl, scheme, min_tokens, jobs)
                except _DamagedPartError as error:
                    print_error(f"simhash-doc: {error}")
                    damaged += 1
            if damaged:
                raise click.ClickException(
                    f"{output}: not written: delete {counted(damaged, 'damaged file')} in {parts}, and repeat the "
                    "command; it reads again only what these files were made from"
                )
            with writing(output) as file:
                file.writelines(annotated.annotate(lines, captures))
    except IndexLineError as error:
        raise click.ClickException(f"{index_path}: {error}") from error
    return _summary(index_path, annotated, captures) or int(failed)


def _part_name(crawl: str, settings: str) -> str:
    """Return the name of the part of a file, which is another one if the file changes."""
    import hashlib

    with reading(crawl):
        status = os.stat(crawl)
    identity = f"{os.path.realpath(crawl)} {status.st_size} {status.st_mtime_ns} {settings} {__version__}"
    return f"{hashlib.blake2b(os.fsencode(identity), digest_size=16).hexdigest()}.jsonl"


class _DamagedPartError(Exception):
    """The results of a WARC file, which an earlier run kept, are not as they were written."""


def _add_part(captures: Captures, part: Path, crawl: str, scheme: str, min_tokens: int, jobs: int | None) -> bool:
    """Add the captures of a file, from its part if there is one; return whether some have no fingerprint.

    Raises:
        _DamagedPartError: the part is not complete, or was changed.
    """
    import hashlib

    from simhash_doc.cli.document_report import find_sources, report
    from simhash_doc.entries.json_lines import json_line
    from simhash_doc.ingest import fingerprint_documents
    from simhash_doc.ingest.results import TOO_SHORT
    from simhash_doc.integrations.archive import Captures, without_short

    if not part.exists():
        new, digest = Captures(), hashlib.blake2b(part.name.encode())  # no part can stand for another
        walked = find_sources([crawl])
        results = fingerprint_documents(walked.sources, get_scheme(scheme), workers=jobs)
        with writing(str(part)) as file:
            for result in report(results, walked, "capture"):
                if result.tokens < min_tokens:
                    result = without_short(result)
                kept = new.add(result) or ({"file_error": result.code} if result.error else None)
                if kept:  # of a capture, or the error of the file
                    line = json_line(kept)
                    file.write(line)
                    digest.update(line)
            file.write(_seal(digest.digest()))
    with reading(str(part)):
        *lines, last = part.read_bytes().splitlines(keepends=True) or [b""]
    if last != _seal(hashlib.blake2b(b"".join([part.name.encode(), *lines])).digest()):
        raise _DamagedPartError(f"{part}: the kept results of {crawl} are damaged: they were cut off or changed")
    failed = False
    for members in map(json.loads, lines):
        failed |= members.get("simhash_error", members.get("file_error")) not in (None, TOO_SHORT)
        if "time" in members:
            captures.put(members.pop("time"), members.pop("url"), members)
    return failed


def _seal(digest: bytes) -> bytes:
    """Return the last line of a part, which shows that the lines before it are complete."""
    from simhash_doc.entries.json_lines import json_line

    return json_line({"digest_of_the_lines_above": digest.hex()})


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


def _check_template(context: click.Context, parameter: click.Parameter, template: str | None) -> str | None:
    if template is not None and ("{url}" not in template or not template.startswith(("https://", "http://", "/"))):
        raise click.BadParameter(
            f"{template!r}: expected an address with {{url}}, and with {{time}} for 14 digits, such as {_REPLAY}"
        )
    return template


@archive.command(
    "changes",
    cls=SectionedCommand,
    epilog="""\b
Examples:
  simhash-doc archive changes new.cdxj -o changes.html
  simhash-doc archive changes new.cdxj -o changes.csv
  simhash-doc archive changes new.cdxj | jq 'select(.largest_distance > 26)'
  simhash-doc archive changes --wayback new.cdxj -o answers.jsonl
""",
)
@click.argument("index_path", metavar="INDEX")
@click.option("--wayback", is_flag=True, help="Write answers of wayback-discover-diff, one year per line.")
@click.option(
    "--replay",
    metavar="TEMPLATE",
    callback=_check_template,
    help=f"Address of a capture in a replay service, to which the HTML page links. Example: {_REPLAY}",
)
@output_option
@quiet_option
def _show_changes(index_path: str, wayback: bool, replay: str | None, output: str) -> int:
    """List how each page changed from capture to capture.

    INDEX is an annotated CDXJ file. The output contains one JSON object per page, with its captures in chronological
    order. Each capture has its distance in bits from the previous capture and from the first. `versions` counts the
    runs of captures with equal fingerprints. A small edit may leave the fingerprint unchanged, and then starts no
    version.

    An incomplete capture does not count as a change. `incomplete` lists these captures separately, without a distance.
    `warned` lists captures of error pages, consent pages and the like. The next capture is compared with the last
    complete capture of the page.

    Two versions of the extractor can give one page different texts. A notice counts the captures that are compared
    across versions, and the HTML page marks them.

    -o FILE.csv contains one row per capture. -o FILE.html is a page of limited size. It shows the pages that changed
    most, with a plot for each, and one line for other pages. For other outputs, memory holds one page at a time.
    """
    from simhash_doc.cli.archive_page import archive_report
    from simhash_doc.integrations.archive import IndexLineError, changes
    from simhash_doc.report import html_page

    check_outputs(output, inputs=[index_path])
    form = chosen_format(None, output, formats=("json", "csv", "html"), endings=_FORMATS)
    if wayback and form != "json":
        raise click.UsageError(f"--wayback writes JSON lines, and {output} is not a name for them")
    if replay and form != "html":
        raise click.UsageError(f"--replay is for the HTML page, and {output} is not a name for one")
    try:
        with _opened(index_path) as lines:
            pages = _with_fingerprints(changes(lines))
            if form == "html":
                with writing(output) as file:
                    file.writelines(
                        f"{line}\n".encode() for line in html_page(archive_report(pages, replay, command_line()))
                    )
            else:
                _write_changes(pages, output, "wayback" if wayback else form)
    except (IndexLineError, SpecError) as error:
        raise click.ClickException(f"{index_path}: {error}") from error
    return 0


@contextmanager
def _opened(path: str) -> Iterator[Iterator[bytes]]:
    """Yield the lines of a file, whose errors name it, not the output."""
    with reading(path):
        file = open_rows(path)
    with file:
        yield _lines_of(path, file)


def _lines_of(path: str, file: Iterable[bytes]) -> Iterator[bytes]:
    with reading(path):
        yield from file


def _with_fingerprints(pages: Iterator[PageChanges]) -> Iterator[PageChanges]:
    without = incomplete = warned = by_others = 0
    for page in pages:
        by_others += sum(page.by_other_extractors)
        incomplete += len(page.incomplete)
        warned += len(page.warned)
        if page.captures or page.incomplete or page.warned:
            yield page
        else:
            without += 1
    if without:
        print_notice(f"simhash-doc: {counted(without, 'page')} without a fingerprint left out")
    if incomplete:
        print_notice(f"simhash-doc: {counted(incomplete, 'incomplete capture')} not compared")
    if warned:
        print_notice(f"simhash-doc: {counted(warned, 'capture')} of an error page or the like not compared")
    if by_others:
        print_notice(
            f"simhash-doc: {counted(by_others, 'capture')} compared with the text of another extractor, or of another "
            "version of it: these changes may not be of the page; annotate all captures with one version"
        )


def _write_changes(pages: Iterator[PageChanges], output: str, form: str) -> None:
    from simhash_doc.cli.row_formats import write_json, write_rows

    if form == "csv":
        write_rows(output, form, _COLUMNS, (row for page in pages for row in _rows(page)))
        return
    with writing(output) as file:
        for page in pages:
            for found in page.by_year() if form == "wayback" else [page.as_dict()]:
                write_json(file, found)


def _rows(page: PageChanges) -> Iterator[tuple[Any, ...]]:
    found = page.as_dict()
    captures = found["captures"] + found["incomplete"] + found["warned"]
    for one in sorted(captures, key=lambda capture: str(capture["time"])):
        is_revisit = "true" if one["revisit"] else "false"
        distances = one.get("distance"), one.get("distance_from_first")
        yield (
            page.url,
            one["time"],
            one["simhash"],
            *distances,
            is_revisit,
            one.get("reason"),
            one.get("warning"),
            one.get("extractor"),
        )
