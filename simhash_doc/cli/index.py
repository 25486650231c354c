"""`simhash-doc index`: a saved index of fingerprints with the paths of their documents."""

from __future__ import annotations

import json
import os

import click

from simhash_doc.cli.documents import bare_option
from simhash_doc.cli.fingerprint_io import parsed_fingerprint, read_entries, writing
from simhash_doc.cli.lookup_options import (
    blocks_option,
    distance_option,
    input_format_option,
    input_option,
    output_option,
    search_errors,
)
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.sources import STANDARD_INPUT
from simhash_doc.lookup.arrays import scheme_of, to_ints
from simhash_doc.lookup.corpus import Corpus
from simhash_doc.lookup.entries import Entries, render
from simhash_doc.lookup.errors import CorruptIndexError
from simhash_doc.lookup.index_file import check_tables, load_corpus
from simhash_doc.lookup.planner import plan

index_argument = click.argument("index", metavar="INDEX")
trust_option = click.option(
    "--trust", is_flag=True, help="Skip the checksums, which are read from all of the file: faster for a large index."
)


@click.group(
    epilog="""\b
Examples:
  simhash-doc fingerprint --format json articles/ | simhash-doc index build articles.sdix
  simhash-doc fingerprint --format json new/ | simhash-doc index add articles.sdix
  simhash-doc index query articles.sdix larqgiqsckcca
"""
)
def index() -> None:
    """Build, change and query a saved index of fingerprints of one scheme."""


@index.command()
@index_argument
@input_option
@input_format_option
@blocks_option
@distance_option
@click.option("--force", is_flag=True, help="Replace INDEX if it exists.")
def build(index: str, source: str, input_format: str, blocks: int | None, distance: int | None, force: bool) -> int:
    """Write INDEX from fingerprints.

    A line is a JSON object with the path of its document, or a fingerprint of any scheme in decimal (sd64
    only), hexadecimal or base32; all lines have the same scheme. A line that cannot be read is reported on
    standard error, all others are indexed, and the status is 1. The first line whose text comes from another
    extractor than those before is reported as a warning.
    """
    if os.path.exists(index) and not force:
        raise click.UsageError(f"{index} exists; add to it with `index add`, or replace it with --force")
    entries = read_entries(source, input_format)
    with search_errors():
        corpus = Corpus(blocks, distance, entries.scheme.id)
        plan(entries.values, corpus.distance, blocks=corpus.blocks)  # warns of degenerate distributions
    corpus.insert_bulk(entries.values, entries.paths)
    corpus.provenances = entries.provenances
    return _saved(corpus, index, _counted(len(corpus), "fingerprint"), entries)


@index.command()
@index_argument
@input_option
@input_format_option
def add(index: str, source: str, input_format: str) -> int:
    """Add fingerprints to INDEX.

    Fingerprints that it contains already get further paths if the lines are JSON.
    """
    corpus = _opened(index)
    entries = read_entries(source, input_format, corpus.scheme.id, corpus.provenances)
    added = corpus.insert_bulk(entries.values, entries.paths)
    corpus.provenances = entries.provenances
    return _saved(corpus, index, f"{_counted(added, 'fingerprint')} added, {len(corpus)} now", entries)


@index.command()
@index_argument
@input_option
@input_format_option
def remove(index: str, source: str, input_format: str) -> int:
    """Remove fingerprints from INDEX.

    A line without a path removes the fingerprint with all its paths. A JSON line removes only its path,
    and the fingerprint with its last path. What INDEX does not contain is skipped.
    """
    corpus = _opened(index)
    entries = read_entries(source, input_format, corpus.scheme.id)
    removed = corpus.remove_bulk(entries.values, entries.paths)
    noun = "fingerprint" if entries.paths is None else "path"
    return _saved(
        corpus, index, f"{_counted(removed, noun)} removed, {_counted(len(corpus), 'fingerprint')} now", entries
    )


@index.command()
@index_argument
@click.argument("fingerprints", nargs=-1, metavar="[FINGERPRINT]...")
@input_option
@input_format_option
@output_option
@bare_option
@trust_option
def query(
    index: str,
    fingerprints: tuple[str, ...],
    source: str,
    input_format: str,
    output: str,
    bare: bool,
    trust: bool,
) -> int:
    """Print the matches of fingerprints.

    The output is a JSON object for each FINGERPRINT, or for each line of the input. A match is a
    stored fingerprint within the distance that INDEX was built for, nearest first. The status
    is 0 with or without matches.
    """
    corpus = _opened(index, verify=not trust)
    if fingerprints:
        asked: list[tuple[Fingerprint, str | None]] = [
            (parsed_fingerprint(text, corpus.scheme.id), None) for text in fingerprints
        ]
        line_format, unreadable = "base32", 0
    else:
        entries = read_entries(source, input_format, corpus.scheme.id, corpus.provenances)
        asked = _queries(entries)
        line_format, unreadable = entries.format, entries.unreadable
    with writing(output) as file:
        for fingerprint, path in asked:
            answer: dict[str, object] = {"fingerprint": render(fingerprint, line_format, bare=bare)}
            if path is not None:
                answer["path"] = path
            answer["matches"] = [
                {
                    "fingerprint": render(Fingerprint(match.value, corpus.scheme.id), line_format, bare=bare),
                    "distance": match.distance,
                    "paths": list(match.ids),
                }
                for match in corpus.matches(fingerprint)
            ]
            file.write((json.dumps(answer) + "\n").encode("ascii"))
    return 1 if unreadable else 0


@index.command()
@index_argument
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def info(index: str, output_format: str) -> None:
    """Print the size and the parameters of INDEX, without reading all of it."""
    try:
        saved = load_corpus(index, verify=False)
    except (OSError, CorruptIndexError) as error:
        raise _open_error(index, error) from error
    fields: dict[str, int | str] = {
        "scheme": scheme_of(saved.segment.values).id,
        "fingerprints": len(saved.segment),
        "paths": len(saved.ids.values) if saved.ids else 0,
        "distance": saved.blocking.distance,
        "blocks": saved.blocking.blocks,
        "tables": len(saved.segment.tables),
        "bytes": saved.size,
    }
    if output_format == "json":
        click.echo(json.dumps({**fields, "provenance": [one.to_dict() for one in saved.provenances]}))
    else:
        for name, value in fields.items():
            click.echo(f"{name:<12} {value if isinstance(value, str) else format(value, ','):>15}")


@index.command()
@index_argument
def verify(index: str) -> None:
    """Check INDEX thoroughly.

    Compares all checksums, and checks that the tables are sorted and hold the same fingerprints.
    """
    try:
        saved = load_corpus(index)
        check_tables(index, saved)
    except (OSError, CorruptIndexError) as error:
        raise _open_error(index, error) from error
    click.echo(f"{index}: valid: {len(saved.segment)} fingerprints in {len(saved.segment.tables)} tables")


def _queries(entries: Entries) -> list[tuple[Fingerprint, str | None]]:
    """Return the fingerprints of a query with their paths."""
    paths: list[str | None] = [*entries.paths] if entries.paths is not None else [None] * len(entries.values)
    return [
        (Fingerprint(value, entries.scheme.id, entries.canonical), path)
        for value, path in zip(to_ints(entries.values), paths, strict=True)
    ]


def _opened(index: str, *, verify: bool = True) -> Corpus:
    try:
        return Corpus.open(index, verify=verify)
    except (OSError, CorruptIndexError) as error:
        raise _open_error(index, error) from error


def _saved(corpus: Corpus, index: str, what: str, entries: Entries) -> int:
    try:
        corpus.save(index)
    except OSError as error:
        raise click.ClickException(f"{index}: cannot be written: {error.strerror or error}") from error
    click.echo(f"{index}: {what}", err=True)
    return 1 if entries.unreadable else 0


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _open_error(index: str, error: Exception) -> click.ClickException:
    if index == STANDARD_INPUT:
        return click.ClickException("INDEX is -, but an index cannot be read from standard input: name a file")
    if isinstance(error, OSError):
        return click.ClickException(f"{index}: cannot be read: {error.strerror or error}")
    return click.ClickException(str(error))
