"""The standard streams: any of them may be closed or full, a pipe without a reader, or have a limited encoding."""

from __future__ import annotations

import codecs
import io
import os
import re
import sys
from contextlib import suppress

import click

_QUIET = "simhash_doc.quiet"
_ERRORS = "simhash-doc-path-or-backslash"
# Control characters except the tab, line separators, and those that change the direction of what follows.
_CONTROLS = re.compile("[\x00-\x08\n-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_NAMES = {"\n": "\\n", "\r": "\\r"}


def prepare_streams() -> None:
    """Give every standard stream an open descriptor, and an encoder that accepts every character.

    A closed descriptor would be taken by the next file that is opened, which would then get what is printed.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            _reserve(descriptor)
            setattr(sys, name, _opened(descriptor))
    codecs.register_error(_ERRORS, _path_or_backslash)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ERRORS)


def discard_output() -> None:
    """Let the flush at exit succeed, after a stream could not be written."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_error(message: str) -> None:
    """Print a message on one line of standard error, with control characters of paths and texts escaped."""
    click.echo(escape_controls(message), err=True)


def print_notice(message: str) -> None:
    """Print a message that is not an error, unless the command was called with --quiet."""
    if not is_quiet():
        print_error(message)


def is_quiet() -> bool:
    """Return True if the command was called with --quiet."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_QUIET))


def _set_quiet(context: click.Context, parameter: click.Parameter, quiet: bool) -> None:
    context.meta[_QUIET] = quiet


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_set_quiet,
    help="On standard error, print only errors: no warnings, counts or progress.",
)


def print_exactly(text: str, *, nl: bool = True) -> None:
    """Print text unchanged; on a terminal, with its control characters escaped."""
    if sys.stdout.isatty():
        text = "\n".join(map(escape_controls, text.split("\n")))
    click.echo(text, nl=nl, color=True)


def escape_controls(text: str) -> str:
    r"""Return a text on one line, with control characters as \n, \r, \x1b or \u2028."""
    return _CONTROLS.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    code = ord(character)
    return _NAMES.get(character) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


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
    """Encode an undecodable byte of a path as that byte, and any other character as a backslash escape."""
    assert isinstance(error, UnicodeEncodeError)
    character = error.object[error.start]
    if "\udc80" <= character <= "\udcff":
        return bytes([ord(character) - 0xDC00]), error.start + 1
    return codecs.backslashreplace_errors(
        UnicodeEncodeError(error.encoding, error.object, error.start, error.start + 1, error.reason)
    )
