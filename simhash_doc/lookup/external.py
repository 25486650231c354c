"""All pairs of near-duplicates out of core: among more fingerprints than fit into memory, in a run that can resume.

The fingerprints stay where they are. For each block that leads the keys of some tables, they are read in parts, each
with other first bits of the block and as many as fit into the memory, and joined. A part's pairs are a file in a folder
next to the output, with a digest, so that an interrupted run resumes after the last complete part. In the end the
pairs are sorted in the same way: by parts.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeAlias

import numpy as np
import xxhash

from simhash_doc.arguments import OnProgress, function, integer
from simhash_doc.arrays import Lanes, sort_keys
from simhash_doc.files import atomic_write, part_folder
from simhash_doc.lookup.array_file import PathName
from simhash_doc.lookup.errors import LookupParameterError
from simhash_doc.lookup.joins import (
    ManyWithinError,
    PairArrays,
    Searched,
    SortedJoin,
    first_bits,
    joined_apart,
    reported_across,
    rows_of_buckets,
)
from simhash_doc.lookup.planning.join import Nearness, plan_join
from simhash_doc.lookup.positions import Positions, read_lanes
from simhash_doc.schemes import LANE_BITS
from simhash_doc.versions import __version__

if TYPE_CHECKING:
    from simhash_doc.lookup.bucket_join import BucketJoin

    Join: TypeAlias = BucketJoin | SortedJoin

OVERHEAD = 256 << 20  # bytes of the program and of what does not grow with the fingerprints
_SORTED = 4  # a pair that is sorted takes this many times its size, and 8 bytes
_SORT_BITS = 16
_PART_NAME = r"pairs-([0-9]+)-([0-9]+)-([0-9]+)"  # the number of the order, and the range of its buckets
_DIGEST_BYTES = xxhash.xxh3_64().digest_size
_SORTED_PAIRS = "output"


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFile:
    """The file to which a search with a memory limit writes its pairs, and the limit.

    Attributes:
        path: a .npy file of shape (p, 2) or (p, 2, lanes), uint64: `Pairs.value_pairs`, which are mapped from it. The
            file is replaced in the end. Until then, parts are in the folder PATH.partial, which takes up to twice the
            size of the file.
        memory: bytes that the search may take in total, over 256 MiB. An input that is not a file does not count.
        progress: called with the number of finished fingerprints, and the number of all fingerprints.

    Raises:
        TypeError: the memory is not an integer, or the path is not a path.
        LookupParameterError: the memory is too little.

    >>> import tempfile
    >>> from simhash_doc.lookup import find_all
    >>> folder = tempfile.TemporaryDirectory()
    >>> [*find_all([0, 7, 2**40 - 1], output=PairFile(path=f"{folder.name}/pairs.npy", memory=1 << 30))]
    [(0, 1, 3)]
    """

    path: PathName
    memory: int
    progress: OnProgress = lambda done, total: None

    def __post_init__(self) -> None:
        os.fspath(self.path)
        function(self.progress, "progress")
        if integer(self.memory, "memory", 0, error=LookupParameterError) <= OVERHEAD:
            raise LookupParameterError(
                f"the limit of the memory is {self.memory >> 20:,} MiB; more than {OVERHEAD >> 20:,} MiB are needed"
            )


@contextmanager
def pairs_on_disk(searched: Searched, output: PairFile, near: Nearness, *, connect: bool = False) -> Iterator[Path]:
    """Yield the file of the pairs, in the folder PATH.partial, which is deleted when the block ends without an error.

    With `connect`, of many pairs only some are in it, which connect what all of them connect; some may be in it twice.
    Other arguments and errors are those of `find_all`.
    """
    values = searched.values
    warn = not connect and searched.sides is None
    plan = plan_join(values, near, in_memory=False, warn=warn)
    assert plan.tables is not None  # not in memory
    join: Join = SortedJoin(values, plan.tables)
    if plan.compiled:
        from simhash_doc.lookup.bucket_join import BucketJoin

        join = BucketJoin(values, plan.tables)
    memory = output.memory
    passes = 1 + (near.distance if near.sd64_distance is None else near.sd64_distance)
    done = 0

    def advance(count: int) -> None:
        nonlocal done
        done += count
        output.progress(done, passes * len(values))

    folder = Path(f"{os.fspath(output.path)}.partial")
    run = _description(searched, join, compiled=plan.compiled) | {"connect": connect}
    digest = xxhash.xxh3_64(json.dumps(run).encode())  # no part of another run can stand for one of this run
    with part_folder(folder, f"{_PART_NAME}|{_SORTED_PAIRS}", run, LookupParameterError) as check:
        for path in _files(folder):
            if not _is_intact(path, digest):
                path.unlink()
        _find(searched, join, folder, memory - OVERHEAD, advance, digest, connect=connect)
        _write_sorted(_files(folder), folder / _SORTED_PAIRS, join.blocking.lanes, memory - OVERHEAD)
        check()  # of another folder, the pairs would not be complete
        yield folder / _SORTED_PAIRS


def _description(searched: Searched, join: Join, *, compiled: bool) -> dict[str, object]:
    """Return everything on which the files of a run depend."""
    values, blocking = searched.values, join.blocking
    given: dict[str, object] = {
        "fingerprints": len(values),
        "bits": blocking.bits,
        "tables": xxhash.xxh3_64(repr(blocking.masks).encode()).hexdigest(),
        "distance": blocking.distance,
        "compiled": compiled,
        "version": __version__,
    }
    if searched.sides:
        given["sides"] = [searched.split, *map(len, searched.sides)]
    return given | {"input": xxhash.xxh3_64_hexdigest(values.data.cast("B") if len(values) else b"")}


def _find(
    searched: Searched,
    join: Join,
    folder: Path,
    memory: int,
    advance: Callable[[int], object],
    digest: xxhash.xxh3_64,
    *,
    connect: bool,
) -> None:
    """Write the pairs of each part that an earlier run has not written."""
    apart = False  # whether the sides are joined with each other alone, as too many pairs are within them
    for number, group in enumerate(join.blocking.groups):
        bits = first_bits(len(searched.values), group.block)
        counts = join.count(group.block, bits)
        sizes = counts.sum(axis=0)
        finished = _finished(folder, number)
        cost = _Cost(join.bytes_per_value, join.bytes_per_joined, join.buckets_at_a_time)
        advance(sum(int(sizes[low:high].sum()) for low, high in finished))
        for low, high in _unfinished(finished, sizes, cost, memory):
            part = counts[:, low:high]
            path = folder / f"pairs-{number}-{low}-{high}"
            joined = join.join(group, bits, low, part, copies=number == 0, connect=connect)
            with atomic_write(path) as file:
                try:
                    if not apart:
                        _write_pairs(file, path.name, digest, reported_across(searched, joined))
                except ManyWithinError:
                    apart = True
                if apart and searched.sides:
                    new, old = (rows_of_buckets(side, group.block, bits, low, high) for side in searched.sides)
                    _write_pairs(file, path.name, digest, joined_apart((new, old), join.blocking, group.tables))
            advance(int(part.sum()))


def _write_pairs(file: BinaryIO, name: str, run: xxhash.xxh3_64, found: Iterable[PairArrays]) -> None:
    """Write pairs, and the digest of the run, of the name of the file and of them, instead of what the file has."""
    file.seek(0)
    file.truncate()
    digest = run.copy()
    digest.update(name.encode())
    for both in found:
        pairs = np.stack(both, axis=1)
        digest.update(pairs.data.cast("B") if len(pairs) else b"")
        file.write(pairs.tobytes())
    file.write(digest.digest())


def _finished(folder: Path, number: int) -> list[tuple[int, int]]:
    """Return the ranges of buckets of an order whose pairs are written, ascending."""
    names = (re.fullmatch(_PART_NAME, path.name) for path in _files(folder))
    return sorted((int(name[2]), int(name[3])) for name in names if name and int(name[1]) == number)


def _is_intact(path: Path, run: xxhash.xxh3_64) -> bool:
    """Return True if a part is as `_write_pairs` wrote it in a run with this digest."""
    digest, left = run.copy(), path.stat().st_size - _DIGEST_BYTES
    digest.update(path.name.encode())
    with path.open("rb") as file:
        while left > 0 and (data := file.read(min(left, 1 << 20))):
            digest.update(data)
            left -= len(data)
        return not left and file.read() == digest.digest()


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("pairs-*-*-*"))


class _Cost(NamedTuple):
    """The bytes of an item, those in addition while its bucket is processed, and how many buckets are at a time."""

    item: int
    processed: int
    at_a_time: int = 1

    def of(self, items: int, largest: int) -> int:
        """Return the bytes of items whose largest bucket has so many."""
        return self.item * items + self.processed * min(items, self.at_a_time * largest)


def _unfinished(
    finished: list[tuple[int, int]], sizes: Positions, cost: _Cost, memory: int
) -> Iterator[tuple[int, int]]:
    """Yield ranges of the other buckets whose items fit into the memory."""
    start = 0
    for low, high in [*finished, (len(sizes), len(sizes))]:
        if start < low:
            for first, last in _parts(sizes[start:low], cost, memory):
                yield start + first, start + last
        start = high


def _parts(sizes: Positions, cost: _Cost, memory: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of buckets whose items fit into the memory.

    Raises:
        LookupParameterError: a bucket alone does not.
    """
    low, total, largest = 0, 0, 0
    for bucket, size in enumerate(sizes.tolist()):
        if cost.of(size, size) > memory:
            needed = -(-(cost.of(size, size) + OVERHEAD) >> 20)
            raise LookupParameterError(
                f"{size:,} items share their first bits and need {needed:,} MiB of memory; raise the limit"
            )
        if cost.of(total + size, max(largest, size)) > memory:
            yield low, bucket
            low, total, largest = bucket, 0, 0
        total, largest = total + size, max(largest, size)
    yield low, len(sizes)


def _pairs(files: Iterable[Path], lanes: int) -> Iterator[Lanes]:
    """Yield the pairs of files in pieces of shape (p, 2, lanes)."""
    for path in files:
        for chunk in read_lanes(path, 2 * lanes, 0, (path.stat().st_size - _DIGEST_BYTES) // (16 * lanes)):
            yield chunk.reshape(-1, 2, lanes)


def _write_sorted(files: list[Path], output: Path, lanes: int, memory: int) -> None:
    """Write the pairs of all files to the output, rows ascending."""
    sizes = np.zeros(1 << _SORT_BITS, np.int64)
    for pairs in _pairs(files, lanes):
        sizes += np.bincount(_sort_buckets(pairs), minlength=1 << _SORT_BITS)
    count = int(sizes.sum())
    each = 16 * lanes * _SORTED + 8
    shape = (count, 2) if lanes == 1 else (count, 2, lanes)
    with atomic_write(output) as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<u8", "fortran_order": False, "shape": shape})
        for low, high in _parts(sizes, _Cost(each, each), memory):
            chosen = [np.empty((0, 2, lanes), np.uint64)]
            for pairs in _pairs(files, lanes):
                buckets = _sort_buckets(pairs)
                chosen.append(pairs[(buckets >= low) & (buckets < high)])
            pairs = np.concatenate(chosen)
            del chosen
            pairs = pairs[np.lexsort((sort_keys(pairs[:, 1]), sort_keys(pairs[:, 0])))]
            pairs.tofile(file)


def _sort_buckets(pairs: Lanes) -> Positions:
    return (pairs[:, 0, 0] >> np.uint64(LANE_BITS - _SORT_BITS)).view(np.int64)
