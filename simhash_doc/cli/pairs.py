"""`simhash-doc find-all` and `simhash-doc find-clusters`: near-duplicates in a list of fingerprints."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click

from simhash_doc.cli.documents import bare_option, output_option
from simhash_doc.cli.fingerprint_io import check_outputs, read_entries, writing
from simhash_doc.cli.lookup_options import (
    Command,
    blocks_option,
    chosen_blocks,
    distance_option,
    files_argument,
    input_format_option,
    scheme_option,
)
from simhash_doc.cli.row_output import chosen_format, row_format_option, write_json, write_rows
from simhash_doc.ingest.entries import Entries
from simhash_doc.lookup import Clusters, Pairs
from simhash_doc.lookup import find_all as find_pairs
from simhash_doc.lookup import find_clusters as find_groups
from simhash_doc.lookup.arrays import to_ints

_PAIR = {"a": "string", "b": "string", "distance": "uint16"}
_MEMBER = {"cluster": "int64", "size": "int64", "representative": "string", "member": "string"}


@dataclass(frozen=True, slots=True)
class _Searched:
    """The fingerprints among which a command searches, and how."""

    entries: Entries
    blocks: int
    distance: int | None


def _search_options(command: Command) -> Command:
    """Add the files and options of a search to a command, which receives them as its argument `searched`."""

    @functools.wraps(command)
    def with_options(
        files: tuple[str, ...],
        input_format: str,
        scheme: str | None,
        output_format: str | None,
        output: str,
        blocks: int | None,
        distance: int | None,
        **given: Any,
    ) -> Any:
        form = chosen_format(output_format, output)
        check_outputs(output)
        entries = read_entries(files, input_format, scheme, narrow=scheme is not None)
        searched = _Searched(entries, chosen_blocks(entries.values, blocks, distance), distance)
        return command(searched=searched, form=form, output=output, **given)

    for option in (
        distance_option,
        blocks_option,
        bare_option,
        output_option,
        row_format_option,
        scheme_option,
        input_format_option,
        files_argument,
    ):
        with_options = option(with_options)
    return with_options  # type: ignore[return-value]


@click.command(
    "find-all",
    epilog="""\b
Examples:
  simhash-doc find-all hashes.txt -o pairs.jsonl
  simhash-doc find-all fingerprints.parquet -o pairs.parquet
  simhash-doc fingerprint articles/ | simhash-doc find-all --format text
""",
)
@_search_options
def find_all(searched: _Searched, form: str, output: str, bare: bool) -> int:
    """Print every pair of fingerprints within the distance, once, with its distance.

    FILE has fingerprints of one scheme in any form that a command writes, which is detected: lines with a
    fingerprint in decimal (sd64 only), hexadecimal (all digits, or 0x) or base32, with or without a path;
    JSON lines; CSV; Parquet. Without FILE, or for -, standard input is read. Pairs are pairs of paths or
    ids if the rows have them, else of fingerprints in the form of the input; a fingerprint on several
    lines makes one pair with itself then. A line that cannot be read is reported on standard error, all
    others count, and the status is 1. Rows without a fingerprint are skipped and counted.
    """
    entries = searched.entries
    pairs = find_pairs(entries.values, searched.blocks, searched.distance)
    write_rows(output, form, _PAIR, _pair_rows(entries, pairs, bare=bare))
    return 1 if entries.unreadable else 0


@click.command(
    "find-clusters",
    epilog="""\b
Examples:
  simhash-doc find-clusters hashes.txt
  simhash-doc find-clusters fingerprints.parquet -o clusters.parquet
  simhash-doc fingerprint articles/ | simhash-doc find-clusters --distance 2
""",
)
@_search_options
def find_clusters(searched: _Searched, form: str, output: str, bare: bool) -> int:
    """Print each cluster of near-duplicates with its number, size, representative and members.

    A cluster is a connected component of the pairs within the distance. Each line of the input that
    belongs to it is a member, including equal ones, in the order of the input; the representative is the
    first. Input and errors are those of find-all. JSON has one object per cluster; text, CSV and Parquet
    have one row per member.
    """
    entries = searched.entries
    clusters = find_groups(entries.values, searched.blocks, searched.distance)
    if form == "json":
        with writing(output) as file:
            for number, members in enumerate(_members(entries, clusters, bare=bare), 1):
                fields = {"cluster": number, "size": len(members), "representative": members[0], "members": members}
                write_json(file, fields)
    else:
        write_rows(output, form, _MEMBER, _member_rows(entries, clusters, bare=bare))
    return 1 if entries.unreadable else 0


def _pair_rows(entries: Entries, pairs: Pairs, *, bare: bool) -> Iterator[tuple[Any, ...]]:
    if entries.names is None:
        ends = (to_ints(pairs.values[:, side]) for side in (0, 1))
        for first, second, distance in zip(*ends, pairs.distances.tolist(), strict=True):
            yield entries.render(first, bare=bare), entries.render(second, bare=bare), distance
        return
    for batch in pairs.position_batches():
        for first, second in batch.tolist():
            distance = (entries.value(first) ^ entries.value(second)).bit_count()
            yield entries.label(first, bare=bare), entries.label(second, bare=bare), distance


def _members(entries: Entries, clusters: Clusters, *, bare: bool) -> Iterator[list[int | str]]:
    for members in clusters:
        yield [entries.label(at, bare=bare) for at in members.tolist()]


def _member_rows(entries: Entries, clusters: Clusters, *, bare: bool) -> Iterator[tuple[Any, ...]]:
    for number, members in enumerate(_members(entries, clusters, bare=bare), 1):
        for member in members:
            yield number, len(members), members[0], member
