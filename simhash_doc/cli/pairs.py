"""`simhash-doc find-all` and `simhash-doc find-clusters`: near-duplicates in a list of fingerprints."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from simhash_doc.cli.fingerprint_io import read_entries
from simhash_doc.cli.lookup_options import (
    Command,
    blocks_option,
    distance_option,
    files_argument,
    input_format_option,
    memory_option,
    scheme_option,
    search_errors,
)
from simhash_doc.cli.output import (
    Progress,
    bare_option,
    check_outputs,
    chosen_format,
    output_option,
    row_format_option,
    unwritable,
    write_json,
    write_rows,
    writing,
)
from simhash_doc.ingest.entries import Entries
from simhash_doc.ingest.walk import STANDARD_INPUT
from simhash_doc.lookup.arrays import Source, scheme_of, to_ints
from simhash_doc.lookup.clusters import Clusters, clusters_of
from simhash_doc.lookup.external import OVERHEAD
from simhash_doc.lookup.pairs import Pairs, mapped_pairs, pairs_on_disk
from simhash_doc.lookup.pairs import find_all as find_pairs

_BATCH = 1 << 16  # pairs
_PAIR = {"a": "string", "b": "string", "distance": "uint16"}
_MEMBER = {"cluster": "int64", "size": "int64", "representative": "string", "member": "string"}


@dataclass(frozen=True, slots=True)
class _Searched:
    """The fingerprints among which a command searches, and how."""

    entries: Entries
    source: Source
    blocks: int | None
    distance: int | None
    memory: int | None
    output: str

    @contextmanager
    def pairs(self) -> Iterator[Pairs]:
        """Yield the pairs; those on disk are deleted when the block ends without an error."""
        if self.memory is None:
            with search_errors():
                found = find_pairs(self.entries.values, self.blocks, self.distance)
            yield found
            return
        passes = 1 + self.entries.scheme.or_close(self.distance)
        try:
            with (
                search_errors(),
                Progress(passes * len(self.source.values), f"fingerprints in {passes} passes") as progress,
                pairs_on_disk(
                    self.source, self.output, self.blocks, self.distance, self.memory, progress.advance
                ) as file,
            ):
                progress.clear()
                yield mapped_pairs(self.source, file)
        except OSError as error:
            raise unwritable(self.output, error) from error


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
        memory: int | None,
        **given: Any,
    ) -> Any:
        form = chosen_format(output_format, output)
        if memory is not None and output == STANDARD_INPUT:
            raise click.UsageError("--memory requires --output FILE: intermediate results are kept in FILE.partial")
        check_outputs(output, inputs=files)
        entries, source = _read(files, input_format, scheme)
        searched = _Searched(entries, source, blocks, distance, memory, output)
        return command(searched=searched, form=form, output=output, **given)

    for option in (
        memory_option,
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


def _read(files: tuple[str, ...], input_format: str, scheme: str | None) -> tuple[Entries, Source]:
    """Return the fingerprints of files; those of a .npy file stay in it."""
    if len(files) != 1 or not files[0].endswith(".npy"):
        entries = read_entries(files, input_format, scheme, narrow=scheme is not None)
        return entries, Source(entries.values)
    try:
        source = Source.open(files[0])
    except OSError as error:
        raise click.ClickException(f"{files[0]}: cannot be read: {error.strerror or error}") from error
    values = source.values
    own = scheme_of(values)
    if scheme not in (None, own.id):
        raise click.UsageError(f"{files[0]}: has {own.id} fingerprints; --scheme {scheme} cannot narrow a .npy file")
    return Entries(values, own, "base32", None, True, 0, 0), source


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

    A single FILE that ends with .npy is a NumPy array of shape (n,) or (n, lanes), uint64. With --memory it
    may have more fingerprints than fit into memory.
    """
    entries = searched.entries
    with searched.pairs() as pairs:
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
    with searched.pairs() as pairs:
        with search_errors():
            clusters = clusters_of(pairs, memory=None if searched.memory is None else searched.memory - OVERHEAD)
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
        for start in range(0, len(pairs), _BATCH):
            batch = slice(start, start + _BATCH)
            ends = (to_ints(pairs.values[batch, side]) for side in (0, 1))
            for first, second, distance in zip(*ends, pairs.distances[batch].tolist(), strict=True):
                yield entries.render(first, bare=bare), entries.render(second, bare=bare), distance
        return
    for rows in pairs.position_batches():
        for first, second in rows.tolist():
            distance = (entries.value(first) ^ entries.value(second)).bit_count()
            yield entries.label(first, bare=bare), entries.label(second, bare=bare), distance


def _members(entries: Entries, clusters: Clusters, *, bare: bool) -> Iterator[list[int | str]]:
    for members in clusters:
        yield [entries.label(at, bare=bare) for at in members.tolist()]


def _member_rows(entries: Entries, clusters: Clusters, *, bare: bool) -> Iterator[tuple[Any, ...]]:
    for number, members in enumerate(_members(entries, clusters, bare=bare), 1):
        for member in members:
            yield number, len(members), members[0], member
