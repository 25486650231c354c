"""What the commands that read documents share: their options, the limits on documents, and the report of results."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from decimal import Decimal
from typing import Any, TypeVar

import click

from simhash_doc.cli.output import (
    Messages,
    Progress,
    check_outputs,
    counted,
    print_error,
    print_notice,
    quiet_option,
    reading,
)
from simhash_doc.extract import CONTAINERS, READERS, LimitExceededError, MissingExtraError
from simhash_doc.extract.base import LARGEST_SIZE, LONGEST_SECONDS, ExceededLimit, Limits
from simhash_doc.ingest import IgnoreRules, ReadOptions, Results, Selection, SkippedFile
from simhash_doc.ingest.results import Result
from simhash_doc.ingest.walk import ALL, open_input, read_paths

Command = TypeVar("Command", bound=Callable[..., Any])
R = TypeVar("R", bound=Result)

_DEFAULT = ReadOptions()
FORMATS = sorted({*READERS, *CONTAINERS})
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([KMG]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
_SIZE_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_MISSING = "documents that need packages that are not installed: pip install 'simhash-doc[extract]'"
_PARQUET = (".parquet", ".pq")
_OUTPUTS = ("output", "html", "remove_list", "groups")  # the arguments of all commands with `path_options`
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


class Size(click.ParamType):  # type: ignore[type-arg] # click 8.1 has no type argument
    """A number of bytes from 1 to `LARGEST_SIZE`, such as 65536, 64k, 64KiB or 0.5M."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = _SIZE.fullmatch(value)
        size = int(Decimal(found[1]) * _SIZE_UNITS[found[2].upper()]) if found else 0
        if not 0 < size <= LARGEST_SIZE:
            self.fail(
                f"{value!r} is not a size from 1 byte to {LARGEST_SIZE >> 40} TiB; "
                "give bytes, such as 65536, or 64K, 0.5M or 2GiB",
                param,
                ctx,
            )
        return size


_SECONDS = click.FloatRange(min=0, min_open=True, max=LONGEST_SECONDS)
# By attribute of `Limits`: the option, its type, its value in the help, and its meaning.
_LIMITS: dict[str, tuple[str, Any, str, str]] = {
    "input_bytes": ("--max-input-size", Size(), "SIZE", "Maximum size of a document."),
    "expanded_bytes": ("--max-expanded-size", Size(), "SIZE", "Maximum size of a document after decompression."),
    "pages": ("--max-pages", click.IntRange(min=1), "N", "Maximum number of pages of a PDF."),
    "seconds": ("--max-seconds", _SECONDS, "SECONDS", "Maximum time for a document, plus 1 s per MiB."),
    "memory_bytes": (
        "--max-memory", Size(), "SIZE", "Maximum memory of a worker process, where the system can limit it.",
    ),
}  # fmt: skip
LIMIT_OPTIONS = {field: option for field, (option, *_) in _LIMITS.items()}


def path_options(command: Command) -> Command:
    """Add the paths, the options that select among them, those of `read_options`, and --jobs to a command.

    The command receives `paths`, `options` and `jobs`.
    """
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
        if not paths and files_from is None:
            raise click.UsageError("Missing argument 'PATH...'.")
        if ignore_files or files_from is not None:  # the command checks its other inputs, which the lists may name
            check_outputs(*(given.get(name) for name in _OUTPUTS), inputs=(*ignore_files, files_from))
        selection = Selection(include, exclude, hidden, follow, _ignore_rules(ignore_files))
        listed: list[str] = []
        if files_from is not None:
            with reading(files_from):
                listed = read_paths(files_from)
        return command(*arguments, paths=(*paths, *listed), selection=selection, **given)

    for option in reversed(_PATH_OPTIONS):
        with_options = option(with_options)
    return click.argument("paths", nargs=-1, metavar="PATH...")(with_options)  # type: ignore[return-value]


def _ignore_rules(paths: tuple[str, ...]) -> IgnoreRules:
    lines: list[str] = []
    for path in paths:
        with reading(path), open_input(path) as file:
            lines += file.read().decode("utf-8", "surrogateescape").split("\n")
    return IgnoreRules(tuple(lines))


def read_options(command: Command) -> Command:
    """Add --type and the limits to a command, which receives them as its argument `options`."""

    @functools.wraps(command)
    def with_options(
        *arguments: Any,
        document_format: str,
        incomplete: str,
        selection: Selection = ALL,
        min_tokens: int = 0,
        **given: Any,
    ) -> Any:
        known = None if document_format == "auto" else document_format
        changed = {field: value for field in _LIMITS if (value := given.pop(field)) is not None}
        limits = Limits(**changed) if changed else _DEFAULT.limits
        options = ReadOptions(known, limits, selection, min_tokens, skip_incomplete=incomplete == "skip")
        return command(*arguments, options=options, **given)

    for field, (option, kind, metavar, meaning) in reversed(_LIMITS.items()):
        help_text = f"{meaning}  [default: {_default(field)}]"
        with_options = click.option(option, field, type=kind, metavar=metavar, help=help_text)(with_options)
    with_options = click.option(
        "--incomplete",
        type=click.Choice(["keep", "skip"]),
        default="keep",
        show_default=True,
        help="Captures in WARC files of which a part is missing: keep gives a warning, skip the error `incomplete`.",
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


def _default(field: str) -> str:
    """Return the default of a limit as the command line accepts it."""
    value = getattr(_DEFAULT.limits, field)
    units = _SIZE_UNITS if isinstance(_LIMITS[field][1], Size) else {"": 1}
    unit = next(unit for unit, size in reversed(units.items()) if value % size == 0)
    return f"{value / units[unit]:g}{unit}"


def report(results: Results[R], noun: str = "document") -> Iterator[R]:
    """Yield the results; print warnings and errors as they come, progress on a terminal, and a summary."""
    report_skipped(results.skipped_files)
    codes: Counter[str] = Counter()
    messages = Messages()
    with Progress(len(results.paths), "documents") as progress:
        for result in results:
            progress.clear()
            progress.total = results.expected
            for warning in result.warnings:
                print_notice(f"simhash-doc: {result.path}: warning: {warning}")
            if result.error:
                codes[result.code or "failed"] += 1
                _show_failure(result, messages)
            yield result
            progress.advance()
    messages.finish()
    if formats := results.skipped_formats:
        named = ", ".join(f"{name} ({count:,})" for name, count in formats.most_common())
        print_notice(f"simhash-doc: {counted(formats.total(), 'file')} of other formats skipped: {named}")
    if short := results.skipped_short:
        print_notice(f"simhash-doc: {counted(short, 'document')} with fewer tokens than --min-tokens left out")
    if results.empty:
        print_error("simhash-doc: no documents found")
    count = results.count
    if count > 1 and (codes or results.skipped_records or results.revisits or sys.stderr.isatty()):
        print_notice(f"simhash-doc: {_summary(counted(count, noun), count, codes, results)}")


def report_skipped(skipped_files: list[SkippedFile]) -> None:
    """Print why files and directories are not read, except those of other formats, which `report` counts."""
    for skipped in skipped_files:
        if skipped.failed:
            print_error(f"simhash-doc: {skipped.path}: {skipped.reason}")
        elif not skipped.format:
            print_notice(f"simhash-doc: {skipped.path}: skipped: {skipped.reason}")


def _show_failure(result: Result, messages: Messages) -> None:
    """Print why a document has no result; a limit with its option and the size of the file."""
    error = kind = result.error or ""
    if limit := result.exceeded:
        error, kind = _limit_error(result.path, limit), f"{limit.subject or ''} over the limit {limit.field}"
    if result.code == LimitExceededError.code and result.path.lower().endswith(_PARQUET):
        error += "; --column NAME fingerprints the rows of a Parquet file, whatever its size"
    if result.code == MissingExtraError.code:
        messages.show(f"{result.path}: {error}", _MISSING, shown=1)
    else:
        messages.show(f"{result.path}: {error}", kind.lstrip())


def _limit_error(path: str, limit: ExceededLimit) -> str:
    subject = f"{limit.subject} is"
    if limit.size is not None:
        size = limit.size  # as far as it was read
        with suppress(OSError):
            size = os.path.getsize(path) or size
        subject = f"{shown_size(size)} are"
    return f"{subject} over the limit of {shown_size(limit.value)}; {LIMIT_OPTIONS[limit.field]} changes it"


def shown_size(size: int) -> str:
    """Return a number of bytes in the largest unit that it reaches, rounded to one digit.

    >>> shown_size(104_857_601), shown_size(1536), shown_size(7)
    ('100 MiB', '1.5 KiB', '7 bytes')
    """
    unit, amount = 0, float(size)
    while amount >= 1024 and unit < len(_UNITS) - 1:
        unit, amount = unit + 1, amount / 1024
    return f"{amount:.1f}".removesuffix(".0") + f" {_UNITS[unit]}"


def _summary(documents: str, total: int, failures: Counter[str], results: Results[R]) -> str:
    failed = failures.total()
    parts = [f"{documents}: {total - failed:,} read"]
    if failed:
        codes = ", ".join(f"{count:,} {code}" for code, count in failures.most_common())
        parts.append(f"{failed:,} failed ({codes})")
    if results.skipped_records:
        parts.append(f"{counted(results.skipped_records, 'WARC record')} without a document skipped")
    if results.revisits:
        parts.append(f"{counted(results.revisits, 'revisit record')} of earlier captures skipped")
    return ", ".join(parts)
