"""`simhash-doc index`: a saved index of fingerprints with the paths of their documents."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from functools import partial

import click

from simhash_doc.cli.documents import bare_option, output_option, printing
from simhash_doc.cli.fingerprint_io import parsed_fingerprint, read_entries
from simhash_doc.cli.groups import SuggestingGroup
from simhash_doc.cli.index_io import index_lock, open_error, open_index, save_index
from simhash_doc.cli.lookup_options import (
    blocks_option,
    distance_option,
    files_argument,
    input_format_option,
    scheme_option,
    search_errors,
)
from simhash_doc.cli.messages import counted
from simhash_doc.cli.outputs import check_outputs, writing
from simhash_doc.cli.row_output import chosen_format, row_format_option, write_json, write_rows
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.entries import render
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.lookup.arrays import scheme_of, to_ints
from simhash_doc.lookup.corpus import Corpus
from simhash_doc.lookup.corpus_entries import count_new_paths, insert_entries, remove_entries
from simhash_doc.lookup.errors import CorruptIndexError
from simhash_doc.lookup.index_file import check_tables, load_corpus
from simhash_doc.lookup.planner import plan

Show = Callable[[Fingerprint], int | str]
_MATCH = {"query": "string", "match": "string", "distance": "uint16", "fingerprint": "string"}

index_argument = click.argument("index", metavar="INDEX")
narrow_option = click.option("--narrow", is_flag=True, help="Narrow wider fingerprints to the scheme of INDEX.")
trust_option = click.option(
    "--trust", is_flag=True, help="Skip the verification of the checksums, which reads the complete file."
)


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
@click.option("--force", is_flag=True, help="Replace INDEX if it exists.")
def build(
    index: str,
    files: tuple[str, ...],
    input_format: str,
    scheme: str | None,
    blocks: int | None,
    distance: int | None,
    force: bool,
) -> int:
    """Write INDEX from the fingerprints of FILE, which is read as find-all reads it.

    Paths or ids of the rows are kept. A line that cannot be read is reported on standard error, all others
    are indexed, and the status is 1; if none can be read, no index is written. The first line whose text
    comes from another extractor than those before is reported as a warning.
    """
    with index_lock(index):
        if os.path.exists(index) and not force:
            raise click.UsageError(f"{index} exists; add to it with `index add`, or replace it with --force")
        entries = read_entries(files, input_format, scheme, narrow=scheme is not None)
        if entries.unreadable and not len(entries.values):
            raise click.ClickException(f"{index}: not written: no line of the input can be read")
        with search_errors():
            corpus = Corpus(blocks, distance, entries.scheme.id)
            plan(entries.values, corpus.distance, blocks=corpus.blocks)  # warns of degenerate distributions
        insert_entries(corpus, entries)
        return save_index(corpus, index, counted(len(corpus), "fingerprint"), entries)


@index.command()
@index_argument
@files_argument
@input_format_option
@narrow_option
def add(index: str, files: tuple[str, ...], input_format: str, narrow: bool) -> int:
    """Add the fingerprints of FILE to INDEX.

    If INDEX already contains a fingerprint, the paths of the new rows are added to it.
    """
    with index_lock(index):
        corpus = open_index(index)
        scheme = corpus.scheme.id
        entries = read_entries(files, input_format, scheme, narrow=narrow, combined_with=corpus.provenances)
        paths = count_new_paths(corpus, entries)
        added = insert_entries(corpus, entries)
        what = counted(added, "fingerprint") + (f" and {counted(paths, 'path')}" if entries.names else "")
        return save_index(corpus, index, f"{what} added, {len(corpus):,} now", entries)


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
    with index_lock(index):
        corpus = open_index(index)
        entries = read_entries(files, input_format, corpus.scheme.id, narrow=narrow)
        removed = remove_entries(corpus, entries)
        parts = [counted(removed.paths, "path")] if entries.names else []
        parts += [counted(removed.fingerprints, "fingerprint")] if removed.unnamed or not parts else []
        now = counted(len(corpus), "fingerprint")
        return save_index(corpus, index, f"{' and '.join(parts)} removed, {now} now", entries)


@index.command()
@index_argument
@click.argument("queries", nargs=-1, metavar="[FINGERPRINT|FILE]...")
@input_format_option
@narrow_option
@row_format_option
@output_option
@bare_option
@trust_option
def query(
    index: str,
    queries: tuple[str, ...],
    input_format: str,
    narrow: bool,
    output_format: str | None,
    output: str,
    bare: bool,
    trust: bool,
) -> int:
    """Print the matches of fingerprints from arguments, from the files FILE, or from standard input.

    An argument that exists as a file is read as find-all reads it. In JSON there is one object for each
    query; in text, CSV and Parquet one row for each match. A match is a stored fingerprint within the
    distance that INDEX was built for, nearest first. The status is 0 with or without matches.
    """
    form = chosen_format(output_format, output)
    check_outputs(output, inputs=(index, *queries))
    corpus = open_index(index, verify=not trust)
    files = tuple(one for one in queries if one == STANDARD_INPUT or os.path.exists(one))
    scheme = corpus.scheme.id
    searched: list[tuple[Fingerprint, str | None]] = [
        (parsed_fingerprint(text, scheme, narrow=narrow), None) for text in queries if text not in files
    ]
    shown_as, unreadable = "base32", 0
    if files or not searched:
        entries = read_entries(files, input_format, scheme, narrow=narrow, combined_with=corpus.provenances)
        names = entries.names or [None] * len(entries.values)
        searched += [
            (entries.fingerprint(value), name) for value, name in zip(to_ints(entries.values), names, strict=True)
        ]
        shown_as, unreadable = entries.format, entries.unreadable
    show = partial(render, form=shown_as, bare=bare)
    if form == "json":
        with writing(output) as file:
            for fingerprint, path in searched:
                write_json(file, _answer(corpus, fingerprint, path, show))
    else:
        write_rows(output, form, _MATCH, _match_rows(corpus, searched, show))
    return 1 if unreadable else 0


@index.command()
@index_argument
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
@output_option
def info(index: str, output_format: str, output: str) -> None:
    """Print the size and the parameters of INDEX, without reading all of it."""
    try:
        saved = load_corpus(index, verify=False)
    except (OSError, CorruptIndexError) as error:
        raise open_error(index, error) from error
    fields: dict[str, int | str] = {
        "scheme": scheme_of(saved.segment.values).id,
        "fingerprints": len(saved.segment),
        "paths": len(saved.ids.values) if saved.ids else 0,
        "distance": saved.blocking.distance,
        "blocks": saved.blocking.blocks,
        "tables": len(saved.segment.tables),
        "bytes": saved.size,
    }
    with printing(output) as show:
        if output_format == "json":
            show(json.dumps({**fields, "provenance": [one.to_dict() for one in saved.provenances]}))
            return
        for name, value in fields.items():
            show(f"{name:<12} {value if isinstance(value, str) else format(value, ','):>15}")


@index.command()
@index_argument
@output_option
def verify(index: str, output: str) -> None:
    """Check INDEX thoroughly.

    Compares all checksums, and checks that the tables are sorted and hold the same fingerprints.
    """
    try:
        saved = load_corpus(index)
        check_tables(index, saved)
    except (OSError, CorruptIndexError) as error:
        raise open_error(index, error) from error
    tables = counted(len(saved.segment.tables), "table")
    with printing(output) as show:
        show(f"{index}: valid: {counted(len(saved.segment), 'fingerprint')} in {tables}")


def _answer(corpus: Corpus, fingerprint: Fingerprint, path: str | None, show: Show) -> dict[str, object]:
    answer: dict[str, object] = {"fingerprint": show(fingerprint)}
    if path is not None:
        answer["path"] = path
    answer["matches"] = [
        {
            "fingerprint": show(Fingerprint(match.value, corpus.scheme.id)),
            "distance": match.distance,
            "paths": list(match.ids),
        }
        for match in corpus.matches(fingerprint)
    ]
    return answer


def _match_rows(
    corpus: Corpus, queries: list[tuple[Fingerprint, str | None]], show: Show
) -> Iterator[tuple[object, ...]]:
    for fingerprint, path in queries:
        for match in corpus.matches(fingerprint):
            found = show(Fingerprint(match.value, corpus.scheme.id))
            for name in match.ids or (found,):
                yield show(fingerprint) if path is None else path, name, match.distance, found
