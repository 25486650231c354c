"""`simhash-doc find-all` and `simhash-doc find-clusters`: near-duplicates in a list of fingerprints."""

from __future__ import annotations

import json

import click

from simhash_doc.cli.documents import bare_option
from simhash_doc.cli.fingerprint_io import read_entries, writing
from simhash_doc.cli.lookup_options import (
    blocks_option,
    chosen_blocks,
    distance_option,
    input_format_option,
    input_option,
    output_option,
)
from simhash_doc.lookup import find_all as find_pairs
from simhash_doc.lookup import find_clusters as find_groups
from simhash_doc.lookup.arrays import to_ints


@click.command(
    "find-all",
    epilog="""\b
Examples:
  simhash-doc find-all --input hashes.txt --output pairs.jsonl
  simhash-doc fingerprint --format json articles/ | simhash-doc find-all
""",
)
@input_option
@input_format_option
@output_option
@bare_option
@blocks_option
@distance_option
def find_all(source: str, input_format: str, output: str, bare: bool, blocks: int | None, distance: int | None) -> int:
    """Print every pair of fingerprints within the distance, once, as one JSON array per line.

    A line holds a fingerprint of any scheme in decimal (sd64 only), hexadecimal (all digits, or 0x), base32
    with or without its scheme, or as a JSON object; all lines have the same scheme. Pairs from decimal
    and hexadecimal lines have the same format. A fingerprint on several lines makes one pair with itself.
    From JSON lines with paths, the output is every pair of paths. A line that cannot be read is reported on
    standard error, all others count, and the status is 1.
    """
    entries = read_entries(source, input_format)
    pairs = find_pairs(entries.values, chosen_blocks(entries.values, blocks, distance), distance)
    with writing(output) as file:
        if entries.paths is None:
            for row in zip(to_ints(pairs.values[:, 0]), to_ints(pairs.values[:, 1]), strict=True):
                file.write(_line([entries.render(value, bare=bare) for value in row]))
        else:
            for first, second in pairs.positions().tolist():
                file.write(_line([entries.paths[first], entries.paths[second]]))
    return 1 if entries.unreadable else 0


@click.command(
    "find-clusters",
    epilog="""\b
Examples:
  simhash-doc find-clusters --input hashes.txt
  simhash-doc fingerprint --format json articles/ | simhash-doc find-clusters --distance 2
""",
)
@input_option
@input_format_option
@output_option
@bare_option
@blocks_option
@distance_option
def find_clusters(
    source: str, input_format: str, output: str, bare: bool, blocks: int | None, distance: int | None
) -> int:
    """Print each cluster of near-duplicates as one JSON array per line.

    A cluster is a connected component of the pairs within the distance. Each line of the input that
    belongs to it is a member, including equal ones, in the order of the input. Input and errors are
    those of find-all; from JSON lines the members are paths.
    """
    entries = read_entries(source, input_format)
    clusters = find_groups(entries.values, chosen_blocks(entries.values, blocks, distance), distance)
    with writing(output) as file:
        for members in clusters:
            if entries.paths is None:
                file.write(_line([entries.render(value, bare=bare) for value in to_ints(entries.values[members])]))
            else:
                file.write(_line([entries.paths[at] for at in members.tolist()]))
    return 1 if entries.unreadable else 0


def _line(items: list[int | str] | list[str]) -> bytes:
    return (json.dumps(items) + "\n").encode("ascii")
