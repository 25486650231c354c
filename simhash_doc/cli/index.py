"""`simhash-doc index`: a saved index of fingerprints with the paths of their documents."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext

import click

from simhash_doc.cli import SuggestingGroup
from simhash_doc.cli.fingerprint_io import read_entries
from simhash_doc.cli.index_query import check_name, index_argument, narrow_option, open_error, open_index, query
from simhash_doc.cli.lookup_options import (
    blocks_option,
    distance_option,
    files_argument,
    input_format_option,
    scheme_option,
    search_errors,
)
from simhash_doc.cli.output import counted, output_option, print_error, printing, unwritable
from simhash_doc.files import exclusive
from simhash_doc.lookup.corpus import Corpus
from simhash_doc.lookup.directory import MANIFEST, find_problems
from simhash_doc.lookup.errors import CorruptIndexError
from simhash_doc.lookup.planning import plan
from simhash_doc.lookup.segments import SegmentPart


@click.group(
    cls=SuggestingGroup,
    epilog="""\b
Examples:
  simhash-doc fingerprint --format json articles/ | simhash-doc index build articles.sdix
  simhash-doc fingerprint --format json new/ | simhash-doc index add articles.sdix
  simhash-doc index query articles.sdix larqgiqsckcca
""",
)
def index() -> None:
    """Build, change and query a saved index of fingerprints of one scheme."""


@index.command()
@index_argument
@files_argument
@input_format_option
@scheme_option
@blocks_option
@distance_option
@click.option(
    "--segmented",
    is_flag=True,
    help="Write INDEX as a directory. A change then takes time in proportion to what is changed.",
)
@click.option("--force", is_flag=True, help="Replace INDEX if it exists.")
def build(
    index: str,
    files: tuple[str, ...],
    input_format: str,
    scheme: str | None,
    blocks: int | None,
    distance: int | None,
    segmented: bool,
    force: bool,
) -> int:
    """Write INDEX from the fingerprints of FILE, which is read as find-all reads it.

    Paths or ids of the rows are kept. A line that cannot be read is reported on standard error, all others
    are indexed, and the status is 1; if none can be read, no index is written. The first line whose text
    comes from another extractor than those before is reported as a warning.
    """
    # The lock of a directory is in the directory, which appears with its content.
    with nullcontext() if segmented else _file_lock(index):
        _check_new(index, segmented=segmented, force=force)
        entries = read_entries(files, input_format, scheme, narrow=scheme is not None)
        if entries.unreadable and not len(entries.values):
            raise click.ClickException(f"{index}: not written: no line of the input can be read")
        with search_errors():
            corpus = Corpus(blocks, distance, entries.scheme.id)
            plan(entries.values, corpus.distance, blocks=corpus.blocks)  # warns of degenerate distributions
        with _write_errors(index):
            if segmented:
                corpus = Corpus.build(
                    index,
                    entries.values,
                    entries.names,
                    blocks=corpus.blocks,
                    distance=corpus.distance,
                    scheme=corpus.scheme.id,
                    provenances=entries.provenances,
                    force=force,
                )
            else:
                corpus.insert_bulk(entries.values, entries.names, provenances=entries.provenances)
                corpus.save(index)
    print_error(f"{index}: {counted(len(corpus), 'fingerprint')}")
    return 1 if entries.unreadable else 0


@index.command()
@index_argument
@files_argument
@input_format_option
@narrow_option
def add(index: str, files: tuple[str, ...], input_format: str, narrow: bool) -> int:
    """Add the fingerprints of FILE to INDEX.

    If INDEX already contains a fingerprint, the paths of the new rows are added to it.
    """
    with _changed(index) as corpus:
        entries = read_entries(files, input_format, corpus.scheme.id, narrow=narrow, combined_with=corpus.provenances)
        paths = corpus.id_count
        with _write_errors(index):
            added = corpus.insert_bulk(entries.values, entries.names, provenances=entries.provenances)
            _save(corpus, index)
        paths = corpus.id_count - paths
        what = counted(added, "fingerprint") + (f" and {counted(paths, 'path')}" if entries.names else "")
        print_error(f"{index}: {what} added, {len(corpus):,} now")
    return 1 if entries.unreadable else 0


@index.command()
@index_argument
@files_argument
@input_format_option
@narrow_option
def remove(index: str, files: tuple[str, ...], input_format: str, narrow: bool) -> int:
    """Remove the fingerprints of FILE from INDEX.

    A line without a path removes the fingerprint with all its paths. One with a path removes only its path,
    and the fingerprint with its last path. Rows that INDEX does not contain are skipped.
    """
    with _changed(index) as corpus:
        entries = read_entries(files, input_format, corpus.scheme.id, narrow=narrow)
        with _write_errors(index):
            removed = corpus.remove_bulk(entries.values, entries.names)
            _save(corpus, index)
        has_unnamed = entries.names is None or None in entries.names
        parts = [counted(removed.ids, "path")] if entries.names else []
        parts += [counted(removed.fingerprints, "fingerprint")] if has_unnamed or not parts else []
        print_error(f"{index}: {' and '.join(parts)} removed, {counted(len(corpus), 'fingerprint')} now")
    return 1 if entries.unreadable else 0


@index.command()
@index_argument
def merge(index: str) -> None:
    """Merge all segments of INDEX, a directory, into one.

    Queries become faster. `add` and `remove` merge segments, too, but only some of them, when there are many.
    """
    with _changed(index) as corpus:
        if corpus.directory is None:
            raise click.UsageError(f"{index} is a file, which has no segments; see `index build --segmented`")
        before = len(corpus.parts)
        with _write_errors(index):
            corpus.merge()
        print_error(f"{index}: {counted(before, 'part')} merged, {counted(len(corpus), 'fingerprint')}")


@index.command()
@index_argument
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@output_option
def info(index: str, output_format: str, output: str) -> None:
    """Print the size and the parameters of INDEX, without reading all of it."""
    corpus = open_index(index, verify=False)
    files = [os.path.join(index, name) for name in corpus.files()] or [index]
    fields: dict[str, int | str] = {
        "scheme": corpus.scheme.id,
        "fingerprints": len(corpus),
        "paths": corpus.id_count,
        "distance": corpus.distance,
        "blocks": corpus.blocks,
        "tables": corpus.tables,
        "bytes": sum(map(os.path.getsize, files)),
    }
    if corpus.directory:
        segments = [part for part in corpus.parts if isinstance(part, SegmentPart)]
        fields |= {"segments": len(segments), "removed": sum(len(part.values) for part in segments) - len(corpus)}
    with printing(output) as show:
        if output_format == "json":
            show(json.dumps({**fields, "provenance": [one.to_dict() for one in corpus.provenances]}))
            return
        for name, value in fields.items():
            show(f"{name:<12} {value if isinstance(value, str) else format(value, ','):>15}")


@index.command()
@index_argument
@output_option
def verify(index: str, output: str) -> None:
    """Check INDEX thoroughly.

    Compares all checksums, and checks that the tables are sorted and hold the same fingerprints. Of a directory, every
    file that is corrupt or missing is reported.
    """
    try:
        problems = find_problems(index)
    except (OSError, CorruptIndexError) as error:
        raise open_error(index, error) from error
    if problems:
        raise click.ClickException("\n".join(problems))
    corpus = open_index(index, verify=False)
    segments = sum(isinstance(part, SegmentPart) for part in corpus.parts)
    where = counted(segments, "segment") if corpus.directory else counted(corpus.tables, "table")
    with printing(output) as show:
        show(f"{index}: valid: {counted(len(corpus), 'fingerprint')} in {where}")


index.add_command(query)


def _check_new(index: str, *, segmented: bool, force: bool) -> None:
    """Check that an index can be written without replacing what should be kept."""
    check_name(index)
    if os.path.isdir(index) and not segmented:
        raise click.UsageError(f"{index} is a directory; name a file, or write a directory with --segmented")
    if os.path.isfile(index) and segmented:
        raise click.UsageError(f"{index} is a file; remove it, or name a new directory")
    if not force and os.path.exists(os.path.join(index, MANIFEST) if segmented else index):
        raise click.UsageError(f"{index} exists; add to it with `index add`, or replace it with --force")


@contextmanager
def _changed(index: str) -> Iterator[Corpus]:
    """Yield the corpus of INDEX, which no other command changes before the block ends.

    Raises:
        click.ClickException: another command is writing it, or it cannot be read, or is corrupt.
    """
    with ExitStack() as stack:
        if os.path.isdir(index):
            corpus = open_index(index, verify=False)
            with _write_errors(index):
                stack.enter_context(corpus.exclusive())
        else:
            stack.enter_context(_file_lock(index))
            corpus = open_index(index)
        yield corpus


def _save(corpus: Corpus, index: str) -> None:
    """Write the changes of a corpus; those of one in a directory are written as they happen."""
    if corpus.directory is None:
        corpus.save(index)


@contextmanager
def _file_lock(index: str) -> Iterator[None]:
    """Let no other command write INDEX, a file, before the block ends.

    Raises:
        click.ClickException: another one is writing it, or its directory cannot be written to.
    """
    check_name(index)
    with ExitStack() as stack:
        with _write_errors(index):
            stack.enter_context(exclusive(index))
        yield


@contextmanager
def _write_errors(index: str) -> Iterator[None]:
    """Report an INDEX that cannot be written.

    Raises:
        click.ClickException: instead of the error.
    """
    try:
        yield
    except BlockingIOError as error:
        what = "another process is writing this index; wait until it has finished"
        raise click.ClickException(f"{index}: {what}") from error
    except OSError as error:
        raise unwritable(index, error) from error
    except CorruptIndexError as error:
        raise open_error(index, error) from error
