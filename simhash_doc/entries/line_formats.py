"""Lines with fingerprints: their formats, the one that fits most lines, and many lines as entries.

A line is digits in decimal, hexadecimal or base32, base32 with a path, or a JSON object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from simhash_doc.entries import UnreadableLineError
from simhash_doc.entries.digits import parse_digits
from simhash_doc.entries.entry import Entry, EntryId, EntryOrError, entry_of
from simhash_doc.entries.format_names import DIGITS, LINE_FORMATS
from simhash_doc.entries.json_lines import parse_object, plain_entries
from simhash_doc.errors import SpecError, shown
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import Scheme, get_scheme

_BLOCK = 1 << 18  # bytes: with what is computed from it, about the size of a core's cache
_SPACES = [chr(code) for code in range(128) if chr(code).isspace() and chr(code) != "\n"]
# What a line of a format begins with, or consists of: most lines that do not fit need not be parsed.
_SHAPES = {
    name: re.compile(pattern, re.ASCII)
    for name, pattern in {
        "json": r"\{", "decimal": r"[0-9]+\Z", "hex": r"[0-9a-fA-FxX]+\Z", "base32": r"\S+\Z", "text": r"\S+  ",
    }.items()
}  # fmt: skip
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\"}


def parse_line(text: str, line_format: str, scheme: Scheme | None = None) -> Entry:
    """Return the entry of a line.

    Args:
        text: the line, without white space at its ends.
        line_format: one of `LINE_FORMATS`.
        scheme: the scheme of digits that do not name one; None to infer it from their number.

    Raises:
        UnreadableLineError: it does not hold a fingerprint in this format.
        SpecError: the fingerprint is malformed.
    """
    if line_format == "json":
        return entry_of(parse_object(text))
    if line_format != "text":
        return Entry(parse_digits(text, line_format, scheme))
    # Base32, two spaces and a path, as `fingerprint` prints it.
    digits, separator, path = text.partition("  ")
    if not separator:
        raise UnreadableLineError(f"{shown(text)} is not a fingerprint, two spaces and a path")
    return Entry(parse_digits(digits, "base32", scheme), _unescaped(path))


def parse_fingerprint(text: str, scheme: str | None = None) -> Fingerprint:
    """Return the fingerprint of a text in decimal, hexadecimal or base32.

    Args:
        text: the digits, or the text form with its scheme.
        scheme: the scheme of digits that do not name one; None for any.

    Raises:
        UnreadableLineError: it is not a fingerprint.
        SpecError: it is malformed.
    """
    expected = None if scheme is None else get_scheme(scheme)
    form = next((each for each in DIGITS if fits(text, each, expected)), "base32")
    return parse_digits(text, form, expected)


def detect_line_format(lines: list[str], scheme: Scheme | None = None) -> str:
    """Return the format that fits most of the lines; base32 if no format fits any line."""
    counts = {line_format: sum(fits(line, line_format, scheme) for line in lines) for line_format in LINE_FORMATS}
    if not any(counts.values()):
        return "json" if lines and lines[0].startswith("{") else "base32"
    return max(LINE_FORMATS, key=lambda line_format: counts[line_format])


def fits(line: str, line_format: str, scheme: Scheme | None) -> bool:
    """Return True if a line can be read in a format."""
    if not _SHAPES[line_format].match(line):
        return False
    try:
        parse_line(line, line_format, scheme)
    except (UnreadableLineError, SpecError):
        return False
    return True


class Lines:
    """Some lines of one of the `LINE_FORMATS`.

    Attributes:
        unit: what the numbers count, for messages.
        numbers: the number of each line.
        texts: the lines, without white space at their ends.
        form: the form of their digits, one of `DIGITS`.
    """

    unit = "line"

    def __init__(self, texts: list[str], before: int, line_format: str) -> None:
        self.numbers = range(before + 1, before + 1 + len(texts))
        self.texts = texts
        self.form = line_format if line_format in DIGITS else "base32"
        self._format = line_format

    def is_blank(self, at: int) -> bool:
        """Return whether the line at an index is blank."""
        return not self.texts[at]

    def entry(self, at: int, scheme: Scheme | None = None) -> EntryOrError | None:
        """Return the entry of the line at an index, or why it has none; None for a blank line."""
        if self.is_blank(at):
            return None
        text = self.texts[at]
        try:
            return parse_line(text, self._format, scheme)
        except (UnreadableLineError, SpecError) as error:
            other = next((one for one in LINE_FORMATS if fits(text, one, scheme)), None)
            if other is None:
                return error
            return UnreadableLineError(
                f"{shown(text)} has the format {other}, but the file is read as {self._format}, because most of its "
                "first lines are or --input-format says so: write all lines in one format"
            )

    def plain(self, scheme: Scheme) -> tuple[list[str], list[EntryId], list[Any]]:
        """Return the digits, names and supports of the lines; the digits are empty for one with more to check."""
        if self._format == "json":
            return plain_entries(self.texts, scheme)
        names: list[EntryId] = [None] * len(self.texts)
        supports: list[Any] = [None] * len(self.texts)
        if self._format != "text":
            return [*self.texts], names, supports
        digits = [""] * len(self.texts)
        for at, line in enumerate(self.texts):
            text, _, path = line.partition("  ")
            if path:
                digits[at], names[at] = text, _unescaped(path)
        return digits, names, supports


def lines_of(file: BinaryIO, line_format: str) -> Iterator[Lines]:
    """Yield the lines of a file, many at a time; lone surrogates stand for bytes that are not UTF-8."""
    before = 0
    while block := file.read(_BLOCK):
        text = (block + file.readline()).decode("utf-8", "surrogateescape")
        lines = text.removesuffix("\n").split("\n")
        if not before:
            lines[0] = lines[0].removeprefix("\ufeff")
        if not text.isascii() or any(space in text for space in _SPACES):
            lines = [line.strip() for line in lines]
        yield Lines(lines, before, line_format)
        before += len(lines)


def _unescaped(path: str) -> str:
    """Return the path that a line shows; a leading backslash marks one that is escaped."""
    if not path.startswith("\\"):
        return path
    return _ESCAPE.sub(_character, path[1:])


def _character(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED.get(code, code)
