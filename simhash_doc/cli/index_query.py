"""`simhash-doc index query`: the matches of fingerprints in a saved index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial

import click

from simhash_doc.cli.fingerprint_io import parsed_fingerprint, read_entries
from simhash_doc.cli.lookup_options import input_format_option
from simhash_doc.cli.output import (
    bare_option,
    check_outputs,
    chosen_format,
    output_option,
    row_format_option,
    write_json,
    write_rows,
    writing,
)
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.entries import render
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.lookup.arrays import from_ints, to_ints
from simhash_doc.lookup.corpus import Corpus, Match
from simhash_doc.lookup.errors import CorruptIndexError

Show = Callable[[Fingerprint], int | str]
_MATCH = {"query": "string", "match": "string", "distance": "uint16", "fingerprint": "string"}

index_argument = click.argument("index", metavar="INDEX")
narrow_option = click.option("--narrow", is_flag=True, help="Narrow wider fingerprints to the scheme of INDEX.")


@click.command()
@index_argument
@click.argument("queries", nargs=-1, metavar="[FINGERPRINT|FILE]...")
@input_format_option
@narrow_option
@row_format_option
@output_option
@bare_option
@click.option("--trust", is_flag=True, help="Skip the verification of the checksums, which reads all of INDEX.")
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
    show = partial(render, line_format=shown_as, bare=bare)
    values = from_ints([fingerprint.value for fingerprint, _ in searched], corpus.scheme.lanes)
    answers = ((*query, matches) for query, matches in zip(searched, corpus.matches_bulk(values), strict=True))
    if form == "json":
        with writing(output) as file:
            for answer in answers:
                write_json(file, _answer(*answer, show))
    else:
        write_rows(output, form, _MATCH, _match_rows(answers, show))
    return 1 if unreadable else 0


def check_name(index: str) -> None:
    """Reject standard output as INDEX."""
    if index == STANDARD_INPUT:
        raise click.UsageError("INDEX is -, but an index is a file: name it")


def open_index(index: str, *, verify: bool = True) -> Corpus:
    """Return the corpus of INDEX.

    Raises:
        click.ClickException: it cannot be read, or is corrupt.
    """
    try:
        return Corpus.open(index, verify=verify)
    except (OSError, CorruptIndexError) as error:
        raise open_error(index, error) from error


def open_error(index: str, error: Exception) -> click.ClickException:
    """Return the error for INDEX that cannot be opened."""
    if index == STANDARD_INPUT:
        return click.ClickException("INDEX is -, but an index cannot be read from standard input: name a file")
    if isinstance(error, OSError):
        return click.ClickException(f"{index}: cannot be read: {error.strerror or error}")
    return click.ClickException(str(error))


def _answer(fingerprint: Fingerprint, path: str | None, matches: list[Match], show: Show) -> dict[str, object]:
    answer: dict[str, object] = {"fingerprint": show(fingerprint)}
    if path is not None:
        answer["path"] = path
    answer["matches"] = [
        {
            "fingerprint": show(Fingerprint(match.value, fingerprint.scheme_id)),
            "distance": match.distance,
            "paths": list(match.ids),
        }
        for match in matches
    ]
    return answer


def _match_rows(
    answers: Iterable[tuple[Fingerprint, str | None, list[Match]]], show: Show
) -> Iterator[tuple[object, ...]]:
    for fingerprint, path, matches in answers:
        for match in matches:
            found = show(Fingerprint(match.value, fingerprint.scheme_id))
            for name in match.ids or (found,):
                yield show(fingerprint) if path is None else path, name, match.distance, found
