"""INDEX as the commands of `simhash-doc index` open, lock and write it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial

import click

from simhash_doc.cli.outputs import unwritable
from simhash_doc.files import exclusive
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.lookup.corpus import Corpus
from simhash_doc.lookup.corpus_entries import AnyCorpus
from simhash_doc.lookup.errors import CorruptIndexError
from simhash_doc.lookup.segmented.corpus import SegmentedCorpus

index_argument = click.argument("index", metavar="INDEX")
narrow_option = click.option("--narrow", is_flag=True, help="Narrow wider fingerprints to the scheme of INDEX.")


@contextmanager
def index_lock(index: str) -> Iterator[None]:
    """Let no other command write INDEX before the block ends.

    Raises:
        click.ClickException: another one is writing it, or its directory cannot be written to.
    """
    check_name(index)
    with _locked(index, lambda: exclusive(index)):
        yield


def check_name(index: str) -> None:
    """Reject standard output as INDEX."""
    if index == STANDARD_INPUT:
        raise click.UsageError("INDEX is -, but an index is a file: name it")


@contextmanager
def changed_index(index: str) -> Iterator[tuple[AnyCorpus, Callable[[], None]]]:
    """Yield the corpus of INDEX, which no other command changes before the block ends, and what writes its changes.

    The changes of a directory are written as they happen.

    Raises:
        click.ClickException: another command is writing it, or it cannot be read, or is corrupt.
    """
    if os.path.isdir(index):
        corpus = open_index(index, verify=False)
        assert isinstance(corpus, SegmentedCorpus)
        with _locked(index, corpus.exclusive):
            yield corpus, lambda: None
        return
    with index_lock(index):
        corpus = open_index(index)
        assert isinstance(corpus, Corpus)
        yield corpus, partial(corpus.save, index)


@contextmanager
def write_errors(index: str) -> Iterator[None]:
    """Report an INDEX that cannot be written.

    Raises:
        click.ClickException: instead of the error.
    """
    try:
        yield
    except BlockingIOError as error:
        raise _locked_error(index) from error
    except OSError as error:
        raise unwritable(index, error) from error
    except CorruptIndexError as error:
        raise open_error(index, error) from error


def open_index(index: str, *, verify: bool = True) -> AnyCorpus:
    """Return the corpus of INDEX.

    Raises:
        click.ClickException: it cannot be read, or is corrupt.
    """
    try:
        return (SegmentedCorpus if os.path.isdir(index) else Corpus).open(index, verify=verify)
    except (OSError, CorruptIndexError) as error:
        raise open_error(index, error) from error


def open_error(index: str, error: Exception) -> click.ClickException:
    """Return the error for INDEX that cannot be opened."""
    if index == STANDARD_INPUT:
        return click.ClickException("INDEX is -, but an index cannot be read from standard input: name a file")
    if isinstance(error, OSError):
        return click.ClickException(f"{index}: cannot be read: {error.strerror or error}")
    return click.ClickException(str(error))


@contextmanager
def _locked(index: str, lock: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    with ExitStack() as stack:
        with write_errors(index):
            stack.enter_context(lock())
        yield


def _locked_error(index: str) -> click.ClickException:
    return click.ClickException(f"{index}: another process is writing this index; wait until it has finished")
