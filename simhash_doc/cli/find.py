"""`simhash-doc find-all` and `simhash-doc find-clusters`: near-duplicates in a list of fingerprints."""

from __future__ import annotations

import json

import click

from simhash_doc.cli.entries import Entries, read_entries, rendered, writing
from simhash_doc.cli.lookup_options import (
    blocks_option,
    distance_option,
    form_option,
    input_option,
    output_option,
    planned,
)
from simhash_doc.lookup import find_all as find_pairs
from simhash_doc.lookup import find_clusters as find_groups


@click.command(
    "find-all",
    epilog="""\b
Examples:
  simhash-doc find-all --input hashes.txt --output pairs.jsonl
  simhash-doc fingerprint --format json articles/ | simhash-doc find-all
""",
)
@input_option
@form_option
@output_option
@blocks_option("5")
@distance_option
def find_all(source: str, form: str, output: str, blocks: int | None, distance: int) -> int:
    """Print every pair of fingerprints within the distance, once, as a JSON array a line.

    Lines are decimal, hexadecimal (16 digits or 0x) or base32, and the pairs come in the
    same form, ascending; a fingerprint that stands on several lines makes one pair with
    itself. From JSON lines with paths, the answer is every pair of paths. A line that
    cannot be read is named on standard error, all others count, and the status is 1.
    """
    entries = read_entries(source, form)
    pairs = find_pairs(entries.values, planned(entries.values, blocks, distance).blocks, distance)
    with writing(output) as file:
        if entries.paths is None:
            for row in pairs.values.tolist():
                file.write(_line([rendered(value, entries.form) for value in row]))
        else:
            for row in pairs.positions().tolist():
                file.write(_line([entries.paths[at] for at in row]))
    return _status(entries)


@click.command(
    "find-clusters",
    epilog="""\b
Examples:
  simhash-doc find-clusters --input hashes.txt
  simhash-doc fingerprint --format json articles/ | simhash-doc find-clusters --distance 2
""",
)
@input_option
@form_option
@output_option
@blocks_option("5")
@distance_option
def find_clusters(source: str, form: str, output: str, blocks: int | None, distance: int) -> int:
    """Print each cluster of near-duplicates as a JSON array a line.

    A cluster is what is connected by pairs within the distance; every line of the input
    that belongs to it is a member, equal ones too, in the order of the input. Input and
    errors are those of find-all; from JSON lines the members are paths.
    """
    entries = read_entries(source, form)
    clusters = find_groups(entries.values, planned(entries.values, blocks, distance).blocks, distance)
    with writing(output) as file:
        for members in clusters:
            if entries.paths is None:
                file.write(_line([rendered(value, entries.form) for value in entries.values[members].tolist()]))
            else:
                file.write(_line([entries.paths[at] for at in members.tolist()]))
    return _status(entries)


def _line(items: list[int | str] | list[str]) -> bytes:
    return (json.dumps(items) + "\n").encode("ascii")


def _status(entries: Entries) -> int:
    return 1 if entries.unreadable else 0
