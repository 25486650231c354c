"""Reading fingerprints of 64 bits for the look-up, one a line, and writing answers in the same form."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import BinaryIO

import click
import numpy as np

from simhash_doc.atomic import replacing
from simhash_doc.cli.documents import STANDARD_INPUT, open_document
from simhash_doc.errors import MalformedFingerprintError, SimhashDocError, SpecError
from simhash_doc.lookup.values import LARGEST, Values
from simhash_doc.value import Fingerprint

FORMS = ("json", "decimal", "hex", "base32")  # where a line reads as several, the first counts
_CHUNK_LINES = 1 << 14
_SAMPLE_LINES = 1000
_HEX = re.compile(r"(?:0[xX])?([0-9a-fA-F]{1,16})", re.ASCII)


class UnreadableLineError(SimhashDocError, ValueError):
    """A line that holds no fingerprint of 64 bits."""


@dataclass(frozen=True, slots=True)
class Entries:
    """Fingerprints read: their values, shape (n,), the form they came in, the path of each if it is JSON.

    `unreadable` lines were named on standard error and left out.
    """

    values: Values
    form: str
    paths: list[str] | None
    unreadable: int


def read_entries(path: str, form: str = "auto") -> Entries:
    """Read a file, or standard input for ``-``, line by line; blank lines are passed over.

    Args:
        form: one of `FORMS`, or ``auto`` for the one that reads most of the first thousand lines. It
            is settled for the whole file: one in 1,800 fingerprints in hexadecimal has decimal digits only.

    Raises:
        click.ClickException: the file cannot be read.
    """
    values: list[Values] = []
    paths: list[str] = []
    unreadable = read = 0
    try:
        with open_document(path) as file:
            while lines := [line.decode("utf-8", "replace").strip() for line in islice(file, _CHUNK_LINES)]:
                if form == "auto":
                    form = _sniffed([line for line in lines[:_SAMPLE_LINES] if line])
                parse = _PARSERS[form]
                found = []
                for number, line in enumerate(lines, read + 1):
                    if not line:
                        continue
                    try:
                        value, name = parse(line)
                    except (UnreadableLineError, SpecError) as error:
                        unreadable += 1
                        where = "standard input" if path == STANDARD_INPUT else path
                        click.echo(f"simhash-doc: {where}: line {number}: {error}", err=True)
                        continue
                    found.append(value)
                    if name is not None:
                        paths.append(name)
                values.append(np.array(found, np.uint64))
                read += len(lines)
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be read: {error.strerror or error}") from error
    array = np.concatenate([np.empty(0, np.uint64), *values])
    return Entries(array, form, paths if form == "json" else None, unreadable)


def rendered(value: int, form: str) -> int | str:
    """Return a fingerprint as JSON should show it: in its form, base32 where that is JSON."""
    if form == "decimal":
        return value
    made = Fingerprint(value)
    return made.hex if form == "hex" else str(made)


def parsed_value(text: str) -> int:
    """Return the fingerprint that an argument of the command line holds, in any form but JSON.

    Raises:
        click.UsageError: it holds none.
    """
    form = _sniffed([text])
    try:
        return _PARSERS[form](text)[0]
    except (UnreadableLineError, SpecError) as error:
        raise click.UsageError(str(error)) from error


@contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """Open the output: a file that appears when all is written, or standard output for ``-``."""
    if path == STANDARD_INPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with replacing(path) as file:
            yield file
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be written: {error.strerror or error}") from error


def _decimal(line: str) -> tuple[int, None]:
    if not (line.isascii() and line.isdigit()):
        if line.startswith("-") and line[1:].isdigit():
            raise UnreadableLineError(f"{_shown(line)} is negative; a fingerprint is in 0 to 2^64 - 1")
        raise UnreadableLineError(f"{_shown(line)} is no decimal integer")
    if len(line) > 20 or int(line) > LARGEST:
        raise UnreadableLineError(f"{_shown(line)} is over 2^64 - 1; the look-up takes 64 bits")
    return int(line), None


def _hexadecimal(line: str) -> tuple[int, None]:
    match = _HEX.fullmatch(line)
    if not match:
        raise UnreadableLineError(f"{_shown(line)} is not up to 16 hexadecimal digits")
    return int(match[1], 16), None


def _base32(line: str) -> tuple[int, None]:
    try:
        return _of_64_bits(line), None
    except MalformedFingerprintError as error:
        raise UnreadableLineError(f"no fingerprint in decimal, hexadecimal (16 digits) or base32: {error}") from error


def _json(line: str) -> tuple[int, str]:
    try:
        record = json.loads(line)
    except ValueError:
        record = None
    if not isinstance(record, dict):
        raise UnreadableLineError(f"{_shown(line)} is no JSON object")
    text, name = record.get("fingerprint"), record.get("path", record.get("id"))
    if type(name) is int:
        name = str(name)
    if not isinstance(name, str):
        raise UnreadableLineError("the object has neither a 'path' that is a string nor an 'id'")
    if not isinstance(text, str):
        raise UnreadableLineError(f"the object has no 'fingerprint' that is a string (document {name!r})")
    scheme = record.get("scheme")
    return _of_64_bits(text, scheme if isinstance(scheme, str) else None), name


def _of_64_bits(text: str, scheme: str | None = None) -> int:
    made = Fingerprint.parse(text, scheme)
    if made.scheme_id != "sd64":
        raise UnreadableLineError(f"{_shown(text)} is of scheme {made.scheme_id}; the look-up takes sd64, 64 bits")
    return made.value


_PARSERS: dict[str, Callable[[str], tuple[int, str | None]]] = {
    "json": _json,
    "decimal": _decimal,
    "hex": _hexadecimal,
    "base32": _base32,
}


def _sniffed(lines: list[str]) -> str:
    """Return the form that reads the most of some lines; base32 if none reads any."""
    counts = {form: sum(_reads(line, form) for line in lines) for form in FORMS}
    if not any(counts.values()):
        return "json" if lines and lines[0].startswith("{") else "base32"
    return max(FORMS, key=lambda form: counts[form])


def _reads(line: str, form: str) -> bool:
    if form == "hex" and len(line) < 16 and line[:2].lower() != "0x":
        return False  # a short word such as "add" is rather a mistake
    try:
        _PARSERS[form](line)
    except (UnreadableLineError, SpecError):
        return False
    return True


def _shown(line: str) -> str:
    return repr(line if len(line) <= 60 else line[:57] + "...")
