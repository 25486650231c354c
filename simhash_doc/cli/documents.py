"""What the commands that read documents share: their options, the form of their output, and their messages."""

from __future__ import annotations

import functools
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from simhash_doc.cli.limit_options import LIMIT_FIELDS, LIMIT_OPTIONS, LIMITS
from simhash_doc.cli.messages import counted
from simhash_doc.cli.progress import Progress
from simhash_doc.cli.streams import escape_controls, print_error, print_exactly, print_notice, quiet_option
from simhash_doc.extract.registry import CONTAINERS, READERS
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest import IgnoreRules, ReadOptions, Results, Selection, SkippedFile
from simhash_doc.ingest.ignore import NO_RULES
from simhash_doc.ingest.results import Result
from simhash_doc.ingest.sources import open_document, read_paths
from simhash_doc.ingest.walk import ALL, STANDARD_INPUT

if TYPE_CHECKING:
    from simhash_doc.cli.failures import Failures

Command = TypeVar("Command", bound=Callable[..., Any])
R = TypeVar("R", bound=Result)

_DEFAULT = ReadOptions()
FORMATS = sorted({*READERS, *CONTAINERS})
output_option = click.option(
    "-o",
    "--output",
    default=STANDARD_INPUT,
    metavar="FILE",
    help="Write to FILE, atomically: it is complete, or unchanged.  [default: standard output]",
)
bare_option = click.option("--bare", is_flag=True, help="Show fingerprints in base32 alone, without the scheme.")
min_tokens_option = click.option(
    "--min-tokens",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Leave out documents with fewer tokens; short texts give unreliable distances.",
)
_PATH_OPTIONS = (
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

    for option in reversed(_PATH_OPTIONS):
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


def read_options(command: Command) -> Command:
    """Add --type and the limits to a command, which receives them as its argument `options`."""

    @functools.wraps(command)
    def with_options(
        *arguments: Any, document_format: str, selection: Selection = ALL, min_tokens: int = 0, **given: Any
    ) -> Any:
        known = None if document_format == "auto" else document_format
        plain = known is None and selection == ALL and not min_tokens
        options = _DEFAULT if plain else ReadOptions(known, selection=selection, min_tokens=min_tokens)
        for parameter, field in LIMIT_FIELDS.items():
            if (value := given.pop(parameter)) is not None:
                options = _with_limit(options, field, value)
        return command(*arguments, options=options, **given)

    for limit in reversed(LIMITS):
        with_options = click.option(
            limit.option,
            type=limit.type,
            metavar=limit.metavar,
            help=f"{limit.meaning}  [default: {limit.default}]",
        )(with_options)
    return click.option(  # type: ignore[return-value]
        "--type",
        "document_format",
        type=click.Choice(["auto", *FORMATS]),
        default="auto",
        show_default=True,
        metavar="FORMAT",
        help=f"Format of the documents: {', '.join(FORMATS)}; auto detects it from the content. In directories, "
        "only files of this format are read. text reads any bytes as UTF-8, without detecting the encoding.",
    )(with_options)


def jobs_option(command: Command) -> Command:
    """Add --jobs to a command."""
    return click.option(
        "-j", "--jobs", type=click.IntRange(min=1), metavar="N", help="Worker processes.  [default: one per core]"
    )(command)


def _with_limit(options: ReadOptions, field: str, value: float) -> ReadOptions:
    changed: dict[str, Any] = {field: value}
    if hasattr(options.limits, field):
        return replace(options, limits=replace(options.limits, **changed))
    return replace(options, **changed)


@contextmanager
def printing(output: str) -> Iterator[Callable[[str], object]]:
    """Yield a function that prints a line to the output: a file that is written atomically, or standard output for -.

    Raises:
        click.ClickException: the file cannot be written.
    """
    if output == STANDARD_INPUT:
        yield print_exactly
        return
    from simhash_doc.cli.outputs import writing

    with writing(output) as file:
        yield lambda line: file.write(f"{line}\n".encode("utf-8", "surrogateescape"))


def text_form(fingerprint: Fingerprint, *, bare: bool) -> str:
    """Return the fingerprint with its scheme, or with `bare` without it."""
    return fingerprint.base32 if bare else str(fingerprint)


def escape_path(path: str) -> str:
    """Return the path on one line, as `sha256sum` does; a leading backslash marks a path that is escaped.

    Other control characters than line ends are escaped too.
    """
    escaped = escape_controls(path.replace("\\", "\\\\"))
    return path if escaped == path else "\\" + escaped


def report(results: Results[R], noun: str = "document") -> Iterator[R]:
    """Yield the results; print warnings and errors as they come, progress on a terminal, and a summary."""
    report_skipped(results.skipped_files)
    failures: Counter[str] = Counter()
    if len(results.paths) <= 1:
        yield from _reported(results, failures)
    else:
        with Progress(len(results.paths), "documents") as progress:
            yield from _reported(results, failures, progress)
    report_left_out(results.skipped_formats, results.skipped_short)
    if results.empty:
        print_error("simhash-doc: no documents found")
    count = results.count
    if count > 1 and (failures or results.skipped_records or sys.stderr.isatty()):
        from simhash_doc.cli.failures import summary

        print_notice(f"simhash-doc: {summary(counted(count, noun), count, failures, results.skipped_records)}")


def report_skipped(skipped_files: list[SkippedFile]) -> None:
    """Print why files and directories are not read, except those that `report_left_out` counts."""
    for skipped in skipped_files:
        if skipped.failed:
            print_error(f"simhash-doc: {skipped.path}: {skipped.reason}")
        elif not skipped.format:
            print_notice(f"simhash-doc: {skipped.path}: skipped: {skipped.reason}")


def report_left_out(formats: Counter[str], short: int = 0) -> None:
    """Print how many files of which formats, and how many short documents, were left out."""
    if formats:
        named = ", ".join(f"{name} ({count:,})" for name, count in formats.most_common())
        print_notice(f"simhash-doc: {counted(formats.total(), 'file')} of other formats skipped: {named}")
    if short:
        print_notice(f"simhash-doc: {counted(short, 'document')} with fewer tokens than --min-tokens left out")


def _reported(
    results: Results[R], failures: Counter[str], progress: Progress | None = None
) -> Generator[R, None, None]:
    """Yield the results, and print what is wrong with each."""
    shown: Failures | None = None
    for result in results:
        if progress:
            progress.clear()
            progress.total = results.expected
        for warning in result.warnings:
            print_notice(f"simhash-doc: {result.path}: warning: {warning}")
        if result.error:
            from simhash_doc.cli.failures import Failures

            failures[result.code or "failed"] += 1
            shown = shown or Failures(LIMIT_OPTIONS)
            shown.show(result)
        yield result
        if progress:
            progress.advance()
    if shown:
        shown.finish()
