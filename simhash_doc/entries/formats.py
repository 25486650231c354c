"""The formats of files of fingerprints, detected from their content, and the entries of a file in any of them."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO

from simhash_doc.entries import HOW_TO_COMPUTE, UnreadableInputError
from simhash_doc.entries.csv_files import csv_entries, csv_header
from simhash_doc.entries.entry import FINGERPRINT_COLUMNS, EntryRows
from simhash_doc.entries.line_formats import Lines, detect_line_format, fits, lines_of
from simhash_doc.errors import shown
from simhash_doc.schemes import Scheme

_HEAD = 1 << 16
_SAMPLE_LINES = 1000
PARQUET_MAGIC = b"PAR1"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
# A line that is meant as a fingerprint, and is reported if it is not one.
_ATTEMPT = re.compile(r"sd[0-9]+(\+custom)?:|[0-9a-fA-FxX-]+\Z|\{.*\"(fingerprint|slices|id|path)\"", re.ASCII)
_MISTYPED = re.compile(r"[0-9A-Za-z:+=-]+(  .*)?\Z")  # one line that is not prose, markup or a path
_BINARY = f"it is binary or UTF-16; expected UTF-8 lines with fingerprints, or a Parquet file; {HOW_TO_COMPUTE}"


def entries_of(file: BinaryIO, form: str, *, plain_ids: bool = False) -> Iterator[Lines] | Iterator[EntryRows]:
    """Yield the entries of a file, many at a time.

    Args:
        form: one of `FORMATS`.
        plain_ids: give ids as JSON can hold them: those that are neither texts nor numbers as texts.

    Raises:
        UnreadableInputError: it is not of this format, has no fingerprints, or cannot be read to its end.
    """
    if form == "csv":
        return csv_entries(file)
    if form != "parquet":
        return lines_of(file, form)
    try:
        from simhash_doc.entries.parquet_files import parquet_entries  # later: it needs pyarrow
    except ModuleNotFoundError as error:
        raise UnreadableInputError("a Parquet file needs pyarrow: pip install 'simhash-doc[tables]'") from error
    return parquet_entries(file, plain_ids=plain_ids)


def detected(file: BinaryIO, scheme: Scheme | None = None, input_format: str = "auto") -> tuple[str | None, BinaryIO]:
    """Return the format of a file, one of `FORMATS`, and the file at its original position.

    The format of lines is the one that fits most of the first of them: one in 1,800 fingerprints in hexadecimal has
    only decimal digits.

    Args:
        file: a file or a stream.
        scheme: the scheme of digits that do not name one; None to infer it from their number.
        input_format: its format, or ``auto`` to detect it.

    Returns:
        None as the format if there is nothing but white space.

    Raises:
        UnreadableInputError: it is binary, and not a Parquet file.
    """
    start = file.read(_HEAD)
    head, skipped, breaks = _after_blank(file, start)
    file = _rewound(file, head, skipped, breaks)
    if start.startswith(PARQUET_MAGIC) and b"\0" in start and input_format not in ("auto", "parquet"):
        raise UnreadableInputError(f"it is a Parquet file, not {input_format}")
    if input_format != "parquet" and looks_like_utf16(start):
        raise UnreadableInputError(_BINARY)
    if input_format != "auto":
        return input_format, file
    if start.startswith(PARQUET_MAGIC):
        return "parquet", file
    text = head.decode("utf-8-sig", "replace")
    if len(head) == _HEAD:
        text = text.rpartition("\n")[0] or text
    lines = [*islice(filter(None, map(str.strip, text.split("\n"))), _SAMPLE_LINES)]
    if lines and _is_csv_header(text.lstrip()):
        return "csv", file
    if not lines:
        return None, file
    line_format = detect_line_format(lines, scheme)
    fitting = sum(fits(line, line_format, scheme) for line in lines)
    if not fitting or (line_format == "decimal" and 10 * fitting < len(lines)):  # numbers are in many documents
        _check_is_text(text, lines, fitting)
    return line_format, file


def _check_is_text(text: str, lines: list[str], fitting: int) -> None:
    """Reject a file of which few lines are fingerprints if it is a database, binary or a document."""
    if text.startswith("SQLite format 3\0"):
        raise UnreadableInputError("it is a database; pipe its content: simhash-doc store export --db DATABASE |")
    if "\0" in text:
        raise UnreadableInputError(_BINARY)
    attempts = sum(1 for line in lines if _ATTEMPT.match(line))
    if fitting >= attempts and (len(lines) > 1 or not _MISTYPED.match(lines[0])):
        raise UnreadableInputError(f"no line holds a fingerprint, the first is {shown(lines[0])}; {HOW_TO_COMPUTE}")


def _after_blank(file: BinaryIO, start: bytes) -> tuple[bytes, int, int]:
    """Return the first bytes after white space, how many were skipped, and their line breaks."""
    head, skipped, breaks = start, 0, 0
    while len(head) == _HEAD and len(content := head.removeprefix(codecs.BOM_UTF8).lstrip()) < _HEAD:
        blank = _HEAD - len(content)
        breaks += head.count(b"\n", 0, blank)
        skipped += blank
        head = content + file.read(blank)
    return head, skipped, breaks


def _rewound(file: BinaryIO, head: bytes, skipped: int, breaks: int) -> BinaryIO:
    if file.seekable():
        file.seek(-skipped - len(head), io.SEEK_CUR)
        return file
    return io.BufferedReader(_Prefixed(breaks, head, file))


class _Prefixed(io.RawIOBase):
    """A stream that returns bytes already read from it, then the rest.

    Args:
        breaks: the line breaks before these bytes, which keep the numbers of the lines.
        head: the bytes.
        rest: the stream.
    """

    def __init__(self, breaks: int, head: bytes, rest: BinaryIO) -> None:
        self._breaks, self._head, self._rest = breaks, io.BytesIO(head), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = b"\n" * min(self._breaks, len(buffer))
        self._breaks -= len(data)
        data = data or self._head.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _is_csv_header(text: str) -> bool:
    return not {*FINGERPRINT_COLUMNS}.isdisjoint(csv_header(text, FINGERPRINT_COLUMNS).names)


def looks_like_utf16(head: bytes) -> bool:
    """Return True if a file begins with a byte order mark of UTF-16, or with two ASCII characters in UTF-16."""
    return head.startswith(_UTF16_MARKS) or (head[:4:2] == b"\0\0") != (head[1:4:2] == b"\0\0")
