"""The files that the commands of the store read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import click

from simhash_doc.cli.fingerprint_io import LineErrors, open_lines, report_skipped_rows, shown_name
from simhash_doc.errors import SpecError
from simhash_doc.ingest.entries import JsonLines, texts_of
from simhash_doc.ingest.errors import InvalidProvenanceError, UnreadableInputError, UnreadableLineError
from simhash_doc.ingest.provenance import Provenance, ProvenanceCheck
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.store.json_lines import NamedQuery, parse_id, parse_query


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


def read_queries(path: str, errors: LineErrors, combined_with: Sequence[Provenance]) -> Iterator[NamedQuery]:
    """Yield the fingerprints of a file; lines that cannot be read, or compared with those of a store, are reported.

    Args:
        combined_with: provenances of the fingerprints of the store.
    """
    checks: dict[str, ProvenanceCheck] = {}
    with open_json_lines(path, errors) as lines:
        for number, text in texts_of(lines):
            try:
                query = parse_query(text)
                scheme = query.fingerprint.scheme_id
                if scheme not in checks:
                    checks[scheme] = ProvenanceCheck(one for one in combined_with if one.scheme == scheme)
                if warning := checks[scheme].add(query.provenance):
                    errors.warn(number, warning)
                yield query
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
