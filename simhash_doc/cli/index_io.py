"""INDEX as the commands of `simhash-doc index` open, lock and write it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import click

from simhash_doc.cli.outputs import unwritable
from simhash_doc.cli.streams import print_error
from simhash_doc.ingest.entries import Entries
from simhash_doc.ingest.file_lock import exclusive
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.lookup.corpus import Corpus
from simhash_doc.lookup.errors import CorruptIndexError


@contextmanager
def index_lock(index: str) -> Iterator[None]:
    """Let no other command write INDEX before the block ends.

    Raises:
        click.ClickException: another one is writing it, or its directory cannot be written to.
    """
    if index == STANDARD_INPUT:
        raise click.UsageError("INDEX is -, but an index is a file: name it")
    with ExitStack() as stack:
        try:
            stack.enter_context(exclusive(index))
        except BlockingIOError as error:
            raise click.ClickException(
                f"{index}: another process is writing this index; wait until it has finished"
            ) from error
        except OSError as error:
            raise unwritable(index, error) from error
        yield


def open_index(index: str, *, verify: bool = True) -> Corpus:
    """Return the corpus of INDEX.

    Raises:
        click.ClickException: it cannot be read, or is corrupt.
    """
    try:
        return Corpus.open(index, verify=verify)
    except (OSError, CorruptIndexError) as error:
        raise open_error(index, error) from error


def save_index(corpus: Corpus, index: str, what: str, entries: Entries) -> int:
    """Write INDEX, print what was changed, and return the exit status.

    Raises:
        click.ClickException: it cannot be written.
    """
    try:
        corpus.save(index)
    except OSError as error:
        raise unwritable(index, error) from error
    print_error(f"{index}: {what}")
    return 1 if entries.unreadable else 0


def open_error(index: str, error: Exception) -> click.ClickException:
    """Return the error for INDEX that cannot be opened."""
    if index == STANDARD_INPUT:
        return click.ClickException("INDEX is -, but an index cannot be read from standard input: name a file")
    if isinstance(error, OSError):
        return click.ClickException(f"{index}: cannot be read: {error.strerror or error}")
    return click.ClickException(str(error))
