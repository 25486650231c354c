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
from pathlib import Path

import numpy as np
import xxhash

from simhash_doc import __version__
from simhash_doc.engines.lanes import LANE_BITS, popcount
from simhash_doc.files import OUTPUT, RUN, PartFolder, atomic_write
from simhash_doc.lookup.arrays import Positions, Values, as_values, empty_values, in_order, scheme_of, sort_keys
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.bucket_join import BucketJoin, first_bits, is_worthwhile
from simhash_doc.lookup.errors import LookupParameterError, PairSearchError
from simhash_doc.lookup.pairs import Pairs
from simhash_doc.lookup.planner import join_blocks
from simhash_doc.lookup.sorted_join import SortedJoin
from simhash_doc.lookup.value_source import ArraySource, FileSource, ValueSource

OVERHEAD = 256 << 20  # bytes of the program and of what does not grow with the fingerprints
_SORTED = 4  # a pair that is sorted takes this many times its size, and 8 bytes
_SORT_BITS = 16
_ROWS = 1 << 20  # pairs
_PART_NAME = r"pairs-([0-9]+)-([0-9]+)-([0-9]+)"  # the number of the order, and the range of its buckets

Advance = Callable[[int], object]
PathName = str | os.PathLike[str]


def find_all_on_disk(
    values: PathName | Values,
    output: PathName,
    blocks: int | None = None,
    distance: int | None = None,
    *,
    memory: int,
    advance: Advance = lambda count: None,
) -> Pairs:
    """Write the pairs that `find_all` returns to a file, with a limit on the memory.

    A run that was interrupted resumes if it is repeated with the same arguments; only the memory may be another. It
    keeps the pairs that it has found in the folder OUTPUT.partial, which takes up to twice the size of the output.

    Args:
        values: a .npy file of shape (n,) or (n, lanes), uint64, which is read in pieces; or such an array.
        output: a .npy file of shape (p, 2) or (p, 2, lanes), uint64: `Pairs.values`. It is replaced in the end.
        blocks: as for `find_all`.
        distance: as for `find_all`.
        memory: bytes that the search may take in all, without `values` if they are an array.
        advance: called with a number of fingerprints that were processed; (distance + 1) n in all.

    Returns:
        The pairs, mapped from the output.

    Raises:
        OSError: a file cannot be read or written.
        BadValueError: `values` is not an array of fingerprints.
        LookupParameterError: not 0 <= distance < blocks <= bits; or the memory is too small for the fingerprints that
            share their first bits; or there is an unfinished run with other arguments.
        TooExpensiveError: as for `find_all`.
        PairSearchError: another process is writing the output, or the folder of the run is corrupt.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> np.save(folder / "values.npy", np.array([0, 7, 15, 7], np.uint64))
    >>> find_all_on_disk(folder / "values.npy", folder / "pairs.npy", memory=1 << 30).values.tolist()
    [[0, 7], [7, 7], [7, 15]]
    """
    source = FileSource.open(values) if isinstance(values, str | os.PathLike) else ArraySource(as_values(values))
    with pairs_on_disk(source, output, blocks, distance, memory, advance) as found:
        found.replace(output)
    return mapped_pairs(source, output)


@contextmanager
def pairs_on_disk(
    source: ValueSource, output: PathName, blocks: int | None, distance: int | None, memory: int, advance: Advance
) -> Iterator[Path]:
    """Yield the file of the pairs, in the folder OUTPUT.partial, which is deleted when the block ends without an error.

    Arguments and errors are those of `find_all_on_disk`.
    """
    if memory <= OVERHEAD:
        raise LookupParameterError(
            f"the limit of the memory is {memory >> 20:,} MiB; more than {OVERHEAD >> 20:,} MiB are needed"
        )
    known = scheme_of(empty_values(source.lanes))
    distance = known.close if distance is None else distance
    blocks = join_blocks(len(source), known.bits, distance) if blocks is None else blocks
    blocking = Blocking(known.bits, blocks, distance)
    folder = PartFolder(Path(f"{os.fspath(output)}.partial"), _PART_NAME, PairSearchError, LookupParameterError)
    try:
        yield _Run(source, blocking, folder, memory, advance).complete()
        (folder.path / RUN).unlink(missing_ok=True)  # first: without it, no part is trusted
        folder.remove()
    finally:
        folder.close()


def mapped_pairs(source: ValueSource, path: PathName) -> Pairs:
    """Return the pairs of a file that `find_all_on_disk` has written."""
    pairs = np.load(path, mmap_mode="r", allow_pickle=False)
    dtype: type[np.unsignedinteger] = np.uint8 if source.lanes == 1 else np.uint16
    distances = np.empty(len(pairs), dtype)
    for start in range(0, len(pairs), _ROWS):
        part = pairs[start : start + _ROWS]
        distances[start : start + _ROWS] = popcount(part[:, 0] ^ part[:, 1])
    return Pairs(source.mapped(), pairs, distances)


@dataclass(frozen=True, slots=True)
class _Run:
    source: ValueSource
    blocking: Blocking
    folder: PartFolder
    memory: int
    advance: Advance

    def complete(self) -> Path:
        """Write the sorted pairs, from where an earlier run was interrupted; return their file."""
        description = self._description()
        if not self.folder.exists(RUN):
            self.folder.clear()
            self.folder.write(RUN, description)
        self.folder.check_run(self.folder.read(RUN), description)
        output = self.folder.path / OUTPUT
        if not output.exists():
            self._find()
            _write_sorted(self._files(), output, self.blocking.lanes, self.memory)
        return output

    def _description(self) -> dict[str, object]:
        """Return everything on which the files of the run depend."""
        given: dict[str, object] = {
            "fingerprints": len(self.source),
            "bits": self.blocking.bits,
            "blocks": self.blocking.blocks,
            "distance": self.blocking.distance,
            "compiled": self._is_compiled(),
            "version": __version__,
        }
        if isinstance(self.source, FileSource):
            status = self.source.path.stat()
            return given | {
                "input": os.path.realpath(self.source.path),
                "bytes": status.st_size,
                "modified": status.st_mtime_ns,
            }
        digest = xxhash.xxh3_64()
        for chunk in self.source.chunks():
            digest.update(np.ascontiguousarray(chunk).data.cast("B") if len(chunk) else b"")
        return given | {"input": digest.hexdigest()}

    def _is_compiled(self) -> bool:
        return is_worthwhile(len(self.source), self.blocking.bits, self.blocking.distance)

    def _find(self) -> None:
        """Write the pairs of each part that an earlier run has not written."""
        kind = BucketJoin if self._is_compiled() else SortedJoin
        join = kind(self.source, self.blocking)
        for number, group in enumerate(self.blocking.groups):
            bits = first_bits(len(self.source), group.block)
            counts = join.count(group.block, bits)
            repeats = number > 0 and self._has_copies()
            sizes = counts.sum(axis=0)
            finished = self._finished(number)
            self.advance(sum(int(sizes[low:high].sum()) for low, high in finished))
            for low, high in _unfinished(finished, sizes, join.bytes_per_value, self.memory - OVERHEAD):
                part = counts[:, low:high]
                with atomic_write(self.folder.path / f"pairs-{number}-{low}-{high}") as file:
                    for pairs in join.join(group, bits, low, part, copies=number == 0, repeats=repeats):
                        np.stack(in_order(*pairs), axis=1).tofile(file)
                self.advance(int(part.sum()))

    def _finished(self, number: int) -> list[tuple[int, int]]:
        """Return the ranges of buckets of an order whose pairs are written, ascending."""
        names = (re.fullmatch(_PART_NAME, path.name) for path in self._files())
        return sorted((int(name[2]), int(name[3])) for name in names if name and int(name[1]) == number)

    def _has_copies(self) -> bool:
        files = [path for path in self._files() if path.name.startswith("pairs-0-")]
        lanes = self.blocking.lanes
        return any(map(_has_copy, _rows(files, lanes)))

    def _files(self) -> list[Path]:
        return sorted(self.folder.path.glob("pairs-*-*-*"))


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
        source = FileSource(path, 0, path.stat().st_size // (16 * lanes), 2 * lanes)
        for chunk in source.chunks():
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
