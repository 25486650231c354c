"""Where the result of a command goes: standard output, or a file that is written atomically."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, cast

from simhash_doc.console import CommandError
from simhash_doc.console.messages import Progress, escape_lines, escape_path, print_error

if TYPE_CHECKING:
    from typing_extensions import Buffer

STANDARD_OUTPUT = "-"
COMPRESSED = ".gz"


def print_exactly(text: str) -> None:
    """Print text unchanged; on a terminal, with its control characters escaped."""
    Progress.clear()
    if not text.isprintable() and sys.stdout.isatty():  # in this order: isatty is a system call for each line
        text = escape_lines(text)
    print(text, flush=True)


def show_problems(
    name: str, problems: Sequence[str], content: str, fields: dict[str, object], output_format: str, output: str
) -> int:
    """Print what the verification of an index or a store found; return the exit status.

    Args:
        name: the index or the database.
        problems: what is wrong with it; empty if it is valid.
        content: what it holds, for people.
        fields: the same for JSON.
        output_format: text or json.
        output: the file, or - for standard output.
    """
    for problem in problems:
        print_error(f"simhash-doc: {problem}")
    if output_format == "json" or not problems:
        import json

        with printing(output) as show:
            found = {"name": name, "valid": not problems, **fields, "problems": list(problems)}
            show(json.dumps(found) if output_format == "json" else f"{escape_path(name)}: valid: {content}")
    return 1 if problems else 0


@contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """Open the output: a file that is written atomically, with gzip for ``.gz``, or standard output for ``-``."""
    if path == STANDARD_OUTPUT:
        Progress.clear()
        yield cast(BinaryIO, _Terminal(sys.stdout.buffer)) if sys.stdout.isatty() else sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    from simhash_doc.files import atomic_write  # not above: a help and an error write no file

    try:
        with atomic_write(path) as file:
            if path.lower().endswith(COMPRESSED):
                import gzip

                with gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
                    yield cast(BinaryIO, packed)
            else:
                yield file
    except OSError as error:
        raise unwritable(path, error) from error


class _Terminal(io.RawIOBase):
    """Writes UTF-8 to a terminal, with the control characters of documents, names and ids escaped."""

    def __init__(self, terminal: BinaryIO) -> None:
        self._terminal = terminal
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")

    def writable(self) -> bool:
        return True

    def write(self, data: Buffer) -> int:
        Progress.clear()
        text = self._decoder.decode(bytes(data)).replace("\r\n", "\n")
        self._terminal.write(escape_lines(text).encode("utf-8", "surrogateescape"))
        self._terminal.flush()
        return memoryview(data).nbytes


@contextmanager
def printing(output: str) -> Iterator[Callable[[str], object]]:
    """Yield a function that prints a line to the output: a file that is written atomically, or standard output for -.

    Raises:
        CommandError: the file cannot be written.
    """
    if output == STANDARD_OUTPUT:
        yield print_exactly
        return
    with writing(output) as file:
        yield lambda line: file.write(f"{line}\n".encode("utf-8", "surrogateescape"))


def unwritable(path: str, error: OSError) -> CommandError:
    """Return the error of an output that cannot be written."""
    return CommandError(f"{path}: cannot be written: {error.strerror or error}")
