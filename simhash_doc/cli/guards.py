"""Refuse outputs that would replace what a command reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simhash_doc.cli.output import STANDARD_OUTPUT, unwritable
from simhash_doc.files import check_writable

if TYPE_CHECKING:
    from simhash_doc.ingest.selection import Selection


def check_outputs(
    *paths: str | None,
    inputs: Iterable[str | os.PathLike[str] | None] = (),
    selection: Selection | None = None,
    folders: Iterable[str | os.PathLike[str] | None] = (),
    database: str | None = None,
) -> None:
    """Check, before anything is read, that outputs can be written and replace nothing that the command reads.

    Files are the same if they are one file on the disk: other paths of it, and links to it, count.

    Args:
        paths: the outputs; ``-`` and None are accepted.
        inputs: what the command reads: files, directories of documents, and ``-``; other arguments are ignored.
        selection: which files of the directories are read; None for all documents.
        folders: directories of which every file may be read, such as those of an index; others are ignored.
        database: path or URL of a store. Its journals count even if they do not exist.

    Raises:
        click.ClickException: an output cannot be written, is an input, or is given twice.
    """
    if paths.count(STANDARD_OUTPUT) > 1:
        raise click.UsageError("standard output (-) is given for several outputs; name files for the others")
    files = [path for path in paths if path and path != STANDARD_OUTPUT]
    for path in files:
        try:
            check_writable(path)
        except OSError as error:
            raise unwritable(path, error) from error
    places = [os.path.realpath(path) for path in files]
    read = [os.fspath(one) for one in inputs if one is not None]
    places_read = [os.path.realpath(one) for one in folders if one is not None and os.path.isdir(one)]
    for path, place in zip(files, places, strict=True):
        is_special = os.path.exists(path) and not os.path.isfile(path)
        if places.count(place) > 1 and not is_special:
            raise click.UsageError(f"{path} is given for two outputs; name another file for one of them")
        if database is not None and _belongs_to(database, path):
            raise click.UsageError(f"{path}: belongs to the database, which would be destroyed; choose another output")
        if os.path.isfile(path) and (
            any(_reads(one, path, selection) for one in read)
            or any(Path(place).is_relative_to(one) for one in places_read)
        ):
            raise click.UsageError(f"{path}: is also an input and would be overwritten; choose another output")


def _reads(argument: str, path: str, selection: Selection | None) -> bool:
    from simhash_doc.ingest.selection import ALL  # later: they are slow to load
    from simhash_doc.ingest.walk import STANDARD_INPUT, is_read

    if os.path.isdir(argument):
        return is_read(path, argument, selection or ALL)
    if argument == STANDARD_INPUT:
        with suppress(OSError):  # it may be closed
            return os.path.samestat(os.fstat(0), os.stat(path))
    return os.path.isfile(argument) and os.path.samefile(argument, path)


def _belongs_to(database: str, path: str) -> bool:
    try:
        from simhash_doc.store.schema import is_file_of  # later: it is slow to load
    except ModuleNotFoundError:  # reported when the database is opened
        return False
    return is_file_of(database, path)
