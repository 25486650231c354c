"""What the commands that read documents share: their options, the limits on documents, and the report of results."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeVar

import click

from simhash_doc.cli.output import Messages, Progress, counted, print_error, print_notice, quiet_option
from simhash_doc.extract import CONTAINERS, READERS, LimitExceededError, MissingExtraError
from simhash_doc.extract.base import LARGEST_SIZE, LONGEST_SECONDS, ExceededLimit
from simhash_doc.ingest import IgnoreRules, ReadOptions, Results, Selection, SkippedFile
from simhash_doc.ingest.documents import open_document, read_paths
from simhash_doc.ingest.results import Result
from simhash_doc.ingest.walk import ALL, NO_RULES

Command = TypeVar("Command", bound=Callable[..., Any])
R = TypeVar("R", bound=Result)

_DEFAULT = ReadOptions()
FORMATS = sorted({*READERS, *CONTAINERS})
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([KMG]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
_SIZE_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_MISSING = "documents that need packages that are not installed: pip install 'simhash-doc[extract]'"
_PARQUET = (".parquet", ".pq")
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


class _Seconds(click.FloatRange):
    """A positive time of at most `LONGEST_SECONDS`."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds = float(super().convert(value, param, ctx))
        if not seconds <= LONGEST_SECONDS:
            self.fail(f"{value!r} exceeds the maximum of {LONGEST_SECONDS:,} seconds", param, ctx)
        return seconds


@dataclass(frozen=True, slots=True)
class _Limit:
    """An option for a limit; `field` is an attribute of `Limits`, or else of `ReadOptions`."""

    option: str
    field: str
    type: click.ParamType  # type: ignore[type-arg]
    metavar: str
    meaning: str

    @property
    def parameter(self) -> str:
        """Name of the argument that click passes."""
        return self.option.removeprefix("--").replace("-", "_")

    @property
    def default(self) -> str:
        """The default value as the command line accepts it."""
        value = getattr(_DEFAULT.limits, self.field, None) or getattr(_DEFAULT, self.field)
        if not isinstance(self.type, Size):
            return f"{value:g}"
        unit = next(unit for unit, size in reversed(_SIZE_UNITS.items()) if value % size == 0)
        return f"{value // _SIZE_UNITS[unit]}{unit}"


LIMITS = (
    _Limit("--max-input-size", "input_bytes", Size(), "SIZE", "Maximum size of a document."),
    _Limit("--max-expanded-size", "expanded_bytes", Size(), "SIZE", "Maximum size of a document after decompression."),
    _Limit("--max-pages", "pages", click.IntRange(min=1), "N", "Maximum number of pages of a PDF."),
    _Limit("--max-seconds", "seconds", _Seconds(), "SECONDS", "Maximum time for a document, plus 1 s per MiB."),
    _Limit(
        "--max-memory",
        "max_memory",
        Size(),
        "SIZE",
        "Maximum memory of a worker process, where the system can limit it.",
    ),
)
LIMIT_FIELDS = {limit.parameter: limit.field for limit in LIMITS}
LIMIT_OPTIONS = {limit.field: limit.option for limit in LIMITS}


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


def report(results: Results[R], noun: str = "document") -> Iterator[R]:
    """Yield the results; print warnings and errors as they come, progress on a terminal, and a summary."""
    report_skipped(results.skipped_files)
    codes: Counter[str] = Counter()
    failures = Failures()
    with Progress(len(results.paths), "documents") as progress:
        for result in results:
            progress.clear()
            progress.total = results.expected
            for warning in result.warnings:
                print_notice(f"simhash-doc: {result.path}: warning: {warning}")
            if result.error:
                codes[result.code or "failed"] += 1
                failures.show(result)
            yield result
            progress.advance()
    failures.finish()
    report_left_out(results.skipped_formats, results.skipped_short)
    if results.empty:
        print_error("simhash-doc: no documents found")
    count = results.count
    if count > 1 and (codes or results.skipped_records or sys.stderr.isatty()):
        print_notice(f"simhash-doc: {_summary(counted(count, noun), count, codes, results.skipped_records)}")


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


class Failures:
    """Prints why documents have no result; of equal reasons the first ten, and at the end the number of the others."""

    def __init__(self) -> None:
        self._messages = Messages()

    def show(self, result: Result) -> None:
        """Print the error of a result; a limit with its option and the size of the file."""
        error = kind = result.error or ""
        if limit := result.exceeded:
            error, kind = _limit_error(result.path, limit), f"{limit.subject or ''} over the limit {limit.field}"
        if result.code == LimitExceededError.code and result.path.lower().endswith(_PARQUET):
            error += "; --column NAME fingerprints the rows of a Parquet file, whatever its size"
        if result.code == MissingExtraError.code:
            self._messages.show(f"{result.path}: {error}", _MISSING, shown=1)
        else:
            self._messages.show(f"{result.path}: {error}", kind.lstrip())

    def finish(self) -> None:
        """Print how many messages were left out."""
        self._messages.finish()


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


def _summary(documents: str, total: int, failures: Counter[str], skipped_records: int) -> str:
    """Return how many of the counted documents were read, and how many failed by each error."""
    failed = failures.total()
    parts = [f"{documents}: {total - failed:,} read"]
    if failed:
        codes = ", ".join(f"{count:,} {code}" for code, count in failures.most_common())
        parts.append(f"{failed:,} failed ({codes})")
    if skipped_records:
        parts.append(f"{counted(skipped_records, 'WARC record')} without a document skipped")
    return ", ".join(parts)
