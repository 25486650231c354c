"""`simhash-doc fingerprint`: canonical fingerprints of documents."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.cli.document_options import min_tokens_option, path_options
from simhash_doc.command_line.help import SectionedCommand
from simhash_doc.command_line.options import computed_scheme_option, failure, output_option
from simhash_doc.command_line.output_formats import chosen_format, row_format_options
from simhash_doc.console.messages import counted, escape_path
from simhash_doc.console.output import STANDARD_OUTPUT, printing, unwritable
from simhash_doc.console.termination import resumable
from simhash_doc.schemes import get_scheme

if TYPE_CHECKING:
    from simhash_doc.engines.tracing import Trace
    from simhash_doc.fingerprint import Fingerprint
    from simhash_doc.ingest import FingerprintResult, ReadOptions, Results
    from simhash_doc.ingest.unfinished import Unfinished
    from simhash_doc.provenance import Provenance

# The columns of an output: the Arrow type, and the value of a result.
_COLUMNS: dict[str, tuple[str, Callable[[FingerprintResult], object]]] = {
    "path": ("string", lambda result: result.path),
    "scheme": ("string", lambda result: result.scheme),
    "fingerprint": ("string", lambda result: result.fingerprint and str(result.fingerprint)),
    "hex": ("string", lambda result: result.fingerprint and result.fingerprint.hex),
    "tokens": ("int64", lambda result: result.tokens),
    "distinct_tokens": ("int64", lambda result: result.distinct_tokens),
    "support": ("float64", lambda result: round(result.support, 2)),
}


@click.command(
    "fingerprint",
    cls=SectionedCommand,
    epilog="""\b
Examples:
  simhash-doc fingerprint README.md
  simhash-doc fingerprint --scheme sd256 articles/ -o fingerprints.jsonl
  curl -s https://example.org/ | simhash-doc fingerprint
  simhash-doc fingerprint --json crawl.warc.gz > crawl.jsonl
  simhash-doc fingerprint --trace note.txt
""",
)
@computed_scheme_option("Scheme. Fingerprints to store or publish should be sd256, which begins with sd64.", "sd64")
@row_format_options("text")
@click.option("--trace", "traced", is_flag=True, help="Show every intermediate value (text or json).")
@output_option
@min_tokens_option
@path_options("output")
def fingerprint_command(
    paths: tuple[str, ...],
    scheme: str,
    output_format: str | None,
    traced: bool,
    output: str,
    options: ReadOptions,
    jobs: int | None,
) -> int:
    """Print the fingerprint of each document.

    The output keeps the order of PATH. - is standard input. In directories, the command skips hidden files and files of
    other formats, for example images and scripts. It reads any file that you name.

    Web pages, PDF, EPUB, DOCX, ODT, RTF, XML and Markdown need the extra simhash-doc[extract]. UTF-8 text does not.
    Each document of a WARC file gets its own line, with the name FILE#DATE/URI. If a document has no fingerprint, the
    command lists it on standard error and exits with status 1. The output contains all other documents.

    In JSON, the first fingerprint with each provenance contains it: scheme, specification, program and extractor. The
    provenance of the last fingerprint also counts the documents with each kind of warning.

    With -o FILE, an interrupted run keeps its results in FILE.partial. Repeat the command to continue: it only reads
    new and changed files.

    `table fingerprint` reads the rows of a Parquet, CSV or JSON-lines file.
    """
    from simhash_doc.cli.document_report import find_sources, report
    from simhash_doc.cli.row_formats import write_rows
    from simhash_doc.ingest.reading import Results
    from simhash_doc.ingest.tasks import FingerprintTask

    output_format = chosen_format(output_format, output, default="text")
    if traced and output_format in ("csv", "parquet"):
        raise click.UsageError("--trace needs text or --json; a trace does not fit a row")
    unfinished = None if traced else _unfinished(output, scheme, options)
    walked = find_sources(paths, options.selection)
    read = replace(options, traced=traced, with_text=STANDARD_INPUT in paths)  # `report` looks for a list of paths
    results = Results(walked.sources, FingerprintTask(read, get_scheme(scheme).id), jobs, resumed=unfinished)
    failed, done = False, 0
    written: list[Provenance] = []

    def kept() -> str:
        with suppress(OSError):
            if files := unfinished.keep() if unfinished else 0:
                return f"the results of {counted(files, 'file')} are in {output}.partial; the same command continues"
        where = "what is finished is printed" if output == STANDARD_OUTPUT else f"{output} is not written"
        hint = "`store dedupe --db DATABASE` keeps what it has read, and continues with the rest"
        return f"{counted(done, 'document')} read; {where}; {hint}" if done else ""

    def found() -> Iterator[FingerprintResult]:
        nonlocal failed, done
        for result in report(results, walked):
            done += 1
            failed = failed or result.error is not None
            if result.fingerprint or result.trace:
                yield result

    with resumable(kept):
        if output_format in ("csv", "parquet"):
            rows = (tuple(_fields(result, written).values()) for result in found())
            kinds = {name: kind for name, (kind, _) in _COLUMNS.items()}
            write_rows(output, output_format, kinds, rows, lambda: _metadata(written, results.warned))
        else:
            with printing(output) as show:
                if output_format == "text":
                    for result in found():
                        show(_line(result))
                else:
                    for fields in _with_warnings((_members(result, written) for result in found()), written, results):
                        show(json.dumps(fields))
    if unfinished:
        unfinished.delete()
    return 1 if failed or walked.incomplete or results.empty else 0


def _unfinished(output: str, scheme: str, options: ReadOptions) -> Unfinished | None:
    """Return the results of an interrupted run with the same output; None if the output is not a file.

    Raises:
        click.UsageError: they are of another run.
    """
    from simhash_doc.ingest import EXTRACTOR
    from simhash_doc.ingest.unfinished import Unfinished, UnfinishedRunError
    from simhash_doc.provenance import Provenance

    if output == STANDARD_OUTPUT or (os.path.exists(output) and not os.path.isfile(output)):
        return None
    read = {name: getattr(options, name) for name in ("format", "limits", "min_tokens", "skip_incomplete")}
    run = {"scheme": scheme, "version": Provenance.of_package(scheme, extractor=EXTRACTOR).to_dict()}
    try:
        return Unfinished(f"{output}.partial", run | {name: str(value) for name, value in read.items()})
    except UnfinishedRunError as error:
        raise failure(error) from error
    except OSError as error:
        raise unwritable(f"{output}.partial", error) from error


def _metadata(provenances: list[Provenance], warned: Counter[str]) -> dict[bytes, str]:
    """Return the metadata for fingerprints that differ in whether the texts were extracted; see spec/provenance.md."""
    from simhash_doc.provenance import METADATA_KEY

    if not provenances:
        return {}
    return {METADATA_KEY: json.dumps(_provenance(max(provenances, key=lambda one: one.extractor is not None), warned))}


def _provenance(provenance: Provenance, warned: Counter[str]) -> dict[str, object]:
    """Return the members of the provenance of an output, with the number of its documents for each kind of warning."""
    return provenance.to_dict() | ({"warnings": dict(warned.most_common())} if warned else {})


def _with_warnings(
    lines: Iterator[dict[str, object]], written: list[Provenance], results: Results[FingerprintResult]
) -> Iterator[dict[str, object]]:
    """Yield the lines; the provenance of the last one counts the warnings, which are known at the end only."""
    last = next(lines, None)
    if last is None:
        return
    for line in lines:
        yield last
        last = line
    if written and results.warned:
        last["provenance"] = _provenance(written[-1], results.warned)
    yield last


def _line(result: FingerprintResult) -> str:
    """Return a result as text."""
    line = f"{result.fingerprint or 'no fingerprint'}  {escape_path(result.path)}"
    return f"{line}\n{_text_trace(result.trace, result.fingerprint)}" if result.trace else line


def _members(result: FingerprintResult, written: list[Provenance]) -> dict[str, object]:
    """Return the members of a line of JSON, with the provenance unless that is among those `written`."""
    known = len(written)
    fields = _fields(result, written)
    if written[known:]:
        fields["provenance"] = written[-1].to_dict()
    if result.incomplete:
        fields["incomplete"] = result.incomplete
    if result.trace:
        fields["trace"] = result.trace.as_dict()
    return fields


def _fields(result: FingerprintResult, written: list[Provenance]) -> dict[str, object]:
    """Return the values of the columns; add a new provenance to those `written`."""
    if result.fingerprint and result.provenance not in written:
        written.append(result.provenance)
    return {name: value(result) for name, (_, value) in _COLUMNS.items()}


def _text_trace(traced: Trace, fingerprint: Fingerprint | None) -> str:
    """Return a trace for a person to read: each intermediate value with its name."""
    lines = [f"  folded    {traced.folded!r}", f"  prepared  {traced.prepared!r}", "  tokens    counted  hash  token"]
    lines += [
        f"    {token.counted} of {token.occurrences}  {' '.join(token.hashes)}  {token.token}"
        for token in traced.tokens
    ]
    if traced.buckets and traced.hex:
        lines.append("  buckets   bit 0 of lane 0 first")
        lines += [
            "    " + " ".join(f"{bucket:4}" for bucket in traced.buckets[start : start + 16])
            for start in range(0, len(traced.buckets), 16)
        ]
        lines += [f"  hex       {traced.hex}", f"  text      {fingerprint}"]
    return "\n".join(lines)
