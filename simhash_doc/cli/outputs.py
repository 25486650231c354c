"""Outputs of commands: files that are written atomically and replace no input, or standard output."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

import click

from simhash_doc.files import atomic_write, check_writable
from simhash_doc.ingest.walk import ALL, STANDARD_INPUT, Selection, is_read


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
        raise unwritable(path, error) from error


def check_outputs(*paths: str | None, inputs: Iterable[str] = (), selection: Selection = ALL) -> None:
    """Check, before long work, that outputs can be written and replace no input; ``-`` and None are accepted.

    Args:
        paths: the outputs.
        inputs: what the command reads: files, directories and ``-``; other arguments are ignored.
        selection: which files of the directories are read.

    Raises:
        click.ClickException: an output cannot be written, is an input, or is given twice.
    """
    if paths.count(STANDARD_INPUT) > 1:
        raise click.UsageError("standard output (-) is given for several outputs; name files for the others")
    files = [path for path in paths if path and path != STANDARD_INPUT]
    for path in files:
        try:
            check_writable(path)
        except OSError as error:
            raise unwritable(path, error) from error
    places = [os.path.realpath(path) for path in files]
    for path, place in zip(files, places, strict=True):
        if places.count(place) > 1 and not _is_special(path):
            raise click.UsageError(f"{path} is given for two outputs; name another file for one of them")
        if os.path.isfile(path) and any(_reads(one, path, selection) for one in inputs):
            raise click.UsageError(f"{path}: is also an input and would be overwritten; choose another output")


def _is_special(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)


def _reads(argument: str, path: str, selection: Selection) -> bool:
    """Return True if a command with this argument reads a file."""
    if os.path.isdir(argument):
        return is_read(path, argument, selection)
    return argument != STANDARD_INPUT and os.path.isfile(argument) and os.path.samefile(argument, path)


def unwritable(path: str, error: OSError) -> click.ClickException:
    """Return the error of an output that cannot be written."""
    return click.ClickException(f"{path}: cannot be written: {error.strerror or error}")
