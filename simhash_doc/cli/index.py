"""`simhash-doc index`: a saved index of fingerprints with the paths of their documents."""

from __future__ import annotations

import os
from contextlib import nullcontext

import click

from simhash_doc.cli.fingerprint_io import read_entries
from simhash_doc.cli.groups import SuggestingGroup
from simhash_doc.cli.index_check import info, verify
from simhash_doc.cli.index_io import (
    changed_index,
    check_name,
    index_argument,
    index_lock,
    narrow_option,
    open_index,
    write_errors,
)
from simhash_doc.cli.index_query import query
from simhash_doc.cli.lookup_options import (
    blocks_option,
    distance_option,
    files_argument,
    input_format_option,
    scheme_option,
    search_errors,
)
from simhash_doc.cli.messages import counted
from simhash_doc.cli.streams import print_error
from simhash_doc.lookup.corpus import Corpus
from simhash_doc.lookup.corpus_entries import count_new_paths, insert_entries, remove_entries
from simhash_doc.lookup.planner import plan
from simhash_doc.lookup.segmented.conversion import convert_file
from simhash_doc.lookup.segmented.corpus import SegmentedCorpus


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
    with nullcontext() if segmented else index_lock(index):
        _check_new(index, segmented=segmented, force=force)
        entries = read_entries(files, input_format, scheme, narrow=scheme is not None)
        if entries.unreadable and not len(entries.values):
            raise click.ClickException(f"{index}: not written: no line of the input can be read")
        with search_errors():
            corpus = Corpus(blocks, distance, entries.scheme.id)
            plan(entries.values, corpus.distance, blocks=corpus.blocks)  # warns of degenerate distributions
        with write_errors(index):
            if segmented:
                count = len(
                    SegmentedCorpus.build(
                        index,
                        entries.values,
                        entries.names,
                        blocks=corpus.blocks,
                        distance=corpus.distance,
                        scheme=corpus.scheme.id,
                        provenances=entries.provenances,
                        force=force,
                    )
                )
            else:
                count = insert_entries(corpus, entries)
                corpus.save(index)
    print_error(f"{index}: {counted(count, 'fingerprint')}")
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
    with changed_index(index) as (corpus, save):
        scheme = corpus.scheme.id
        entries = read_entries(files, input_format, scheme, narrow=narrow, combined_with=corpus.provenances)
        paths = count_new_paths(corpus, entries)
        with write_errors(index):
            added = insert_entries(corpus, entries)
            save()
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
    with changed_index(index) as (corpus, save):
        entries = read_entries(files, input_format, corpus.scheme.id, narrow=narrow)
        with write_errors(index):
            removed = remove_entries(corpus, entries)
            save()
        parts = [counted(removed.paths, "path")] if entries.names else []
        parts += [counted(removed.fingerprints, "fingerprint")] if removed.unnamed or not parts else []
        print_error(f"{index}: {' and '.join(parts)} removed, {counted(len(corpus), 'fingerprint')} now")
    return 1 if entries.unreadable else 0


@index.command()
@index_argument
def merge(index: str) -> None:
    """Merge all segments of INDEX, a directory, into one.

    Queries become faster. `add` and `remove` merge segments, too, but only some of them, when there are many.
    """
    with changed_index(index) as (corpus, _):
        if not isinstance(corpus, SegmentedCorpus):
            raise click.UsageError(f"{index} is a file, which has no segments; see `index build --segmented`")
        before = len(corpus.manifest.parts)
        with write_errors(index):
            corpus.merge()
        print_error(f"{index}: {counted(before, 'part')} merged, {counted(len(corpus), 'fingerprint')}")


@index.command()
@click.argument("file", metavar="FILE")
@index_argument
@click.option("--force", is_flag=True, help="Replace INDEX if it exists.")
def convert(file: str, index: str, force: bool) -> None:
    """Write the index FILE as a directory INDEX, as `index build --segmented` does.

    FILE is copied, so this takes less time than a build. FILE stays as it is.
    """
    _check_new(index, segmented=True, force=force)
    if os.path.isdir(file):
        raise click.UsageError(f"{file} is a directory; name an index file")
    open_index(file, verify=False)  # reports a file that cannot be read
    with search_errors(), write_errors(index):
        corpus = convert_file(file, index, force=force)
    print_error(f"{index}: {counted(len(corpus), 'fingerprint')}")


def _check_new(index: str, *, segmented: bool, force: bool) -> None:
    """Check that an index can be written without replacing what should be kept."""
    check_name(index)
    if os.path.isdir(index) and not segmented:
        raise click.UsageError(f"{index} is a directory; name a file, or write a directory with --segmented")
    if os.path.isfile(index) and segmented:
        raise click.UsageError(f"{index} is a file; remove it, or name a new directory")
    if not force and (SegmentedCorpus.is_at(index) if segmented else os.path.exists(index)):
        raise click.UsageError(f"{index} exists; add to it with `index add`, or replace it with --force")


for command in (query, info, verify):
    index.add_command(command)
