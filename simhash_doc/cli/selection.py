"""The files that the options --include, --exclude and --files-from select."""

from __future__ import annotations

from collections.abc import Callable

import click

from simhash_doc.ingest import SkippedFile
from simhash_doc.ingest.selection import read_paths, select_files


def selected_paths(
    paths: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    files_from: str | None,
    on_skip: Callable[[SkippedFile], object],
) -> tuple[str, ...]:
    """Return the paths of the arguments and of a list, with each directory replaced by its selected files.

    Raises:
        click.ClickException: the list cannot be read.
    """
    try:
        listed = [] if files_from is None else read_paths(files_from)
    except OSError as error:
        raise click.ClickException(f"{files_from}: cannot be read: {error.strerror or error}") from error
    return tuple(select_files([*paths, *listed], include, exclude, on_skip))
