"""`simhash-doc find-all` and `simhash-doc find-clusters`: near-duplicates in a list of fingerprints."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import click

from simhash_doc.arguments import STANDARD_INPUT
from simhash_doc.cli.distance import chosen_distance, distance_option, sd64_distance_option
from simhash_doc.cli.entry_options import files_argument, input_format_option, scheme_option
from simhash_doc.cli.search_options import blocks_option, memory_option, search_errors
from simhash_doc.command_line.help import Number
from simhash_doc.command_line.options import Decorated, output_option, quiet_option
from simhash_doc.command_line.output_formats import chosen_format, row_format_option
from simhash_doc.console.guards import check_outputs
from simhash_doc.console.messages import Progress, print_error, print_notice, reading
from simhash_doc.console.output import STANDARD_OUTPUT, unwritable, writing
from simhash_doc.console.termination import resumable
from simhash_doc.own_outputs import CLUSTER_COLUMNS, PAIR_COLUMNS
from simhash_doc.schemes import get_scheme, or_close
from simhash_doc.thresholds import LEAST_SUPPORT, Distance

if TYPE_CHECKING:
    from simhash_doc.arrays import Values
    from simhash_doc.entries.entry_files import Entries, IdForm
    from simhash_doc.lookup.joins import Searched
    from simhash_doc.lookup.pairs import Pairs
    from simhash_doc.lookup.planning.join import Nearness

Label = Callable[[int], object]

_BATCH = 1 << 16  # pairs


positions_option = click.option(
    "--positions",
    is_flag=True,
    help="Show positions in the input, from 0, instead of ids or fingerprints. Rows without a fingerprint count.",
)


def _search_options(command: Decorated) -> Decorated:
    for option in (
        quiet_option,
        positions_option,
        memory_option,
        sd64_distance_option,
        distance_option,
        blocks_option,
        output_option,
        row_format_option,
        scheme_option,
        input_format_option,
        files_argument,
    ):
        command = option(command)
    return command


against_option = click.option(
    "--against",
    metavar="OLD",
    multiple=True,
    help="Find pairs of a fingerprint in FILE and one in OLD, a file or an index. Repeatable.",
)


@dataclass(frozen=True, slots=True)
class _Search:
    """What is searched, and how: the options of both commands."""

    files: tuple[str, ...]
    input_format: str
    scheme: str | None
    output: str
    blocks: int | None
    distance: Distance
    sd64_distance: int | None
    memory: int | None
    against: tuple[str, ...] = ()
    min_support: float | None = None

    def read(self, *, ids: IdForm) -> _Sides:
        """Return the fingerprints of files, of each side; those of a .npy file stay in it, unless there are two sides.

        Args:
            ids: as for `EntryReader`.
        """
        if self.memory is not None and self.output == STANDARD_OUTPUT:
            raise click.UsageError("--memory requires --output FILE: intermediate results are kept in FILE.partial")
        files = self.files or (STANDARD_INPUT,)
        check_outputs(self.output, inputs=(*files, *self.against), folders=self.against)
        if files.count(STANDARD_INPUT) and STANDARD_INPUT in self.against:
            raise click.UsageError("standard input can be read once: name FILE or OLD")
        entries, given = _read(self.files, self.input_format, self.scheme, self.min_support, ids)
        sides = [entries]
        if self.against:
            sides.append(_read_old(self.against, self.input_format, self.scheme, entries, ids))
        _report_schemes(sides)
        _report_marks(sides)
        return _Sides(sides, given)

    @contextmanager
    def pairs(self, read: _Sides, *, connect: bool = False) -> Iterator[Pairs]:
        """Yield the pairs of fingerprints; or some that connect what all of them connect.

        Pairs on disk are deleted when the block ends without an error.
        """
        from simhash_doc.lookup.clusters import connecting_pairs
        from simhash_doc.lookup.external import PairFile, pairs_on_disk
        from simhash_doc.lookup.pairs import mapped_pairs, pairs_of, searched_values

        entries, old, count = read.sides[0], read.old, sum(len(side.values) for side in read.sides)
        maximum = None  # of the default, nothing is said if the first 64 bits are searched
        if self.distance is not None or self.sd64_distance is None:
            maximum = chosen_distance(self.distance, entries.scheme, count)
        if self.memory is None:
            with search_errors(), Progress(None).begin(f"searching {count:,} fingerprints"):
                searched = searched_values(read.given, old)
                if connect:
                    pairs = connecting_pairs(searched, self._near(searched, maximum))
                else:
                    pairs = pairs_of(searched, self._near(searched, maximum))
            yield pairs
            return
        passes = 1 + (or_close(entries.scheme, maximum) if self.sd64_distance is None else self.sd64_distance)
        try:
            with (
                resumable(self._kept),
                search_errors(),
                Progress(passes * count, f"fingerprints in {passes} passes") as progress,
            ):
                searched = searched_values(read.given, old)
                output = PairFile(path=self.output, memory=self.memory, progress=progress.update)
                with pairs_on_disk(searched, output, self._near(searched, maximum), connect=connect) as file:
                    yield mapped_pairs(searched, file)
        except OSError as error:
            raise unwritable(self.output, error) from error

    def _near(self, searched: Searched, maximum: int | None) -> Nearness:
        from simhash_doc.lookup.pairs import searched_within

        return searched_within(searched, maximum, sd64_distance=self.sd64_distance, blocks=self.blocks)

    def _kept(self) -> str:
        partial = f"{self.output}.partial"
        has_parts = os.path.isdir(partial) and any(name.startswith("pairs") for name in os.listdir(partial))
        return f"finished parts are in {partial}; the same command continues" if has_parts else ""


@dataclass(frozen=True, slots=True)
class _Sides:
    """The fingerprints of each side, and what is searched of the first one: they, or a file in which they stay."""

    sides: list[Entries]
    given: Values | str

    @property
    def old(self) -> Values | None:
        """The fingerprints of the second side, if there is one."""
        return self.sides[1].values if len(self.sides) > 1 else None

    @property
    def unreadable(self) -> bool:
        """Whether a line could not be read."""
        return any(side.unreadable for side in self.sides)


def _read(
    files: tuple[str, ...], input_format: str, scheme: str | None, min_support: float | None, ids: IdForm
) -> tuple[Entries, Values | str]:
    """Return the fingerprints of files, and what is searched: they, or a .npy file in which they stay."""
    from simhash_doc.cli.entry_input import read_entries

    if len(files) == 1 and files[0].endswith(".npy"):
        if min_support:
            raise click.UsageError(f"{files[0]}: contains no support of texts; --min-support needs the column support")
        return _mapped(files[0], scheme), files[0]
    narrow = scheme is not None
    entries = read_entries(files, input_format, scheme, narrow=narrow, min_support=min_support, ids=ids)
    return entries, entries.values


def _read_old(files: tuple[str, ...], input_format: str, scheme: str | None, new: Entries, ids: IdForm) -> Entries:
    """Return the fingerprints of files or of an index, of the scheme of others unless these are none."""
    from simhash_doc.arrays import lanes_from_values
    from simhash_doc.cli.entry_input import read_entries
    from simhash_doc.cli.index import open_index
    from simhash_doc.entries.entry_files import Entries
    from simhash_doc.provenance import ProvenanceCheck

    expected = new.scheme.id if len(new.values) else scheme
    if len(files) > 1 or not os.path.isdir(files[0]):
        if len(files) == 1 and files[0].endswith(".npy"):
            return _mapped(files[0], expected)
        narrow = scheme is not None
        return read_entries(files, input_format, expected, narrow=narrow, combined_with=new.provenances, ids=ids)
    corpus = open_index(files[0])
    if expected not in (None, corpus.scheme.id):
        raise click.UsageError(f"{files[0]}: has {corpus.scheme.id} fingerprints, FILE has {expected}")
    values, names = corpus.entries()
    listed = None if names is None else [*names]
    known, check = corpus.provenances, ProvenanceCheck(new.provenances)
    for warning in filter(None, map(check.add, known)):
        print_notice(f"simhash-doc: {files[0]}: warning: {warning}")
    lanes = lanes_from_values(values)
    return Entries(lanes, corpus.scheme, new.format, listed, corpus.canonical, 0, 0, provenances=known)


def _report_marks(sides: list[Entries]) -> None:
    """Print that one side is customized and the other is not, unless their provenances have told it."""
    from simhash_doc.provenance import MIXED

    if sides[0].canonical != sides[-1].canonical and not all(side.provenances for side in sides):
        print_notice(f"simhash-doc: warning: {MIXED}")


def _report_schemes(sides: list[Entries]) -> None:
    """Print how fingerprints that were left out for their schemes can be compared; fail if no other is read."""
    others = {scheme for side in sides for scheme in side.others}
    if not others:
        return
    names = sorted({*others, sides[-1].scheme.id}, key=lambda scheme: get_scheme(scheme).bits)
    message = f"fingerprints of {' and '.join(names)} cannot be compared: --scheme {names[0]} narrows all of them"
    if sides[-1].others and not len(sides[-1].values):
        raise click.ClickException(message)
    print_error(f"simhash-doc: {message}")


def _mapped(path: str, scheme: str | None) -> Entries:
    from simhash_doc.arrays import scheme_of
    from simhash_doc.entries.entry_files import Entries
    from simhash_doc.lookup.inputs import open_lanes

    with reading(path), search_errors():
        values = open_lanes(path)
    own = scheme_of(values)
    if scheme not in (None, own.id):
        raise click.UsageError(f"{path}: has {own.id} fingerprints; --scheme {scheme} cannot narrow a .npy file")
    return Entries(values, own, "base32", None, True, 0, 0)


@click.command(
    "find-all",
    epilog="""\b
Examples:
  simhash-doc find-all hashes.txt -o pairs.jsonl
  simhash-doc find-all fingerprints.parquet -o pairs.parquet
  simhash-doc find-all --sd64-distance 3 --distance 20 in.jsonl -o pairs.jsonl
  simhash-doc find-all new.jsonl --against old.jsonl -o pairs.jsonl
  simhash-doc find-all new.jsonl --against old.jsonl --nearest 3 -o near.csv
  simhash-doc fingerprint articles/ | simhash-doc find-all --text
""",
)
@against_option
@click.option(
    "--nearest",
    type=Number(1),
    metavar="K",
    help="With --against, show the K nearest fingerprints of OLD for each fingerprint of FILE. Without a distance "
    "option, they may be at any distance. If several are equally near, show the first.",
)
@_search_options
def find_all_command(output_format: str | None, output: str, positions: bool, nearest: int | None, **given: Any) -> int:
    """Print every pair of fingerprints within the distance.

    FILE contains fingerprints of one scheme. The command detects the format: JSON lines, CSV, Parquet, or
    lines as `fingerprint` prints them: a text form, two spaces, and a path. Lines with a fingerprint alone may also
    have decimal (sd64 only) or hexadecimal digits. Lines may be compressed with gzip. Without FILE, or for -, the
    command reads standard input.

    The command prints each pair once, with its distance. If the rows have paths or ids, it prints these, otherwise the
    fingerprints as in the input. Ids keep their type: 7 and "7" are different ids. Without ids, a fingerprint on
    several lines forms one pair with itself. --positions lists every pair of lines.

    If the command cannot read a line, it reports the line on standard error, uses the other lines, and exits with
    status 1. It skips and counts rows without a fingerprint.

    A single FILE that ends with .npy is a NumPy array of 64-bit integers, of shape (n,) or (n, lanes). With --memory,
    it may have more fingerprints than fit into memory.

    With --against, `a` comes from FILE and `b` from OLD. The command omits pairs within one of them. To compare
    with a store, pass the output of `store export` as OLD (-). With --nearest and no distance option, the command
    compares each fingerprint of FILE with each of OLD. To search for a few fingerprints, use `index query`
    or `store find`.
    """
    from heapq import nsmallest

    from simhash_doc.cli.nearest import nearest_rows
    from simhash_doc.cli.row_formats import write_rows

    form = chosen_format(output_format, output)
    at_any_distance = nearest is not None and given["distance"] is None and given["sd64_distance"] is None
    if nearest is not None and not given["against"]:
        raise click.UsageError("--nearest shows the nearest of OLD: give --against OLD")
    if at_any_distance and (given["memory"] or given["blocks"]):
        raise click.UsageError("--memory and --blocks are of the search within a distance: give --distance")
    search = _Search(output=output, **given)
    read = search.read(ids="typed" if form == "parquet" else "plain")
    first, second = (_id_column(side, positions, form) for side in (read.sides[0], read.sides[-1]))
    columns = PAIR_COLUMNS | {"a": first, "b": second}
    labels = _labels_of_sides(read.sides, positions)
    if at_any_distance:
        write_rows(output, form, columns, nearest_rows(read.sides[0], read.sides[1], nearest or 1, labels))
    else:
        with search.pairs(read) as pairs:
            rows = _pair_rows(read.sides, pairs, labels)
            if nearest:  # rows ascend by the first entry, then by the second
                same = (group for _, group in groupby(rows, key=itemgetter(0)))
                rows = chain.from_iterable(nsmallest(nearest, group, key=itemgetter(2)) for group in same)
            write_rows(output, form, columns, rows)
    return 1 if read.unreadable else 0


@click.command(
    "find-clusters",
    epilog="""\b
Examples:
  simhash-doc find-clusters hashes.txt
  simhash-doc find-clusters fingerprints.parquet -o clusters.parquet
  simhash-doc fingerprint articles/ | simhash-doc find-clusters --distance 2
""",
)
@click.option(
    "--min-support",
    type=Number(0, kind=float),
    default=0,
    metavar="N",
    help=f"Leave out texts with fewer effective tokens (column support); {LEAST_SUPPORT:g} is recommended.",
)
@_search_options
def find_clusters_command(
    output_format: str | None, output: str, positions: bool, memory: int | None, **given: Any
) -> int:
    """Print the clusters of near-duplicates.

    A cluster is a connected component of the pairs within the distance. Each input line that belongs to it is a member,
    even if it equals another line. Members keep the order of the input. The first is the representative.

    Short texts may be near unrelated texts, and connect their clusters. If rows contain the support of their texts, the
    command counts those with a low support, and --min-support leaves them out. The command reads FILE and reports
    errors as `find-all` does. JSON has one object per cluster. Text, CSV and Parquet have one row per member.
    """
    from simhash_doc.cli.row_formats import write_json, write_rows
    from simhash_doc.lookup.clusters import clusters_of
    from simhash_doc.lookup.external import OVERHEAD

    form = chosen_format(output_format, output)
    search = _Search(output=output, memory=memory, **given)
    read = search.read(ids="typed" if form == "parquet" else "plain")
    entries = read.sides[0]
    kind = _id_column(entries, positions, form)
    columns = CLUSTER_COLUMNS | {"representative": kind, "member": kind}
    with search.pairs(read, connect=True) as pairs:
        label = _labels(entries, positions) or entries.label
        with search_errors(), Progress(None).begin("connecting pairs"):
            clusters = clusters_of(pairs, memory=None if memory is None else memory - OVERHEAD)
        numbered = enumerate(([label(at) for at in members.tolist()] for members in clusters), 1)
        if form == "json":
            with writing(output) as file:
                for number, members in numbered:
                    fields = {"cluster": number, "size": len(members), "representative": members[0], "members": members}
                    write_json(file, fields)
        else:
            rows = ((number, len(members), members[0], one) for number, members in numbered for one in members)
            write_rows(output, form, columns, rows)
    return 1 if read.unreadable else 0


def _id_column(side: Entries, positions: bool, form: str) -> Any:
    """Return the type of the column of what shows the entries."""
    from simhash_doc.cli.row_formats import id_column_type

    if positions:
        return "int64" if form == "parquet" else "string"
    names, types = side.names or [], side.id_types
    unnamed = [side.label(names.index(None) if names else 0)] if len(side.values) and None in (names or [None]) else []
    return id_column_type(chain(names, unnamed), types | {None} if unnamed else types, form)


def _labels(entries: Entries, positions: bool) -> Label | None:
    """Return what shows the entry at a position; None if the fingerprint itself does."""
    if positions:
        return entries.position
    return None if entries.names is None else entries.label


def _labels_of_sides(sides: list[Entries], positions: bool) -> tuple[Label, Label] | None:
    """Return what shows the entries of each side at a position; None if the fingerprints themselves do."""
    first, second = _labels(sides[0], positions), _labels(sides[-1], positions)
    return None if first is second is None else (first or sides[0].label, second or sides[-1].label)


def _pair_rows(sides: list[Entries], pairs: Pairs, labels: tuple[Label, Label] | None) -> Iterator[tuple[Any, ...]]:
    from simhash_doc.arrays import ints_from_lanes, lanes_from_values

    first_side, second_side = sides[0], sides[-1]
    if labels is None:
        for start in range(0, len(pairs.value_pairs), _BATCH):
            batch = slice(start, start + _BATCH)
            ends = (ints_from_lanes(lanes_from_values(pairs.value_pairs[batch, side])) for side in (0, 1))
            for first, second, distance in zip(*ends, pairs.value_distances[batch].tolist(), strict=True):
                yield first_side.render(first), second_side.render(second), distance
        return
    label_a, label_b = labels
    for first, second, distance in pairs:
        yield label_a(first), label_b(second), distance
