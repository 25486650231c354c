"""The paths of the commands that read documents, and the options that select files below directories."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from simhash_doc.cli.streams import quiet_option
from simhash_doc.ingest import IgnoreRules, Selection
from simhash_doc.ingest.ignore import NO_RULES
from simhash_doc.ingest.sources import open_document, read_paths

Command = TypeVar("Command", bound=Callable[..., Any])

min_tokens_option = click.option(
    "--min-tokens",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Leave out documents with fewer tokens; short texts give unreliable distances.",
)
_OPTIONS = (
    click.option(
        "--include", multiple=True, metavar="GLOB", help="In directories, read only matching files. Repeatable."
    ),
    click.option("--exclude", multiple=True, metavar="GLOB", help="In directories, skip matching files. Repeatable."),
    click.option(
        "--ignore-file",
        "ignore_files",
        multiple=True,
        metavar="FILE",
        help="In directories, skip what FILE lists in the syntax of .gitignore. Repeatable.",
    ),
    click.option("--hidden", is_flag=True, help="In directories, also read hidden files and directories."),
    click.option("--follow", is_flag=True, help="In directories, also follow symbolic links to directories."),
    click.option("--files-from", metavar="FILE", help="Also read paths from FILE: one per line, or NUL-separated."),
    quiet_option,
)


def path_options(command: Command) -> Command:
    """Add the paths, and the options that select among them, to a command.

    The command receives `paths`; those decorated with `read_options` have the selection in their options.
    """

    @functools.wraps(command)
    def with_options(
        *arguments: Any,
        paths: tuple[str, ...],
        include: tuple[str, ...],
        exclude: tuple[str, ...],
        ignore_files: tuple[str, ...],
        hidden: bool,
        follow: bool,
        files_from: str | None,
        **given: Any,
    ) -> Any:
        if not paths and files_from is None:
            raise click.UsageError("Missing argument 'PATH...'.")
        selection = Selection(include, exclude, hidden, follow, _ignore_rules(ignore_files))
        listed = () if files_from is None else _listed(files_from)
        return command(*arguments, paths=(*paths, *listed), selection=selection, **given)

    for option in reversed(_OPTIONS):
        with_options = option(with_options)
    return click.argument("paths", nargs=-1, metavar="PATH...")(with_options)  # type: ignore[return-value]


def _listed(path: str) -> list[str]:
    try:
        return read_paths(path)
    except OSError as error:
        raise _unreadable(path, error) from error


def _ignore_rules(paths: tuple[str, ...]) -> IgnoreRules:
    if not paths:
        return NO_RULES
    lines: list[str] = []
    for path in paths:
        try:
            with open_document(path) as file:
                lines += file.read().decode("utf-8", "surrogateescape").split("\n")
        except OSError as error:
            raise _unreadable(path, error) from error
    return IgnoreRules(tuple(lines))


def _unreadable(path: str, error: OSError) -> click.ClickException:
    return click.ClickException(f"{path}: cannot be read: {error.strerror or error}")
