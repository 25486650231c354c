"""All pairs of near-duplicates out of core: among more fingerprints than fit into memory, in a run that can resume.

The fingerprints stay where they are. For each block that leads the keys of some tables, they are read in parts, each
with other first bits of the block and as many as fit into the memory, and joined. A part's pairs are a file in a folder
next to the output, so that an interrupted run resumes after the last complete part. In the end the pairs are sorted in
the same way: by parts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path

import numpy as np
import xxhash

from simhash_doc import __version__
from simhash_doc.engines.lanes import LANE_BITS
from simhash_doc.files import atomic_write, part_folder
from simhash_doc.lookup.array_file import PathName
from simhash_doc.lookup.arrays import Positions, Source, Values, in_order, read_pieces, scheme_of, sort_keys
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.bucket_join import BucketJoin
from simhash_doc.lookup.errors import LookupParameterError
from simhash_doc.lookup.joins import Across, SortedJoin, first_bits
from simhash_doc.lookup.planning import plan_join

OVERHEAD = 256 << 20  # bytes of the program and of what does not grow with the fingerprints
_SORTED = 4  # a pair that is sorted takes this many times its size, and 8 bytes
_SORT_BITS = 16
_PART_NAME = r"pairs-([0-9]+)-([0-9]+)-([0-9]+)"  # the number of the order, and the range of its buckets
_SORTED_PAIRS = "output"


@contextmanager
def pairs_on_disk(
    source: Source,
    output: PathName,
    blocks: int | None,
    distance: int | None,
    memory: int,
    advance: Callable[[int], object],
    sd64_distance: int | None = None,
    across: Across | None = None,
) -> Iterator[Path]:
    """Yield the file of the pairs, in the folder OUTPUT.partial, which is deleted when the block ends without an error.

    Arguments and errors are those of `find_all`; of a search across two inputs, `source` has both.
    """
    if memory <= OVERHEAD:
        raise LookupParameterError(
            f"the limit of the memory is {memory >> 20:,} MiB; more than {OVERHEAD >> 20:,} MiB are needed"
        )
    near = scheme_of(source.values).or_close(distance)
    plan = plan_join(source.values, near, blocks, in_memory=False, sd64_distance=sd64_distance)
    folder = Path(f"{os.fspath(output)}.partial")
    join: BucketJoin | SortedJoin
    if plan.compiled and isinstance(plan.tables, Blocking):
        join = BucketJoin(source, plan.tables)
    else:
        join = SortedJoin(source, plan.tables)
    run = _Run(join, folder, memory, advance, across)
    names = f"{_PART_NAME}|{_SORTED_PAIRS}"
    with part_folder(folder, names, run.description(), LookupParameterError):
        yield run.complete()


@dataclass(frozen=True, slots=True)
class _Run:
    join: BucketJoin | SortedJoin
    folder: Path
    memory: int
    advance: Callable[[int], object]
    across: Across | None

    def complete(self) -> Path:
        """Write the sorted pairs, from where an earlier run was interrupted; return their file."""
        output = self.folder / _SORTED_PAIRS
        if not output.exists():
            self._find()
            _write_sorted(self._files(), output, self.join.blocking.lanes, self.memory)
        return output

    def description(self) -> dict[str, object]:
        """Return everything on which the files of the run depend."""
        source, blocking = self.join.source, self.join.blocking
        given: dict[str, object] = {
            "fingerprints": len(source.values),
            "bits": blocking.bits,
            "tables": xxhash.xxh3_64(repr(blocking.masks).encode()).hexdigest(),
            "distance": blocking.distance,
            "compiled": isinstance(self.join, BucketJoin),
            "version": __version__,
        }
        if self.across:
            given["sides"] = [self.across.split, len(self.across.new), len(self.across.old)]
        if source.path:
            status, path = source.path.stat(), os.path.realpath(source.path)
            return given | {"input": path, "bytes": status.st_size, "modified": status.st_mtime_ns}
        digest = xxhash.xxh3_64()
        for chunk in source.chunks():
            digest.update(np.ascontiguousarray(chunk).data.cast("B") if len(chunk) else b"")
        return given | {"input": digest.hexdigest()}

    def _find(self) -> None:
        """Write the pairs of each part that an earlier run has not written."""
        join, lanes = self.join, self.join.blocking.lanes
        for number, group in enumerate(join.blocking.groups):
            bits = first_bits(len(join.source.values), group.block)
            counts = join.count(group.block, bits)
            first = [path for path in self._files() if path.name.startswith("pairs-0-")]
            repeats = number > 0 and (self.across is not None or any(map(_has_copy, _rows(first, lanes))))
            sizes = counts.sum(axis=0)
            finished = self._finished(number)
            self.advance(sum(int(sizes[low:high].sum()) for low, high in finished))
            for low, high in _unfinished(finished, sizes, join.bytes_per_value, self.memory - OVERHEAD):
                part = counts[:, low:high]
                with atomic_write(self.folder / f"pairs-{number}-{low}-{high}") as file:
                    joined = join.join(group, bits, low, part, copies=number == 0, repeats=repeats)
                    for pairs in self.across.of(joined) if self.across else starmap(in_order, joined):
                        np.stack(pairs, axis=1).tofile(file)
                self.advance(int(part.sum()))

    def _finished(self, number: int) -> list[tuple[int, int]]:
        """Return the ranges of buckets of an order whose pairs are written, ascending."""
        names = (re.fullmatch(_PART_NAME, path.name) for path in self._files())
        return sorted((int(name[2]), int(name[3])) for name in names if name and int(name[1]) == number)

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("pairs-*-*-*"))


def _has_copy(rows: Values) -> bool:
    same = rows[:, 0] == rows[:, 1]
    return bool(same.any() if same.ndim == 1 else same.all(axis=1).any())


def _unfinished(
    finished: list[tuple[int, int]], sizes: Positions, bytes_each: int, memory: int
) -> Iterator[tuple[int, int]]:
    """Yield ranges of the other buckets whose items fit into the memory."""
    start = 0
    for low, high in [*finished, (len(sizes), len(sizes))]:
        if start < low:
            for first, last in _parts(sizes[start:low], bytes_each, memory):
                yield start + first, start + last
        start = high


def _parts(sizes: Positions, bytes_each: int, memory: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of buckets whose items fit into the memory.

    Raises:
        LookupParameterError: a bucket alone does not.
    """
    low, total, largest = 0, 0, 0
    for bucket, size in enumerate(sizes.tolist()):
        # What is joined at a time, besides the part, is as large as a bucket.
        if bytes_each * 2 * size > memory:
            needed = -(-(bytes_each * 2 * size + OVERHEAD) >> 20)
            raise LookupParameterError(
                f"{size:,} items share their first bits and need {needed:,} MiB of memory; raise the limit"
            )
        if bytes_each * (total + size + max(largest, size)) > memory:
            yield low, bucket
            low, total, largest = bucket, 0, 0
        total, largest = total + size, max(largest, size)
    yield low, len(sizes)


def _rows(files: Iterable[Path], lanes: int) -> Iterator[Values]:
    """Yield the pairs of files in pieces of shape (p, 2) or (p, 2, lanes)."""
    for path in files:
        for chunk in read_pieces(path, 2 * lanes, 0, path.stat().st_size // (16 * lanes)):
            yield chunk if lanes == 1 else chunk.reshape(-1, 2, lanes)


def _write_sorted(files: list[Path], output: Path, lanes: int, memory: int) -> None:
    """Write the pairs of all files to the output, rows ascending."""
    sizes = np.zeros(1 << _SORT_BITS, np.int64)
    for rows in _rows(files, lanes):
        sizes += np.bincount(_sort_buckets(rows), minlength=1 << _SORT_BITS)
    shape = (int(sizes.sum()), 2) if lanes == 1 else (int(sizes.sum()), 2, lanes)
    with atomic_write(output) as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<u8", "fortran_order": False, "shape": shape})
        for low, high in _parts(sizes, 16 * lanes * _SORTED + 8, memory - OVERHEAD):
            chosen = [np.empty((0, *shape[1:]), np.uint64)]
            for rows in _rows(files, lanes):
                buckets = _sort_buckets(rows)
                chosen.append(rows[(buckets >= low) & (buckets < high)])
            pairs = np.concatenate(chosen)
            del chosen
            pairs = pairs[np.lexsort((sort_keys(pairs[:, 1]), sort_keys(pairs[:, 0])))]
            pairs.tofile(file)


def _sort_buckets(rows: Values) -> Positions:
    first = rows[:, 0] if rows.ndim == 2 else rows[:, 0, 0]
    return (first >> np.uint64(LANE_BITS - _SORT_BITS)).view(np.int64)
