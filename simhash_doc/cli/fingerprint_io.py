"""Input of fingerprints: files and standard streams, with errors on standard error."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

import click

from simhash_doc.cli.output import Messages, counted, print_error, print_notice
from simhash_doc.errors import SpecError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest import text_forms
from simhash_doc.ingest.documents import open_document
from simhash_doc.ingest.entries import Entries, EntryReader
from simhash_doc.ingest.provenance import Provenance
from simhash_doc.ingest.text_forms import UnreadableLineError
from simhash_doc.ingest.walk import STANDARD_INPUT


class LineErrors:
    """Reports the lines of a file, or of standard input for ``-``, that cannot be read, and counts them."""

    def __init__(self, path: str) -> None:
        self._name = shown_name(path)
        self._messages = Messages()
        self.count = 0

    def report(self, number: int, reason: object) -> None:
        """Report a line on standard error."""
        self.count += 1
        self._messages.show(f"{self._name}: line {number}: {reason}", f"lines of {self._name} with errors")

    def warn(self, number: int, warning: str) -> None:
        """Print a warning about a line on standard error."""
        print_error(f"simhash-doc: {self._name}: line {number}: warning: {warning}")

    def finish(self) -> None:
        """Print how many messages were left out."""
        self._messages.finish()


def shown_name(path: str) -> str:
    """Return a path as messages show it."""
    return "standard input" if path == STANDARD_INPUT else path


def read_entries(
    files: tuple[str, ...],
    input_format: str,
    scheme: str | None = None,
    *,
    narrow: bool = False,
    combined_with: Iterable[Provenance] = (),
) -> Entries:
    """Read the fingerprints of files, or of standard input for ``-`` or no file; see `EntryReader`.

    Raises:
        click.ClickException: a file cannot be read.
    """
    if files.count(STANDARD_INPUT) > 1:
        raise click.UsageError("- is given more than once: standard input can be read once")
    messages = Messages()

    def report(name: str, place: str, error: object) -> None:
        where = f"{name}: {place}" if place else name
        messages.show(f"{where}: {error}", f"lines of {name} cannot be read")

    def warn(name: str, place: str, warning: object) -> None:
        print_error(f"simhash-doc: {name}: {place}: warning: {warning}")

    reader = EntryReader(
        scheme,
        narrow=narrow,
        input_format=input_format,
        on_error=report,
        on_warning=warn,
        combined_with=combined_with,
    )
    for path in files or (STANDARD_INPUT,):
        with open_lines(path) as file:
            reader.read(shown_name(path), file)
    found = reader.entries()
    messages.finish()
    report_skipped_rows(found.skipped)
    if not (len(found.values) or found.skipped or found.unreadable):
        print_notice("simhash-doc: no fingerprints found")
    return found


def report_skipped_rows(skipped: int) -> None:
    """Print how many rows have no fingerprint."""
    if skipped:
        print_error(f"simhash-doc: {counted(skipped, 'row')} without a fingerprint skipped")


def parsed_fingerprint(text: str, scheme: str | None = None, *, narrow: bool = False) -> Fingerprint:
    """Return the fingerprint of an argument, in decimal, hexadecimal or base32.

    Args:
        text: the argument.
        scheme: the scheme expected; None for any.
        narrow: narrow a wider fingerprint to the scheme.

    Raises:
        click.UsageError: it is not a fingerprint of the scheme.
    """
    try:
        found = text_forms.parse_fingerprint(text, scheme)
    except (UnreadableLineError, SpecError) as error:
        raise click.UsageError(str(error)) from error
    if scheme is None or found.scheme_id == scheme:
        return found
    try:
        if narrow:
            return found.narrow(scheme)
    except ValueError as error:
        raise click.UsageError(f"{text!r}: {error}") from error
    raise click.UsageError(f"{text!r} is of scheme {found.scheme_id}, not {scheme}")


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
