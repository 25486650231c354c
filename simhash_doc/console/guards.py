"""Refuse outputs that cannot be written or would replace what a command reads, before anything is read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.console import CommandUsageError
from simhash_doc.console.output import STANDARD_OUTPUT, unwritable

Given = str | os.PathLike[str]


def check_outputs(
    *outputs: str | None, inputs: Iterable[Given | None] = (), folders: Iterable[Given | None] = ()
) -> None:
    """Check that outputs can be written, and that none is an input or given twice. Links to an input count.

    Args:
        outputs: files; ``-`` and None are accepted.
        inputs: the files that the command reads, and ``-``; None and what does not exist is ignored.
        folders: directories whose files belong together, such as those of an index: no output may replace one.

    Raises:
        CommandError: an output cannot be written, is an input, is given twice, or looks like an option.
    """
    from simhash_doc.files import check_writable

    if outputs.count(STANDARD_OUTPUT) > 1:
        raise CommandUsageError("standard output (-) is given for several outputs; name files for the others")
    files = named(outputs)
    for path in files:
        if path.startswith("-"):  # as in `-o -q`, where -o takes -q for its file
            raise CommandUsageError(f"{path} is an option, not an output; for a file of this name, write ./{path}")
        try:
            check_writable(path)
        except OSError as error:
            raise unwritable(path, error) from error
    places = [os.path.realpath(path) for path in files]
    for path, place in zip(files, places, strict=True):
        is_special = os.path.exists(path) and not os.path.isfile(path)
        if places.count(place) > 1 and not is_special:
            raise CommandUsageError(f"{path} is given for two outputs; name another file for one of them")
    read, inside = [one for one in inputs if one is not None], [one for one in folders if one is not None]
    for path in filter(os.path.isfile, files):
        if any(is_same(one, path) for one in read) or any(_is_below(path, one) for one in inside):
            raise overwritten(path)


def named(outputs: Iterable[str | None]) -> list[str]:
    """Return the outputs that are files."""
    return [path for path in outputs if path and path != STANDARD_OUTPUT]


def is_same(given: Given, path: str) -> bool:
    """Return True if an input is an existing file, by any of its names; ``-`` is what standard input reads."""
    with suppress(OSError, ValueError):  # what does not exist is no file; standard input may be closed
        return os.path.samestat(os.fstat(0) if given == STANDARD_INPUT else os.stat(given), os.stat(path))
    return False


def overwritten(path: str) -> CommandUsageError:
    """Return the error of an output that is an input."""
    return CommandUsageError(f"{path}: is also an input and would be overwritten; choose another output")


def _is_below(path: str, folder: Given) -> bool:
    from pathlib import Path

    return os.path.isdir(folder) and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
