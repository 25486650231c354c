"""What commands write: standard streams, messages, progress, and files that are written atomically.

Any of the standard streams may be closed or full, a pipe without a reader, or have a limited encoding.
"""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

import click

from simhash_doc.files import atomic_write, check_writable

if TYPE_CHECKING:
    from simhash_doc.ingest.walk import Selection

STANDARD_OUTPUT = "-"
ROW_FORMATS = ("json", "text", "csv", "parquet")

_QUIET = "simhash_doc.quiet"
_ERRORS = "simhash-doc-path-or-backslash"
# Control characters except the tab, line separators, and those that change the direction of what follows.
_CONTROLS = re.compile("[\x00-\x08\n-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_NAMES = {"\n": "\\n", "\r": "\\r"}
_SHOWN = 10  # of similar messages
_INTERVAL = 0.1  # seconds between two redraws of a progress line
ENDINGS = {
    "": "json", ".jsonl": "json", ".json": "json", ".ndjson": "json", ".csv": "csv", ".txt": "text",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_BATCH = 1 << 16  # rows

output_option = click.option(
    "-o",
    "--output",
    default=STANDARD_OUTPUT,
    metavar="FILE",
    help="Write to FILE, atomically: it is complete, or unchanged.  [default: standard output]",
)
text_or_json_option = click.option(
    "--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True
)
row_format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(list(ROW_FORMATS)),
    help="json: one object per line.  [default: by the extension of the output file, else json]",
)


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
    Progress.clear()
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


def print_exactly(text: str) -> None:
    """Print text unchanged; on a terminal, with its control characters escaped."""
    Progress.clear()
    if sys.stdout.isatty():
        text = "\n".join(map(escape_controls, text.split("\n")))
    click.echo(text, color=True)


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
        with printing(output) as show:
            found = {"name": name, "valid": not problems, **fields, "problems": list(problems)}
            show(json.dumps(found) if output_format == "json" else f"{name}: valid: {content}")
    return 1 if problems else 0


def escape_controls(text: str) -> str:
    r"""Return a text on one line, with control characters as \n, \r, \x1b or \u2028."""
    return _CONTROLS.sub(_escaped, text)


def escape_path(path: str) -> str:
    """Return the path on one line, as `sha256sum` does; a leading backslash marks a path that is escaped.

    Other control characters than line ends are escaped too.
    """
    escaped = escape_controls(path.replace("\\", "\\\\"))
    return path if escaped == path else "\\" + escaped


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, such as "1 document" or "2,000 documents"; `plural` is for other plurals."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


class Messages:
    """Prints messages of several kinds: the first ten of each kind, and with `finish` the number of the others."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._printed: Counter[str] = Counter()

    def show(self, text: str, kind: str, shown: int = _SHOWN) -> None:
        """Print a message.

        Args:
            text: the message.
            kind: what similar messages have in common, as the count at the end shows it.
            shown: maximum number of messages of this kind that are printed.
        """
        self._counts[kind] += 1
        if self._counts[kind] <= shown:
            self._printed[kind] += 1
            print_error(f"simhash-doc: {text}")

    def finish(self) -> None:
        """Print how many messages of each kind were left out."""
        for kind, count in self._counts.items():
            if more := count - self._printed[kind]:
                print_error(f"simhash-doc: {more:,} more: {kind}")
        self._counts.clear()
        self._printed.clear()


class Progress:
    """A line with the number of finished items on standard error, if that is a terminal.

    It disappears when something else is printed.

    Args:
        total: Number of all items; None if it is not known. It may change while items are counted.
        noun: What the items are called.
    """

    _is_drawn: ClassVar[bool] = False

    def __init__(self, total: int | None, noun: str = "") -> None:
        self.total, self._noun = total, noun
        self._done = 0
        self._shown = sys.stderr.isatty() and not is_quiet() and (total is None or total > 1)
        self._redraw_at = time.monotonic() + 5 * _INTERVAL

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.clear()

    @staticmethod
    def clear() -> None:
        """Remove the line before something else is printed."""
        if Progress._is_drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            Progress._is_drawn = False

    def advance(self, count: int = 1) -> None:
        """Count finished items and redraw the line from time to time."""
        self._done += count
        done = f"{self._done:,}" if self.total is None else f"{self._done:,} of {self.total:,}"
        self.show(f"{done} {self._noun}")

    def begin(self, step: str) -> Progress:
        """Draw the line for a step of unknown length at once."""
        self._redraw_at = 0.0
        self.show(step)
        return self

    def show_part(self, what: str, done: int, total: int) -> None:
        """Draw the line for one part of the work."""
        self.show(f"{what}, {done:,} of {total:,}")

    def show(self, line: str) -> None:
        """Draw another line, unless the last one was drawn just now."""
        if self._shown and time.monotonic() >= self._redraw_at:
            sys.stderr.write(f"\r\x1b[K{line}")
            sys.stderr.flush()
            Progress._is_drawn = True
            self._redraw_at = time.monotonic() + _INTERVAL


@contextmanager
def reading(path: str, hint: str = "") -> Iterator[None]:
    """Report an input that cannot be read.

    Raises:
        click.ClickException: instead of the OSError.
    """
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"{path}: cannot be read: {error.strerror or error}{hint}") from error


@contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """Open the output: a file that is written atomically, or standard output for ``-``."""
    if path == STANDARD_OUTPUT:
        Progress.clear()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        with atomic_write(path) as file:
            yield file
    except OSError as error:
        raise unwritable(path, error) from error


class TerminatedError(BaseException):
    """SIGTERM or SIGHUP was received. Not a `SystemExit`, which Hypothesis would treat as a wrong answer."""


@contextmanager
def resumable(kept: Callable[[], str]) -> Iterator[None]:
    """After Ctrl-C or SIGTERM, print what is kept and how to continue.

    Args:
        kept: returns the message; empty if nothing is kept.
    """
    try:
        yield
    except (KeyboardInterrupt, TerminatedError):
        print_error(f"simhash-doc: interrupted; {kept() or 'nothing is kept'}")
        raise


@contextmanager
def printing(output: str) -> Iterator[Callable[[str], object]]:
    """Yield a function that prints a line to the output: a file that is written atomically, or standard output for -.

    Raises:
        click.ClickException: the file cannot be written.
    """
    if output == STANDARD_OUTPUT:
        yield print_exactly
        return
    with writing(output) as file:
        yield lambda line: file.write(f"{line}\n".encode("utf-8", "surrogateescape"))


def check_outputs(
    *paths: str | None,
    inputs: Iterable[str | os.PathLike[str] | None] = (),
    selection: Selection | None = None,
    folders: Iterable[str | os.PathLike[str] | None] = (),
    database: str | None = None,
) -> None:
    """Check, before anything is read, that outputs can be written and replace nothing that the command reads.

    Files are the same if they are one file on the disk: other paths of it, and links to it, count.

    Args:
        paths: the outputs; ``-`` and None are accepted.
        inputs: what the command reads: files, directories of documents, and ``-``; other arguments are ignored.
        selection: which files of the directories are read; None for all documents.
        folders: directories of which every file may be read, such as those of an index; others are ignored.
        database: path or URL of a store. Its journals count even if they do not exist.

    Raises:
        click.ClickException: an output cannot be written, is an input, or is given twice.
    """
    if paths.count(STANDARD_OUTPUT) > 1:
        raise click.UsageError("standard output (-) is given for several outputs; name files for the others")
    files = [path for path in paths if path and path != STANDARD_OUTPUT]
    for path in files:
        try:
            check_writable(path)
        except OSError as error:
            raise unwritable(path, error) from error
    places = [os.path.realpath(path) for path in files]
    read = [os.fspath(one) for one in inputs if one is not None]
    places_read = [os.path.realpath(one) for one in folders if one is not None and os.path.isdir(one)]
    for path, place in zip(files, places, strict=True):
        is_special = os.path.exists(path) and not os.path.isfile(path)
        if places.count(place) > 1 and not is_special:
            raise click.UsageError(f"{path} is given for two outputs; name another file for one of them")
        if database is not None and _belongs_to(database, path):
            raise click.UsageError(f"{path}: belongs to the database, which would be destroyed; choose another output")
        if os.path.isfile(path) and (
            any(_reads(one, path, selection) for one in read)
            or any(Path(place).is_relative_to(one) for one in places_read)
        ):
            raise click.UsageError(f"{path}: is also an input and would be overwritten; choose another output")


def _reads(argument: str, path: str, selection: Selection | None) -> bool:
    from simhash_doc.ingest.walk import ALL, STANDARD_INPUT, is_read  # later: they are slow to load

    if os.path.isdir(argument):
        return is_read(path, argument, selection or ALL)
    if argument == STANDARD_INPUT:
        with suppress(OSError):  # it may be closed
            return os.path.samestat(os.fstat(0), os.stat(path))
    return os.path.isfile(argument) and os.path.samefile(argument, path)


def _belongs_to(database: str, path: str) -> bool:
    try:
        from simhash_doc.store.schema import is_file_of  # later: it is slow to load
    except ModuleNotFoundError:  # reported when the database is opened
        return False
    return is_file_of(database, path)


def unwritable(path: str, error: OSError) -> click.ClickException:
    """Return the error of an output that cannot be written."""
    return click.ClickException(f"{path}: cannot be written: {error.strerror or error}")


def chosen_format(output_format: str | None, output: str) -> str:
    """Return the format of an output: that of --format, else that of its file extension, else JSON.

    Raises:
        click.UsageError: an unknown extension, Parquet for a terminal, or pyarrow is not installed.
    """
    ending = os.path.splitext(output)[1].lower()
    chosen = output_format or ENDINGS.get(ending)
    if chosen is None:
        known = ", ".join(filter(None, ENDINGS))
        raise click.UsageError(f"{output}: unknown extension {ending}; expected one of {known}, or use --format")
    if chosen == "parquet":
        if output == STANDARD_OUTPUT and sys.stdout.isatty():
            raise click.UsageError("--format parquet is binary: write it to a file with -o FILE")
        try:
            import pyarrow  # noqa: F401
        except ModuleNotFoundError as error:
            raise click.ClickException("--format parquet needs pyarrow: pip install 'simhash-doc[tables]'") from error
    return chosen


def write_rows(
    output: str,
    form: str,
    columns: dict[str, str],
    rows: Iterable[tuple[Any, ...]],
    metadata: Callable[[], dict[bytes, str]] = dict,
) -> None:
    """Write rows.

    Args:
        output: path of the file, or ``-`` for standard output.
        form: one of `ROW_FORMATS`; text has the numbers first and no header.
        columns: names of the columns, and for Parquet their Arrow types, such as ``string``.
        rows: the values of each row, in the order of the columns.
        metadata: returns the metadata of Parquet, after the first rows were taken.

    Raises:
        click.ClickException: the file cannot be written.
    """
    with writing(output) as file:
        if form == "parquet":
            _write_parquet(file, columns, rows, metadata)
        elif form == "csv":
            _write_csv(file, columns, rows)
        elif form == "text":
            numbers = [at for at, kind in enumerate(columns.values()) if kind != "string"]
            texts = [at for at, kind in enumerate(columns.values()) if kind == "string"]
            for row in rows:
                cells = [*(f"{row[at]:3}" for at in numbers), *(escape_path(str(row[at])) for at in texts)]
                file.write(("  ".join(cells) + "\n").encode("utf-8", "surrogateescape"))
        else:
            for row in rows:
                write_json(file, dict(zip(columns, row, strict=True)))


def write_json(file: BinaryIO, fields: dict[str, Any]) -> None:
    """Write an object as one line of JSON."""
    file.write((json.dumps(fields) + "\n").encode("ascii"))


def _write_csv(file: BinaryIO, columns: dict[str, str], rows: Iterable[tuple[Any, ...]]) -> None:
    text = io.TextIOWrapper(file, "utf-8", "surrogateescape", newline="")
    try:
        writer = csv.writer(text)
        writer.writerow(columns)
        writer.writerows(rows)
    finally:
        text.detach()


def _write_parquet(
    file: BinaryIO, columns: dict[str, str], rows: Iterable[tuple[Any, ...]], metadata: Callable[[], dict[bytes, str]]
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rest = iter(rows)
    part = list(islice(rest, _BATCH))
    schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in columns.items()], metadata())
    with pq.ParquetWriter(file, schema) as writer:
        while part:
            values = zip(schema.types, zip(*part, strict=True), strict=True)
            arrays = [pa.array(map(_text, column) if kind == pa.string() else column, kind) for kind, column in values]
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            part = list(islice(rest, _BATCH))


def _text(value: object) -> str | None:
    return None if value is None else str(value).encode("utf-8", "replace").decode()


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
