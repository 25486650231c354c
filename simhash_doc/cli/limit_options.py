"""Options for the limits on documents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import click

from simhash_doc.extract.limits import LARGEST_SIZE, LONGEST_SECONDS
from simhash_doc.ingest import ReadOptions

_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([KMG]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_DEFAULT = ReadOptions()


class Size(click.ParamType):  # type: ignore[type-arg] # click 8.1 has no type argument
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
        if not isinstance(self.type, Size):
            return f"{value:g}"
        unit = next(unit for unit, size in reversed(_UNITS.items()) if value % size == 0)
        return f"{value // _UNITS[unit]}{unit}"


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
