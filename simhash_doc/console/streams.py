"""The standard streams, any of which may be closed or full, a pipe without a reader, or have a limited encoding."""

from __future__ import annotations

import codecs
import io
import os
import sys
from contextlib import suppress

_ERRORS = "simhash-doc-path-or-backslash"


def prepare_streams() -> None:
    """Give every standard stream an open descriptor that waits, and an encoder that accepts every character.

    A closed descriptor would be taken by the next file that is opened, which would then get what is printed. One that
    does not wait, as a parent in Node.js or asyncio passes it, would lose what is more than the pipe holds.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            _reserve(descriptor)
            setattr(sys, name, _opened(descriptor))
        else:
            with suppress(OSError, AttributeError):  # Windows
                os.set_blocking(descriptor, True)
    codecs.register_error(_ERRORS, _path_or_backslash)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ERRORS)


def discard_output() -> None:
    """Let the flush at exit succeed, after a stream could not be written."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _reserve(descriptor: int) -> None:
    """Open a descriptor so that reading standard input or writing standard output fails; messages are discarded."""
    opened = os.open(os.devnull, os.O_RDONLY if descriptor == 1 else os.O_WRONLY)
    if opened != descriptor:
        os.dup2(opened, descriptor)
        os.close(opened)


def _opened(descriptor: int) -> io.TextIOWrapper:
    if descriptor == 0:
        return io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)), encoding="utf-8")
    raw = io.FileIO(descriptor, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), encoding="utf-8", line_buffering=descriptor == 2)


def _path_or_backslash(error: UnicodeError) -> tuple[str | bytes, int]:
    """Encode an undecodable byte of a path as that byte, and any other character as a backslash escape.

    In UTF-16 and UTF-32 such a byte is an escape, too: alone it would be half of a character.
    """
    assert isinstance(error, UnicodeEncodeError)
    character = error.object[error.start]
    if "\udc80" <= character <= "\udcff" and not error.encoding.startswith(("utf-16", "utf-32")):
        return bytes([ord(character) - 0xDC00]), error.start + 1
    return codecs.backslashreplace_errors(
        UnicodeEncodeError(error.encoding, error.object, error.start, error.start + 1, error.reason)
    )
