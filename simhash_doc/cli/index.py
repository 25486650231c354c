"""`simhash-doc index`: a saved index of fingerprints, with the paths of their documents."""

from __future__ import annotations

import json
import os

import click

from simhash_doc.cli.documents import STANDARD_INPUT
from simhash_doc.cli.entries import Entries, parsed_value, read_entries, rendered, writing
from simhash_doc.cli.lookup_options import (
    blocks_option,
    distance_option,
    form_option,
    input_option,
    output_option,
    planned,
)
from simhash_doc.lookup.corpus import Corpus
from simhash_doc.lookup.errors import DamagedIndexError
from simhash_doc.lookup.saved import check_tables, load_corpus

index_argument = click.argument("index", metavar="INDEX")
trust_option = click.option(
    "--trust", is_flag=True, help="Do not read the whole file to compare its checksums: faster on a large index."
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
    """Build, change and ask a saved index of fingerprints."""


@index.command()
@index_argument
@input_option
@form_option
@blocks_option("5")
@distance_option
@click.option("--force", is_flag=True, help="Replace INDEX if it exists.")
def build(index: str, source: str, form: str, blocks: int | None, distance: int, force: bool) -> int:
    """Write INDEX from fingerprints.

    They come one a line: as JSON objects with the paths of their documents, or as plain
    values in decimal, hexadecimal (16 digits or 0x) or base32. A line that cannot be read is
    named on standard error, all others are indexed, and the status is 1.
    """
    if os.path.exists(index) and not force:
        raise click.UsageError(f"{index} exists; add to it with `index add`, or replace it with --force")
    entries = read_entries(source, form)
    corpus = Corpus(planned(entries.values, blocks, distance).blocks, distance)
    corpus.insert_bulk(entries.values, entries.paths)
    return _saved(corpus, index, _counted(len(corpus), "fingerprint"), entries)


@index.command()
@index_argument
@input_option
@form_option
def add(index: str, source: str, form: str) -> int:
    """Add fingerprints to INDEX.

    Those that it has already stay, and get further paths if the lines are JSON.
    """
    corpus = _opened(index)
    entries = read_entries(source, form)
    added = corpus.insert_bulk(entries.values, entries.paths)
    return _saved(corpus, index, f"{_counted(added, 'fingerprint')} added, {len(corpus)} now", entries)


@index.command()
@index_argument
@input_option
@form_option
def remove(index: str, source: str, form: str) -> int:
    """Remove fingerprints from INDEX.

    From plain lines, each goes with all its paths; from JSON lines, only the paths named are
    taken, and a fingerprint goes with its last one. What INDEX does not have is passed over.
    """
    corpus = _opened(index)
    entries = read_entries(source, form)
    removed = corpus.remove_bulk(entries.values, entries.paths)
    noun = "fingerprint" if entries.paths is None else "path"
    return _saved(
        corpus, index, f"{_counted(removed, noun)} removed, {_counted(len(corpus), 'fingerprint')} now", entries
    )


@index.command()
@index_argument
@click.argument("fingerprints", nargs=-1, metavar="[FINGERPRINT]...")
@input_option
@form_option
@output_option
@trust_option
def query(index: str, fingerprints: tuple[str, ...], source: str, form: str, output: str, trust: bool) -> int:
    """Print the matches of fingerprints.

    There is a JSON object for each FINGERPRINT, or for each line of the input. A match is a
    stored fingerprint within the distance that INDEX was built for, nearest first. The status
    is 0 whether or not there are any.
    """
    corpus = _opened(index, verify=not trust)
    if fingerprints:
        asked: list[tuple[int, str, str | None]] = [(parsed_value(text), "base32", None) for text in fingerprints]
        unreadable = 0
    else:
        entries = read_entries(source, form)
        paths: list[str | None] = [*entries.paths] if entries.paths is not None else [None] * len(entries.values)
        asked = [(value, entries.form, path) for value, path in zip(entries.values.tolist(), paths, strict=True)]
        unreadable = entries.unreadable
    with writing(output) as file:
        for value, shown, path in asked:
            answer: dict[str, object] = {"fingerprint": rendered(value, shown)}
            if path is not None:
                answer["path"] = path
            answer["matches"] = [
                {
                    "fingerprint": rendered(match.value, shown),
                    "distance": match.distance,
                    "paths": list(match.ids),
                }
                for match in corpus.matches(value)
            ]
            file.write((json.dumps(answer) + "\n").encode("ascii"))
    return 1 if unreadable else 0


@index.command()
@index_argument
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def info(index: str, output_format: str) -> None:
    """Print what INDEX holds, without reading all of it."""
    try:
        saved = load_corpus(index, verify=False)
    except (OSError, DamagedIndexError) as error:
        raise _refused(index, error) from error
    fields = {
        "fingerprints": len(saved.segment),
        "paths": len(saved.ids.values) if saved.ids else 0,
        "distance": saved.distance,
        "blocks": saved.blocks,
        "tables": len(saved.segment.tables),
        "bytes": saved.size,
    }
    if output_format == "json":
        click.echo(json.dumps(fields))
    else:
        for name, number in fields.items():
            click.echo(f"{name:<12} {number:>15,}")


@index.command()
@index_argument
def verify(index: str) -> None:
    """Check INDEX thoroughly.

    All checksums are compared, and the tables must be sorted and hold the same fingerprints.
    """
    try:
        saved = load_corpus(index)
        check_tables(index, saved)
    except (OSError, DamagedIndexError) as error:
        raise _refused(index, error) from error
    click.echo(f"{index}: whole: {len(saved.segment)} fingerprints in {len(saved.segment.tables)} tables")


def _opened(index: str, *, verify: bool = True) -> Corpus:
    try:
        return Corpus.open(index, verify=verify)
    except (OSError, DamagedIndexError) as error:
        raise _refused(index, error) from error


def _saved(corpus: Corpus, index: str, what: str, entries: Entries) -> int:
    try:
        corpus.save(index)
    except OSError as error:
        raise click.ClickException(f"{index}: cannot be written: {error.strerror or error}") from error
    click.echo(f"{index}: {what}", err=True)
    return 1 if entries.unreadable else 0


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _refused(index: str, error: Exception) -> click.ClickException:
    if index == STANDARD_INPUT:
        return click.ClickException("an index is a file, and cannot come from standard input")
    if isinstance(error, OSError):
        return click.ClickException(f"{index}: cannot be read: {error.strerror or error}")
    return click.ClickException(str(error))
