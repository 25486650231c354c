"""A corpus in a directory, which is changed by appending to it."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from simhash_doc.engines.lanes import popcount
from simhash_doc.ingest.provenance import Provenance
from simhash_doc.lookup.arrays import (
    AnyValue,
    AnyValues,
    Values,
    as_value,
    empty_values,
    from_ints,
    present_values,
    scheme_of,
)
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.corpus import Match, Matches, default_blocks
from simhash_doc.lookup.ids import Id, OptionalIds, present_optional_entries
from simhash_doc.lookup.probe import nearest_first
from simhash_doc.lookup.segmented.changes import Removed, inserted, removed
from simhash_doc.lookup.segmented.directory import changing, commit, created, last_number
from simhash_doc.lookup.segmented.manifest import MANIFEST, Manifest, read_manifest
from simhash_doc.lookup.segmented.merging import due, merged
from simhash_doc.lookup.segmented.snapshot import IndexSnapshot
from simhash_doc.schemes import get_scheme

PathName = str | os.PathLike[str]


class SegmentedCorpus:
    """A set of fingerprints of one scheme in a directory, with optional ids, exact for queries within `distance` bits.

    Answers are those of a `Corpus`. A change is on the disk when the call returns, and takes time in proportion to what
    is changed: so change many fingerprints at a time. Files are memory-mapped: only what is used takes memory.

    A corpus that is open answers as the index was when it was opened, last changed by this object, or refreshed,
    whatever other processes do. One process at a time changes an index. Any number of threads may query a corpus; one
    may change it.

    Attributes:
        directory: the directory of the index.
        scheme, distance, blocks: as of `Corpus`.
    """

    def __init__(self, directory: Path, snapshot: IndexSnapshot) -> None:
        """Use `open` or `build`."""
        self.directory = directory
        self._snapshot = snapshot
        self._locked = False
        blocking = snapshot.manifest.blocking
        self.scheme = scheme_of(empty_values(blocking.lanes))
        self.distance, self.blocks = blocking.distance, blocking.blocks

    @classmethod
    def build(
        cls,
        directory: PathName,
        values: AnyValues = (),
        ids: OptionalIds | None = None,
        *,
        blocks: int | None = None,
        distance: int | None = None,
        scheme: str = "sd64",
        provenances: tuple[Provenance, ...] = (),
        force: bool = False,
    ) -> SegmentedCorpus:
        """Write an index of fingerprints.

        Args:
            directory: created if it does not exist; an existing one has no files other than those of an index.
            values: as for `insert_bulk`.
            ids: as for `insert_bulk`.
            blocks: as for `Corpus`.
            distance: as for `Corpus`.
            scheme: as for `Corpus`.
            provenances: the different provenances of the fingerprints.
            force: replace an index in the directory. Those who have it open keep it.

        Raises:
            FileExistsError: the directory has an index, or files that are not of an index.
            BlockingIOError: another process is writing the index.
            OSError: it cannot be written.
            BadValueError, LookupParameterError: as for `Corpus`.
        """
        known = get_scheme(scheme)
        distance = known.close if distance is None else distance
        blocking = Blocking(known.bits, default_blocks(known.bits, distance) if blocks is None else blocks, distance)
        array, names = present_optional_entries(values, ids, scheme)
        path = Path(os.path.realpath(directory))
        with created(path), changing(path):
            if not force and (path / MANIFEST).exists():
                raise FileExistsError(errno.EEXIST, "has an index", str(path))
            empty = Manifest(blocking, next_number=last_number(path) + 1, provenances=provenances)
            manifest, _ = inserted(path, IndexSnapshot(empty, ()), array, names)
            commit(path, manifest)
            return cls(path, IndexSnapshot.open(path, verify=False))

    @classmethod
    def open(cls, directory: PathName, *, verify: bool = True) -> SegmentedCorpus:
        """Open an index.

        Args:
            verify: compare all checksums, which reads all of the files.

        Raises:
            OSError: a file cannot be read.
            CorruptIndexError: a file is missing or corrupt; the message names it.
        """
        path = Path(os.path.realpath(directory))
        return cls(path, IndexSnapshot.open(path, verify=verify))

    @staticmethod
    def is_at(path: PathName) -> bool:
        """Return True if a path is a directory with an index."""
        return (Path(path) / MANIFEST).is_file()

    def __len__(self) -> int:
        """Return the number of distinct fingerprints."""
        return self._snapshot.manifest.fingerprints

    def __contains__(self, value: AnyValue) -> bool:
        row = from_ints([as_value(value, self.scheme.id)], self.scheme.lanes)
        return bool(self._snapshot.contains(row)[0])

    @property
    def manifest(self) -> Manifest:
        """What the index consists of."""
        return self._snapshot.manifest

    @property
    def provenances(self) -> tuple[Provenance, ...]:
        """The different provenances of the fingerprints, as far as they are known."""
        return self.manifest.provenances

    def files(self) -> list[str]:
        """Return the names of the files of the index in its directory."""
        return [MANIFEST, *(part.name for part in self.manifest.parts)]

    @property
    def nbytes(self) -> int:
        """Bytes of the tables of all segments."""
        return sum(one.segment.nbytes for one in self._snapshot.segments)

    def insert_bulk(
        self,
        values: AnyValues,
        ids: OptionalIds | None = None,
        *,
        provenances: tuple[Provenance, ...] | None = None,
    ) -> int:
        """Add n fingerprints; return how many distinct ones were absent.

        Args:
            values: as for `Corpus.insert_bulk`.
            ids: n ids, None for a fingerprint without one; or None.
            provenances: replaces those of the index; None keeps them.

        Raises:
            BadValueError: a value or an id is invalid, or their numbers differ; nothing is added then.
            BlockingIOError: another process is changing the index.
            OSError: the index cannot be read or written.
            CorruptIndexError: a file is missing or corrupt.
        """
        array, names = present_optional_entries(values, ids, self.scheme.id)
        with self.exclusive():
            manifest, count = inserted(self.directory, self._snapshot, array, names)
            self._commit(manifest if provenances is None else replace(manifest, provenances=provenances))
            self._merge_due()
        return count

    def remove_bulk(self, values: AnyValues, ids: OptionalIds | None = None) -> Removed:
        """Remove n fingerprints with all their ids; or those that have an id in `ids` only with this id.

        A fingerprint is removed with its last id. Removing an absent fingerprint or id changes nothing.

        Args:
            values: as for `insert_bulk`.
            ids: as for `insert_bulk`.

        Raises:
            BadValueError, BlockingIOError, OSError, CorruptIndexError: as for `insert_bulk`.
        """
        array, names = present_optional_entries(values, ids, self.scheme.id)
        with self.exclusive():
            manifest, count = removed(self.directory, self._snapshot, array, names)
            self._commit(manifest)
            self._merge_due()
        return count

    def find_first(self, value: AnyValue) -> int | None:
        """Return a stored fingerprint within the distance, or None. Which of several is unspecified."""
        return min(self._snapshot.find(as_value(value, self.scheme.id)), default=None)

    def find_all(self, value: AnyValue) -> list[int]:
        """Return all stored fingerprints within the distance, nearest first, then ascending."""
        query = as_value(value, self.scheme.id)
        return nearest_first(self._snapshot.find(query), query)

    def matches(self, value: AnyValue) -> list[Match]:
        """Return what `find_all` returns, with distances and ids."""
        query = as_value(value, self.scheme.id)
        return [Match(stored, (stored ^ query).bit_count(), self.ids_of(stored)) for stored in self.find_all(query)]

    def find_first_bulk(self, values: AnyValues) -> Matches:
        """Return one match per query that has any. If there are several, which one is unspecified."""
        return self._bulk(values, first_only=True)

    def find_all_bulk(self, values: AnyValues) -> Matches:
        """Return all matches of each query; those of one query are in no particular order."""
        return self._bulk(values, first_only=False)

    def ids_of(self, value: AnyValue) -> tuple[Id, ...]:
        """Return the ids of a stored fingerprint in the order of insertion; empty if it has none or is not stored."""
        return self._snapshot.ids_of(as_value(value, self.scheme.id))

    def values(self) -> Values:
        """Return the stored fingerprints in memory, ascending, shape (n,), or (n, lanes) over 64 bits."""
        return self._snapshot.values()

    def merge(self) -> None:
        """Merge all parts into one segment, which makes queries faster, in about the time of a build.

        It takes about 40 bytes of memory for each fingerprint, and 50 for each id.

        Raises:
            BlockingIOError, OSError, CorruptIndexError: as for `insert_bulk`.
        """
        with self.exclusive():
            if len(self.manifest.parts) > 1:
                everything = slice(0, len(self.manifest.parts))
                self._commit(merged(self.directory, self._snapshot, everything, limited=False))

    def refresh(self) -> None:
        """Answer from now on as the index is now.

        Raises:
            OSError, CorruptIndexError: as for `open`.
        """
        self._snapshot = IndexSnapshot.open(self.directory, verify=False)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Let no other process change the index before the block ends, and refresh; blocks of one object may be nested.

        Raises:
            BlockingIOError: another process is changing the index.
            OSError, CorruptIndexError: as for `open`.
        """
        if self._locked:
            yield
            return
        read_manifest(self.directory)
        with changing(self.directory):
            self._locked = True
            try:
                if read_manifest(self.directory) != self.manifest:
                    self.refresh()
                yield
            finally:
                self._locked = False

    def _bulk(self, values: AnyValues, *, first_only: bool) -> Matches:
        queries, places = present_values(values, self.scheme.id)
        at, found = self._snapshot.search(queries, first_only=first_only)
        return Matches(at if places is None else places[at], found, popcount(queries[at] ^ found))

    def _merge_due(self) -> None:
        while (chosen := due(self.manifest)) is not None:
            self._commit(merged(self.directory, self._snapshot, chosen))

    def _commit(self, manifest: Manifest) -> None:
        if manifest != self.manifest:
            commit(self.directory, manifest)
            self.refresh()
