"""The files that the commands of the store read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from simhash_doc.cli.fingerprint_io import LineErrors, open_lines, report_skipped_rows, shown_name
from simhash_doc.errors import SpecError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.entries import JsonLines, texts_of
from simhash_doc.ingest.errors import InvalidProvenanceError, UnreadableInputError, UnreadableLineError
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.store.json_lines import parse_id, parse_query


@contextmanager
def open_json_lines(path: str, errors: LineErrors) -> Iterator[JsonLines]:
    """Open a file with fingerprints as JSON lines; report the skipped rows at the end."""
    with open_lines(path) as file:
        try:
            lines = JsonLines(file)
            yield lines
        except UnreadableInputError as error:
            raise click.ClickException(f"{shown_name(path)}: {error}") from error
    errors.finish()
    report_skipped_rows(lines.skipped)


def read_queries(path: str, errors: LineErrors) -> Iterator[tuple[Fingerprint, str | None]]:
    """Yield the fingerprints of a file and their ids or paths; lines that cannot be read are reported."""
    with open_json_lines(path, errors) as lines:
        for number, text in texts_of(lines):
            try:
                yield parse_query(text)
            except (UnreadableLineError, SpecError, InvalidProvenanceError) as error:
                errors.report(number, error)


def read_ids(errors: LineErrors) -> Iterator[str]:
    """Yield the ids or paths of the lines of standard input; lines that cannot be read are reported."""
    with open_json_lines(STANDARD_INPUT, errors) as lines:
        for number, text in texts_of(lines):
            try:
                yield parse_id(text)
            except UnreadableLineError as error:
                errors.report(number, error)
