"""Reading documents for the command line: which files, whether they are text, and their fingerprints."""

from __future__ import annotations

import codecs
import io
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from simhash_doc.accumulator import Accumulator
from simhash_doc.api import Trace, trace
from simhash_doc.errors import NoTokenError, SimhashDocError
from simhash_doc.value import Fingerprint

STANDARD_INPUT = "-"
_BLOCK = 1 << 20
_SNIFFED = 1 << 16
_CONTROLS = bytes(set(range(0x20)) - set(b"\t\n\v\f\r\b\x1b"))
_SIGNATURES = {
    b"%PDF-": "a PDF file",
    b"PK\x03\x04": "a ZIP archive (such as DOCX, ODT or EPUB)",
    b"\x1f\x8b": "a gzip file",
    b"\xff\xfe": "UTF-16 text",
    b"\xfe\xff": "UTF-16 text",
}


class UnreadableError(SimhashDocError):
    """A document that cannot be read as text."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one document: a fingerprint or an error, and warnings."""

    path: str
    scheme: str
    fingerprint: Fingerprint | None = None
    tokens: int = 0
    distinct_tokens: int = 0
    error: str | None = None
    warnings: tuple[str, ...] = ()
    trace: Trace | None = None


def walk(paths: Iterable[str]) -> Iterator[str]:
    """Yield the paths, each directory replaced by the files below it, in order of their names.

    Hidden entries of a directory (name begins with a dot) are left out, and links to directories
    are not followed. A path that does not exist is yielded as it is, to fail when it is read.
    """
    for path in paths:
        if path != STANDARD_INPUT and os.path.isdir(path):
            for folder, subfolders, names in os.walk(path):
                subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
                yield from (os.path.join(folder, name) for name in sorted(names) if not name.startswith("."))
        else:
            yield path


def escaped(path: str) -> str:
    """Return the path on one line, as `sha256sum` and its kin do: a leading backslash says that it is escaped."""
    if "\n" not in path and "\\" not in path:
        return path
    return "\\" + path.replace("\\", "\\\\").replace("\n", "\\n")


def open_document(path: str) -> BinaryIO:
    return os.fdopen(sys.stdin.fileno(), "rb", closefd=False) if path == STANDARD_INPUT else Path(path).open("rb")


def check_text(start: bytes) -> None:
    """Refuse a document whose first bytes are not those of UTF-8 text.

    Raises:
        UnreadableError: with what it looks like.
    """
    for signature, kind in _SIGNATURES.items():
        if start.startswith(signature):
            raise UnreadableError(f"is {kind}, not UTF-8 text: extract or convert its text first")
    if b"\0" in start:
        raise UnreadableError(f"is a binary file, not UTF-8 text: it has a zero byte at offset {start.index(0)}")
    controls = len(start) - len(start.translate(None, _CONTROLS))
    if 10 * controls > len(start):
        raise UnreadableError(
            f"is a binary file, not UTF-8 text: {controls} of its first {len(start)} bytes are controls"
        )


class Utf8Check:
    """Finds the first byte that is ill-formed in UTF-8 given in blocks."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._read = 0
        self.first_bad_byte: int | None = None

    def feed(self, block: bytes, *, final: bool = False) -> None:
        if self.first_bad_byte is not None:
            return
        held_back = len(self._decoder.getstate()[0])
        try:
            self._decoder.decode(block, final)
        except UnicodeDecodeError as error:
            self.first_bad_byte = self._read - held_back + error.start
        self._read += len(block)


def fingerprint_document(path: str, scheme: str, *, traced: bool = False) -> Outcome:
    """Return the fingerprint of a text file, read block by block; a failure is part of the outcome.

    With `traced`, the whole file is kept in memory and the outcome has its trace.
    """
    accumulator, check = Accumulator(scheme), Utf8Check()
    kept = io.BytesIO()
    try:
        with open_document(path) as file:
            check_text(block := file.read(_SNIFFED))
            while block:
                check.feed(block)
                accumulator.update(block)
                if traced:
                    kept.write(block)
                block = file.read(_BLOCK)
        check.feed(b"", final=True)
    except OSError as error:
        return Outcome(path, scheme, error=f"cannot be read: {error.strerror or error}")
    except UnreadableError as error:
        return Outcome(path, scheme, error=str(error))
    warnings: tuple[str, ...] = ()
    if check.first_bad_byte is not None:
        where = f"first bad byte at offset {check.first_bad_byte}"
        warnings = (f"is not well-formed UTF-8: {where}; each ill-formed part counts as U+FFFD",)
    outcome = Outcome(path, scheme, warnings=warnings, trace=trace(kept.getvalue(), scheme) if traced else None)
    counts = accumulator.counts()
    try:
        made = accumulator.fingerprint()
    except NoTokenError:
        return replace(outcome, error="has no fingerprint: it holds no token (no word outside links)")
    return replace(outcome, fingerprint=made, tokens=counts.total, distinct_tokens=counts.distinct())
