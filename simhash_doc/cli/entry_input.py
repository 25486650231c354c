"""Input of entries: files and standard input, with errors on standard error."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.command_line.options import check_read_once, standard_input
from simhash_doc.console.messages import Messages, Progress, counted, print_notice, reading
from simhash_doc.entries import UnreadableInputError, UnreadableLineError
from simhash_doc.errors import SpecError
from simhash_doc.files import open_rows
from simhash_doc.schemes import get_scheme
from simhash_doc.thresholds import LEAST_SUPPORT

if TYPE_CHECKING:
    from io import BufferedReader

    from simhash_doc.entries.entry_files import Entries, IdForm
    from simhash_doc.entries.json_lines import JsonObject
    from simhash_doc.fingerprint import Fingerprint
    from simhash_doc.provenance import Provenance


class LineErrors:
    """Reports what cannot be read of a file, or of standard input for ``-``, and counts it."""

    def __init__(self, path: str) -> None:
        self._name = shown_name(path)
        self._messages = Messages()
        self.count = 0

    def report(self, place: str, reason: object) -> None:
        """Print an error about a place, such as a line, or about all of the file."""
        self.count += 1
        where = f"{self._name}: {place}" if place else self._name
        self._messages.show(f"{where}: {reason}", f"lines of {self._name} with errors")

    def warn(self, place: str, warning: object) -> None:
        """Print a warning about a place."""
        print_notice(f"simhash-doc: {self._name}: {place}: warning: {warning}")

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
    min_support: float | None = None,
    ids: IdForm = "typed",
) -> Entries:
    """Read the fingerprints of files, or of standard input for ``-`` or no file; see `EntryReader`.

    Raises:
        click.ClickException: a file cannot be read.
    """
    from simhash_doc.entries.entry_files import EntryReader

    check_read_once(*files)
    with Progress(None, "fingerprints read") as progress:
        reader = EntryReader(
            scheme,
            narrow=narrow,
            input_format=input_format,
            on_read=progress.advance,
            combined_with=combined_with,
            min_support=min_support,
            ids=ids,
        )
        for path in files or standard_input("FILE"):
            errors = LineErrors(path)
            with open_entry_file(path) as file:
                reader.read(file, errors.report, errors.warn)
            errors.finish()
    found = reader.entries()
    report_skipped_rows(found.skipped)
    if min_support is not None:
        _report_support(found, min_support)
    if not (len(found.values) or found.skipped or found.unreadable or found.weak):
        print_notice("simhash-doc: no fingerprints found")
    return found


def _report_support(found: Entries, least: float) -> None:
    """Print how many texts may be near unrelated ones, or are left out because they may."""
    if found.weak:
        what = f"of texts with a support under {least or LEAST_SUPPORT:g}"
        weak = f"{counted(found.weak, 'fingerprint')} {what}{' left out' if least else ''}"
        hint = "" if least else f"; they may be near unrelated texts (--min-support {LEAST_SUPPORT:g} leaves them out)"
        print_notice(f"simhash-doc: {weak}{hint}")
    if found.unknown:
        print_notice(f"simhash-doc: {counted(found.unknown, 'fingerprint')} without a support stay")


def ids_of(path: str, errors: LineErrors) -> Iterator[tuple[str, JsonObject]]:
    """Yield the rows of a file of ids, as `read_ids` does, and report those without an id.

    Raises:
        click.ClickException: the file cannot be read.
    """
    from simhash_doc.entries.id_files import read_ids

    with open_entry_file(path) as file:
        try:
            for place, found in read_ids(file):
                if isinstance(found, UnreadableLineError):
                    errors.report(place, found)
                else:
                    yield place, found
        except UnreadableInputError as error:
            raise click.ClickException(f"{shown_name(path)}: {error}") from error


def report_skipped_rows(skipped: int) -> None:
    """Print how many rows have no fingerprint."""
    if skipped:
        print_notice(f"simhash-doc: {counted(skipped, 'row')} without a fingerprint skipped")


def parsed_fingerprint(text: str, scheme: str | None = None, *, narrow: bool = True) -> Fingerprint:
    """Return the fingerprint of an argument, in decimal, hexadecimal or base32.

    Args:
        text: the argument.
        scheme: the scheme expected; None for any.
        narrow: narrow a wider fingerprint to the scheme, instead of reporting it.

    Raises:
        click.UsageError: it is not a fingerprint of the scheme.
    """
    from simhash_doc.entries.line_formats import parse_fingerprint

    try:
        found = parse_fingerprint(text, scheme)
    except (UnreadableLineError, SpecError) as error:
        hint = "; a text is read from a file, or from standard input (-)" if " " in text else ""
        raise click.UsageError(f"{text!r}: no such file, and {error}{hint}") from error
    if scheme is None or found.scheme.id == scheme:
        return found
    try:
        if narrow:
            return found.narrow(get_scheme(scheme))
    except ValueError as error:
        raise click.UsageError(f"{text!r}: {error}") from error
    raise click.UsageError(f"{text!r} is of scheme {found.scheme.id}, not {scheme}")


@contextmanager
def open_entry_file(path: str) -> Iterator[BufferedReader]:
    """Open a file, or standard input for ``-``.

    Raises:
        click.ClickException: the file cannot be read.
    """
    hint = "; `simhash-doc fingerprint` computes the fingerprints of its documents" if os.path.isdir(path) else ""
    with reading(path, hint), open_rows(path) as file:
        yield file
