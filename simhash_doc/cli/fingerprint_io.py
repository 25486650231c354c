"""Input and output of fingerprints: files and standard streams, with errors on standard error."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

import click

from simhash_doc.errors import SpecError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.atomic_write import atomic_write
from simhash_doc.ingest.provenance import Provenance
from simhash_doc.ingest.sources import STANDARD_INPUT, open_document
from simhash_doc.lookup import entries
from simhash_doc.lookup.entries import Entries
from simhash_doc.lookup.errors import UnreadableLineError


class LineErrors:
    """Reports the lines of a file, or of standard input for ``-``, that cannot be read, and counts them."""

    def __init__(self, path: str) -> None:
        self._name = "standard input" if path == STANDARD_INPUT else path
        self.count = 0

    def report(self, number: int, reason: object) -> None:
        """Report a line on standard error."""
        self.count += 1
        click.echo(f"simhash-doc: {self._name}: line {number}: {reason}", err=True)

    def warn(self, number: int, warning: str) -> None:
        """Print a warning about a line on standard error."""
        click.echo(f"simhash-doc: {self._name}: line {number}: warning: {warning}", err=True)


def read_entries(
    path: str, input_format: str, scheme: str | None = None, combined_with: Iterable[Provenance] = ()
) -> Entries:
    """Read the fingerprints of a file, or of standard input for ``-``; see `lookup.entries.read_entries`.

    Raises:
        click.ClickException: the file cannot be read.
    """
    errors = LineErrors(path)
    with open_lines(path) as file:
        return entries.read_entries(
            file,
            input_format,
            scheme,
            on_error=errors.report,
            on_warning=errors.warn,
            combined_with=combined_with,
        )


def parsed_fingerprint(text: str, scheme: str | None = None) -> Fingerprint:
    """Return the fingerprint of an argument, in any format except JSON.

    Raises:
        click.UsageError: it is not a fingerprint of the scheme.
    """
    try:
        return entries.parse_fingerprint(text, scheme)
    except (UnreadableLineError, SpecError) as error:
        raise click.UsageError(str(error)) from error


@contextmanager
def open_lines(path: str) -> Iterator[BinaryIO]:
    """Open a file, or standard input for ``-``.

    Raises:
        click.ClickException: the file cannot be read.
    """
    try:
        with open_document(path) as file:
            yield file
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be read: {error.strerror or error}") from error


@contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """Open the output: a file that is written atomically, or standard output for ``-``."""
    if path == STANDARD_INPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with atomic_write(path) as file:
            yield file
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be written: {error.strerror or error}") from error
