"""`simhash-doc fingerprint --column`: the rows of a Parquet or JSON-lines file (needs the extra `tables`)."""

from __future__ import annotations

import os

import click

from simhash_doc.cli.documents import STANDARD_INPUT, open_document
from simhash_doc.cli.entries import writing
from simhash_doc.cli.progress import Progress
from simhash_doc.tables.errors import TableError, WrongUseError
from simhash_doc.tables.job import Input, open_input, write_directly, write_in_parts
from simhash_doc.tables.json_lines import JsonLinesInput
from simhash_doc.tables.output import check_ending, check_id
from simhash_doc.tables.rows import Tally
from simhash_doc.workers import available_cores

_SHOWN_REASONS = 10
_WORTH_WORKERS = 4 << 20  # bytes; starting processes costs more than reading less


def fingerprint_table(path: str, column: str, id_column: str | None, output: str, scheme: str, jobs: int | None) -> int:
    """Fingerprint the rows of a table, tell on standard error what went wrong, and return the exit status."""
    workers = jobs or available_cores()
    if path != STANDARD_INPUT and os.path.isfile(path) and os.path.getsize(path) < _WORTH_WORKERS:
        workers = 1
    try:
        tally = _fingerprint(path, column, id_column, output, scheme, workers)
    except WrongUseError as error:
        raise click.UsageError(str(error)) from error
    except TableError as error:
        raise click.ClickException(str(error)) from error
    if tally.without:
        click.echo(_summary(path, tally), err=True)
    return 1 if tally.without else 0


def _fingerprint(path: str, column: str, id_column: str | None, output: str, scheme: str, workers: int) -> Tally:
    if output != STANDARD_INPUT:
        check_ending(output)
    source: Input
    if path == STANDARD_INPUT:
        file = open_document(path)
        source = JsonLinesInput("standard input", file, column, id_column, scheme, total=0)
    else:
        source = open_input(path, column, id_column, scheme)
    if source.schema is not None:
        check_id(output, source.schema.field("id").type)
    with Progress(source.total, source.unit) as progress:
        if STANDARD_INPUT not in (path, output):
            run: dict[str, object] = {"column": column, "id": id_column, "scheme": scheme}
            return write_in_parts(source, path, output, run, workers, progress.advance)
        if output != STANDARD_INPUT and os.path.lexists(output):
            raise WrongUseError(f"{output}: exists already; delete it or choose another name")
        with writing(output) as file:
            return write_directly(source, file, output, workers, progress.advance)


def _summary(path: str, tally: Tally) -> str:
    without = f"{tally.without:,} of {tally.rows:,} rows have no fingerprint"
    lines = [f"simhash-doc: {path}: {without}; the column 'reason' of the output says why:"]
    common = tally.reasons.most_common(_SHOWN_REASONS)
    lines += [f"  {count:,}: {reason}" for reason, count in common]
    if others := tally.without - sum(count for _, count in common):
        lines.append(f"  {others:,}: other reasons")
    return "\n".join(lines)
