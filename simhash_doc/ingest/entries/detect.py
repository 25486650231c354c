"""The format of a file with fingerprints, from its first bytes."""

from __future__ import annotations

import io
from typing import BinaryIO

from simhash_doc.ingest.entries.lines import detect_line_format, fits
from simhash_doc.ingest.entries.tables import PARQUET_MAGIC, is_csv_header
from simhash_doc.ingest.errors import UnreadableInputError
from simhash_doc.schemes import Scheme

_HEAD = 1 << 16
_SAMPLE_LINES = 1000


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
    head = file.read(_HEAD)
    file = _rewound(file, head)
    if head.startswith(PARQUET_MAGIC) and b"\0" in head and input_format not in ("auto", "parquet"):
        raise UnreadableInputError(f"it is a Parquet file, not {input_format}")
    if input_format != "auto":
        return input_format, file
    if head.startswith(PARQUET_MAGIC):
        return "parquet", file
    text = head.decode("utf-8-sig", "replace")
    if len(head) == _HEAD:
        text = text.rpartition("\n")[0] or text
    lines = [line for line in (line.strip() for line in text.split("\n")[:_SAMPLE_LINES]) if line]
    if lines and is_csv_header(lines[0]):
        return "csv", file
    if not lines:
        return None, file
    line_format = detect_line_format(lines, scheme)
    if "\0" in text and not any(fits(line, line_format, scheme) for line in lines):
        raise UnreadableInputError("it is binary or UTF-16; expected UTF-8 lines with fingerprints, or a Parquet file")
    return line_format, file


def _rewound(file: BinaryIO, head: bytes) -> BinaryIO:
    if file.seekable():
        file.seek(-len(head), io.SEEK_CUR)
        return file
    return io.BufferedReader(_Prefixed(head, file))


class _Prefixed(io.RawIOBase):
    """A stream that returns bytes already read from it, then the rest."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = io.BytesIO(head), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._head.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)
