"""How documents are read: as which medium, and within which limits. Options that several commands share."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import click

from simhash_doc.extract.limits import Limits
from simhash_doc.extract.registry import CONTAINERS, READERS

Command = TypeVar("Command", bound=Callable[..., Any])

_MIB = 1 << 20
_SIZE = re.compile(r"([0-9]{1,15})([KMG]?)", re.ASCII)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_COUNT = re.compile(r"[0-9]{1,9}", re.ASCII)
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,6})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reading:
    """How documents are read.

    `medium` is a key of the tables in `extract.registry`, or None to look; `memory` is what a worker process may take
    beyond what it starts with, in bytes, where the system has such a limit.
    """

    medium: str | None = None
    limits: Limits = field(default_factory=Limits)
    memory: int = 2048 * _MIB

    def seconds(self, size: int) -> float:
        """Return the time for a document of some bytes: the limit, and a second more for each MiB."""
        return self.limits.seconds + size / _MIB


_DEFAULT = Reading()
_FIELDS = {
    # name on the command line: attribute of Limits (or memory), its form, what it bounds
    "bytes": ("input_bytes", _SIZE, "a document's size"),
    "expanded": ("expanded_bytes", _SIZE, "what it decompresses to"),
    "depth": ("depth", _COUNT, "nesting of its elements"),
    "pages": ("pages", _COUNT, "pages of a PDF"),
    "seconds": ("seconds", _SECONDS, "time for it, and 1 s more for each MiB"),
    "memory": ("memory", _SIZE, "memory of its worker process, where the system can bound it"),
}


def _shown(name: str) -> str:
    """Return the default of a limit, as the command line takes it."""
    attribute, form, _ = _FIELDS[name]
    value = _DEFAULT.memory if attribute == "memory" else getattr(_DEFAULT.limits, attribute)
    if form is _SIZE:
        return next(
            (f"{value // size}{unit}" for unit, size in reversed(_UNITS.items()) if value % size == 0), str(value)
        )
    return f"{value:g}"


def _limited(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> Reading:
    """Return the default way of reading with the limits that were given."""
    reading = _DEFAULT
    for text in given:
        name, _, value = text.partition("=")
        if name not in _FIELDS:
            raise click.BadParameter(f"{text!r}: the limits are {', '.join(_FIELDS)}", context, parameter)
        attribute, form, _ = _FIELDS[name]
        found = form.fullmatch(value)
        if not found or not float(value.rstrip("KMG")):
            example = f"{name}={_shown(name)}"
            raise click.BadParameter(f"{text!r} is no positive number, such as {example}", context, parameter)
        if form is _SIZE:
            number: float = int(found[1]) * _UNITS[found[2]]
        else:
            number = float(value) if form is _SECONDS else int(value)
        if attribute == "memory":
            reading = replace(reading, memory=int(number))
        else:
            changed: dict[str, Any] = {attribute: number}
            reading = replace(reading, limits=replace(reading.limits, **changed))
    return reading


def _complete(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    return [f"{name}=" for name in _FIELDS if name.startswith(incomplete)]


_LIMIT_HELP = "A bound on each document: {}. Repeatable.".format(
    "; ".join(f"{name}={_shown(name)} ({meaning})" for name, (_, _, meaning) in _FIELDS.items())
)


def reading_options(command: Command) -> Command:
    """Add --as and --limit to a command, which gets what they say as its argument `reading`."""

    @click.option(
        "--as",
        "medium",
        type=click.Choice(["auto", *sorted({*READERS, *CONTAINERS})]),
        default="auto",
        show_default=True,
        metavar="MEDIUM",
        help=f"Read every PATH as this: {', '.join(sorted({*READERS, *CONTAINERS}))}; auto looks at the content. "
        "text takes the bytes as UTF-8, whatever they look like.",
    )
    @click.option(
        "--limit",
        "reading",
        multiple=True,
        metavar="NAME=VALUE",
        callback=_limited,
        shell_complete=_complete,
        help=_LIMIT_HELP,
    )
    @functools.wraps(command)
    def with_reading(*arguments: Any, medium: str, reading: Reading, **options: Any) -> Any:
        chosen = replace(reading, medium=None if medium == "auto" else medium)
        return command(*arguments, reading=chosen, **options)

    return with_reading  # type: ignore[return-value]
