"""What the commands that read documents share: their options, their limits, and the form of their output."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeVar

import click

from simhash_doc.cli.streams import escape_controls, print_exactly
from simhash_doc.extract.limits import LARGEST_SIZE, LONGEST_SECONDS
from simhash_doc.extract.registry import CONTAINERS, READERS
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest import ReadOptions, Selection
from simhash_doc.ingest.walk import ALL, STANDARD_INPUT

Command = TypeVar("Command", bound=Callable[..., Any])

_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([KMG]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_DEFAULT = ReadOptions()
FORMATS = sorted({*READERS, *CONTAINERS})
output_option = click.option(
    "-o",
    "--output",
    default=STANDARD_INPUT,
    metavar="FILE",
    help="Written atomically: FILE is complete, or unchanged.  [default: standard output]",
)
bare_option = click.option("--bare", is_flag=True, help="Show fingerprints in base32 alone, without the scheme.")


class _Size(click.ParamType):  # type: ignore[type-arg] # click 8.1 has no type argument
    """A number of bytes from 1 to `LARGEST_SIZE`, such as 65536, 64k, 64KiB or 0.5M."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        found = _SIZE.fullmatch(value)
        size = int(Decimal(found[1]) * _UNITS[found[2].upper()]) if found else 0
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
        if not isinstance(self.type, _Size):
            return f"{value:g}"
        unit = next(unit for unit, size in reversed(_UNITS.items()) if value % size == 0)
        return f"{value // _UNITS[unit]}{unit}"


_LIMITS = (
    _Limit("--max-input-size", "input_bytes", _Size(), "SIZE", "Maximum size of a document."),
    _Limit("--max-expanded-size", "expanded_bytes", _Size(), "SIZE", "Maximum size of a document after decompression."),
    _Limit("--max-pages", "pages", click.IntRange(min=1), "N", "Maximum number of pages of a PDF."),
    _Limit("--max-seconds", "seconds", _Seconds(), "SECONDS", "Maximum time for a document, plus 1 s per MiB."),
    _Limit(
        "--max-memory",
        "max_memory",
        _Size(),
        "SIZE",
        "Maximum memory of a worker process, where the system can limit it.",
    ),
)
LIMIT_OPTIONS = {limit.field: limit.option for limit in _LIMITS}


def read_options(command: Command) -> Command:
    """Add --type and the limits to a command, which receives them as its argument `options`."""

    @functools.wraps(command)
    def with_options(
        *arguments: Any, document_format: str, selection: Selection = ALL, min_tokens: int = 0, **given: Any
    ) -> Any:
        known = None if document_format == "auto" else document_format
        plain = known is None and selection == ALL and not min_tokens
        options = _DEFAULT if plain else ReadOptions(known, selection=selection, min_tokens=min_tokens)
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
    from simhash_doc.cli.fingerprint_io import writing

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
