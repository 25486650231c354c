"""The options of commands that read documents: which are read, how, and within which limits."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from simhash_doc.command_line.help import Number, Option
from simhash_doc.command_line.options import (
    Decorated,
    check_read_once,
    is_null,
    null_option,
    quiet_option,
    standard_input,
)
from simhash_doc.command_line.sizes import SIZE_UNITS, Size
from simhash_doc.console.messages import reading
from simhash_doc_extraction import CONTAINERS, READERS
from simhash_doc_extraction.base import LONGEST_SECONDS, Limits

if TYPE_CHECKING:
    from simhash_doc.ingest import IgnoreRules, Selection

_DEFAULT = Limits()
_FORMATS = sorted({*READERS, *CONTAINERS})
min_tokens_option = click.option(
    "--min-tokens",
    type=Number(0),
    default=0,
    metavar="N",
    help="Leave out documents with fewer tokens. The distances of short texts are unreliable.",
)
_selecting = functools.partial(click.option, cls=Option, section="In directories")
_PATH_OPTIONS = (
    _selecting("--include", multiple=True, metavar="GLOB", help="Read only matching files. Repeatable."),
    _selecting("--exclude", multiple=True, metavar="GLOB", help="Skip matching files. Repeatable."),
    _selecting(
        "--ignore-file",
        "ignore_files",
        multiple=True,
        metavar="FILE",
        help="Skip what FILE lists in the syntax of .gitignore. Repeatable.",
    ),
    _selecting("--hidden", is_flag=True, help="Also read hidden files and directories."),
    _selecting("--follow", is_flag=True, help="Also follow symbolic links to directories."),
    click.option("--files-from", metavar="FILE", help="Also read paths from FILE: one per line, or NUL-separated."),
    null_option,
    quiet_option,
)
_SECONDS = Number(0, LONGEST_SECONDS, float, above=True)
# By attribute of `Limits`: the option, its type, its value in the help, and its meaning.
_LIMITS: dict[str, tuple[str, Any, str, str]] = {
    "input_bytes": ("--max-input-size", Size(), "SIZE", "Maximum size of a document."),
    "expanded_bytes": ("--max-expanded-size", Size(), "SIZE", "Maximum size of a document after decompression."),
    "pages": ("--max-pages", Number(1), "N", "Maximum number of pages of a PDF."),
    "seconds": ("--max-seconds", _SECONDS, "SECONDS", "Maximum time for a document, plus 1 s per MiB."),
    "memory_bytes": (
        "--max-memory", Size(), "SIZE", "Maximum memory of a worker process, if the system can limit it.",
    ),
}  # fmt: skip
LIMIT_OPTIONS = {field: option for field, (option, *_) in _LIMITS.items()}


def path_options(*outputs: str) -> Callable[[Decorated], Decorated]:
    """Return a decorator that adds paths, the options that select among them, `read_options`, and --jobs to a command.

    The command receives `paths`, `options` and `jobs`. Its arguments `outputs` are checked: none may be a file that the
    command reads.
    """
    return functools.partial(_with_paths, outputs)


def _with_paths(outputs: tuple[str, ...], command: Decorated) -> Decorated:
    command = read_options(jobs_option(command))

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
        from simhash_doc.ingest import Selection
        from simhash_doc.ingest.walk import read_paths

        if not paths and files_from is None:
            paths = standard_input("PATH")
        selection = Selection(
            include=include, exclude=exclude, hidden=hidden, follow=follow, ignore=_ignore_rules(ignore_files)
        )
        if files_from is not None:
            with reading(files_from):
                paths = (*paths, *read_paths(files_from, null=is_null()))
        check_read_once(*paths, files_from)
        _check_outputs([given[name] for name in outputs], paths, selection, (*ignore_files, files_from))
        return command(*arguments, paths=paths, selection=selection, **given)

    for option in reversed(_PATH_OPTIONS):
        with_options = option(with_options)
    return click.argument("paths", nargs=-1, metavar="[PATH]...")(with_options)  # type: ignore[return-value]


def _check_outputs(
    outputs: list[str | None], paths: tuple[str, ...], selection: Selection, lists: tuple[str | None, ...]
) -> None:
    """Check outputs, also those that exist against the files that are found in directories, or by links in them."""
    from simhash_doc.console.guards import check_outputs, named
    from simhash_doc.ingest.walk import walk

    check_outputs(*outputs, inputs=(*paths, *lists))
    folders = [path for path in paths if os.path.isdir(path)]
    if any(map(os.path.isfile, named(outputs))):
        check_outputs(*outputs, inputs=[source.path for source in walk(folders, selection).sources])


def _ignore_rules(paths: tuple[str, ...]) -> IgnoreRules:
    from simhash_doc.files import open_input
    from simhash_doc.ingest import IgnoreRules
    from simhash_doc.ingest.walk import lines_of_list

    lines: list[str] = []
    for path in paths:
        with reading(path), open_input(path) as file:
            lines += (line.decode("utf-8", "surrogateescape") for line in lines_of_list(file.read()))
    return IgnoreRules(tuple(lines))


def read_options(command: Decorated) -> Decorated:
    """Add --type and the limits to a command, which receives them as its argument `options`."""

    @functools.wraps(command)
    def with_options(
        *arguments: Any,
        document_format: str,
        incomplete: str,
        selection: Selection | None = None,
        min_tokens: int = 0,
        **given: Any,
    ) -> Any:
        from simhash_doc.ingest import ReadOptions
        from simhash_doc.ingest.selection import ALL

        known = None if document_format == "auto" else document_format
        changed = {field: value for field in _LIMITS if (value := given.pop(field)) is not None}
        limits = Limits(**changed) if changed else _DEFAULT
        options = ReadOptions(
            format=known,
            limits=limits,
            selection=selection or ALL,
            min_tokens=min_tokens,
            skip_incomplete=incomplete == "skip",
        )
        return command(*arguments, options=options, **given)

    for field, (option, kind, metavar, meaning) in reversed(_LIMITS.items()):
        help_text = f"{meaning}  [default: {_default(field)}]"
        limit = click.option(option, field, cls=Option, section="Limits", type=kind, metavar=metavar, help=help_text)
        with_options = limit(with_options)
    with_options = click.option(
        "--incomplete",
        type=click.Choice(["keep", "skip"]),
        default="keep",
        show_default=True,
        help="Incomplete captures in WARC files: keep them with a warning, or skip them with an error.",
    )(with_options)
    return click.option(  # type: ignore[return-value]
        "--type",
        "document_format",
        type=click.Choice(["auto", *_FORMATS]),
        default="auto",
        show_default=True,
        metavar="FORMAT",
        help=f"Format of the documents: {', '.join(_FORMATS)}. auto detects it from the content. In directories, only "
        "files of this format are read. text reads any bytes as UTF-8, without detecting the encoding.",
    )(with_options)


def jobs_option(command: Decorated) -> Decorated:
    """Add --jobs to a command."""
    return click.option("-j", "--jobs", type=Number(1), metavar="N", help="Worker processes.  [default: one per core]")(
        command
    )


def _default(field: str) -> str:
    """Return the default of a limit as the command line accepts it."""
    value = getattr(_DEFAULT, field)
    units = SIZE_UNITS if isinstance(_LIMITS[field][1], Size) else {"": 1}
    unit = next(unit for unit, size in reversed(units.items()) if value % size == 0)
    return f"{value / units[unit]:g}{unit}"
