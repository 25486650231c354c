"""What the commands that read documents share: their options, and what they print on standard error."""

from __future__ import annotations

import functools
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import click

from simhash_doc.cli.progress import Progress
from simhash_doc.extract.registry import CONTAINERS, READERS
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest import ReadOptions, Results, SkippedFile
from simhash_doc.ingest.results import Result

Command = TypeVar("Command", bound=Callable[..., Any])
R = TypeVar("R", bound=Result)

_SIZE = re.compile(r"([0-9]{1,15})(?:([KMG])(?:iB)?)?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_DEFAULT = ReadOptions()
FORMATS = sorted({*READERS, *CONTAINERS})
bare_option = click.option("--bare", is_flag=True, help="Show fingerprints in base32 alone, without the scheme.")


class _Size(click.ParamType):  # type: ignore[type-arg] # click 8.1 has no type argument
    """A positive number of bytes, such as 65536, 64K or 64KiB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = _SIZE.fullmatch(value)
        size = int(found[1]) * _UNITS[(found[2] or "").upper()] if found else 0
        if not size:
            self.fail(f"{value!r} is not a positive size; give bytes, such as 65536, or 64K, 100M or 2G", param, ctx)
        return size


class _Seconds(click.FloatRange):
    """A positive, finite time in seconds."""

    def __init__(self) -> None:
        super().__init__(min=0, min_open=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds = float(super().convert(value, param, ctx))
        if not math.isfinite(seconds):
            self.fail(f"{value!r} is not a finite number of seconds", param, ctx)
        return seconds


@dataclass(frozen=True, slots=True)
class _Limit:
    """An option for a limit; `field` is of `Limits`, or of `ReadOptions` if `Limits` has none of that name."""

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
        if not isinstance(self.type, _Size):
            return f"{value:g}"
        unit = next(unit for unit, size in reversed(_UNITS.items()) if value % size == 0)
        return f"{value // _UNITS[unit]}{unit}"


_LIMITS = (
    _Limit("--max-input-size", "input_bytes", _Size(), "SIZE", "Largest size of a document."),
    _Limit("--max-expanded-size", "expanded_bytes", _Size(), "SIZE", "Largest size of a document after decompression."),
    _Limit("--max-pages", "pages", click.IntRange(min=1), "N", "Largest number of pages of a PDF."),
    _Limit("--max-seconds", "seconds", _Seconds(), "SECONDS", "Longest time for a document, plus 1 s per MiB."),
    _Limit(
        "--max-memory",
        "max_memory",
        _Size(),
        "SIZE",
        "Largest memory of a worker process, where the system can limit it.",
    ),
)


def read_options(command: Command) -> Command:
    """Add --type and the limits to a command, which receives them as its argument `options`."""

    @functools.wraps(command)
    def with_options(*arguments: Any, document_format: str, **given: Any) -> Any:
        options = ReadOptions(None if document_format == "auto" else document_format)
        for limit in _LIMITS:
            if (value := given.pop(limit.parameter)) is not None:
                options = _with_limit(options, limit.field, value)
        return command(*arguments, options=options, **given)

    for limit in reversed(_LIMITS):
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
        help=f"Format of every document: {', '.join(FORMATS)}; auto detects it from the content. "
        "text reads any bytes as UTF-8, without detecting the encoding.",
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


def text_form(fingerprint: Fingerprint, *, bare: bool) -> str:
    """Return the fingerprint with its scheme, or with `bare` without it."""
    return fingerprint.base32 if bare else str(fingerprint)


def escape_path(path: str) -> str:
    """Return the path on one line, as `sha256sum` does; a leading backslash marks a path that is escaped."""
    if "\n" not in path and "\\" not in path:
        return path
    return "\\" + path.replace("\\", "\\\\").replace("\n", "\\n")


def report(results: Results[R]) -> Iterator[R]:
    """Yield the results; print warnings and errors as they come, progress on a terminal, and a summary."""
    for skipped in results.skipped_files:
        report_skipped(skipped)
    if not results.paths:
        click.echo("simhash-doc: no files found in the given directories", err=True)
    failures: Counter[str] = Counter()
    if len(results.paths) <= 1:
        total = yield from _reported(results, failures)
    else:
        with Progress(len(results.paths), "documents") as progress:
            total = yield from _reported(results, failures, progress)
    if total > 1 and (failures or results.skipped_records or sys.stderr.isatty()):
        click.echo(f"simhash-doc: {_summary(total, failures, results.skipped_records)}", err=True)


def report_skipped(skipped: SkippedFile) -> None:
    """Print that a file is skipped."""
    click.echo(f"simhash-doc: {skipped.path}: skipped: {skipped.reason}", err=True)


def _reported(results: Results[R], failures: Counter[str], progress: Progress | None = None) -> Generator[R, None, int]:
    """Yield the results, print what is wrong with each, and return their number."""
    total = 0
    for result in results:
        total += 1
        if progress:
            progress.clear()
            progress.total = results.expected
        for warning in result.warnings:
            click.echo(f"simhash-doc: {result.path}: warning: {warning}", err=True)
        if result.error:
            failures[result.code or "failed"] += 1
            click.echo(f"simhash-doc: {result.path}: {result.error}", err=True)
        yield result
        if progress:
            progress.advance()
    return total


def _summary(total: int, failures: Counter[str], skipped_records: int) -> str:
    failed = failures.total()
    parts = [f"{total:,} documents: {total - failed:,} read"]
    if failed:
        codes = ", ".join(f"{count:,} {code}" for code, count in failures.most_common())
        parts.append(f"{failed:,} failed ({codes})")
    if skipped_records:
        parts.append(f"{skipped_records:,} WARC records without a document skipped")
    return ", ".join(parts)
