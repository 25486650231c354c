"""A corpus of fingerprints that finds all stored ones within a distance of a query, in memory or in a directory."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.arguments import Many, collection, integer
from simhash_doc.arrays import (
    Lanes,
    Values,
    distinct_rows,
    ints_from_lanes,
    is_among,
    lanes_from_ints,
    popcount,
    sort_keys,
    sorted_rows,
    values_from_lanes,
)
from simhash_doc.files import followed
from simhash_doc.lookup.array_file import PathName
from simhash_doc.lookup.available import check_available
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.directory import MANIFEST, IndexDirectory, read_manifest
from simhash_doc.lookup.errors import CorruptIndexError, LookupParameterError
from simhash_doc.lookup.ids import Id, Ids, SortedIds, check_id, present_entries
from simhash_doc.lookup.inputs import AnyValue, AnyValues, Marks, as_value, one_mark, sized_lanes
from simhash_doc.lookup.matches import Match, Matches
from simhash_doc.lookup.nearest import as_near_as_kth, find_nearest
from simhash_doc.lookup.planning.index import usual_blocks
from simhash_doc.lookup.segments import (
    Delta,
    Segment,
    SegmentWriter,
    Snapshot,
    merge_due,
    merged,
)
from simhash_doc.lookup.tables import bytes_of_tables
from simhash_doc.provenance import Provenance, provenances_of
from simhash_doc.schemes import AnyScheme, get_scheme, or_close, scheme_of_bits

_USUAL_SIZE = 1_000_000
_USUAL_TABLES = 100  # at most; 378 tables, as for sd256, would take 4 KB a fingerprint
_DELTA_LIMIT = 8192  # changes; a delta takes about 200 bytes for each value and table
_DELTA_BATCH = 256  # more new values at a time become a segment at once


class RemoveResult(NamedTuple):
    """How many ids were removed, and how many fingerprints that were given without an id.

    >>> corpus = Corpus()
    >>> corpus.add_many([7, 255], ids=["a", "b"])
    2
    >>> corpus.remove_many([7], ids=["a"])
    RemoveResult(ids=1, fingerprints=0)
    """

    ids: int
    fingerprints: int


class Corpus:
    """A set of fingerprints of one scheme, with optional ids. All queries are exact, and fast within `distance` bits.

    Permuted tables after Manku, Jain and Das Sarma 2007: C(blocks, distance) sorted tables, each
    keyed by another choice of blocks (spec/search.md, section 4).

    A corpus is in memory, or in a directory (see `build`). In memory, insertions and removals between queries are cheap
    and take effect at once; `save` writes a directory. In a directory, a change is on the disk when the call returns.
    Its time grows with the size of the change, so change many fingerprints at a time. Files are memory-mapped, so only
    the parts in use take memory. The corpus shows the index as it was when this object opened, changed or refreshed it.
    Only one process at a time can change an index.

    Any number of threads may use a corpus. Bulk queries and `save` use the corpus as it was when they began.

    A copy (`copy`, `deepcopy`, `pickle`) of a corpus in memory is independent of the original. A copy of a corpus in a
    directory opens the index again, without comparing checksums. A pickle contains the path, not the files.

    Args:
        distance: maximum number of differing bits; None for the close threshold of the scheme.
        blocks: number of blocks, greater than `distance`, at most the number of bits. It affects speed and memory (see
            `plan`), never the answers. None for the best number for a million fingerprints.
        scheme: the scheme.

    Raises:
        TypeError: a number is not an integer.
        LookupParameterError: not 0 <= distance < blocks <= bits.

    >>> corpus = Corpus()
    >>> corpus.insert(7, id="a.txt"), corpus.insert(7, id="b.txt"), corpus.insert(2**64 - 1)
    (True, False, True)
    >>> corpus.find(0)
    [Match(value=7, distance=3, ids=('a.txt', 'b.txt'))]
    >>> corpus.find_all(0), corpus.find_first(255), 7 in corpus, len(corpus)
    ([7], None, True, 2)
    """

    def __init__(self, *, distance: int | None = None, blocks: int | None = None, scheme: AnyScheme = "sd64") -> None:
        known = get_scheme(scheme)
        distance = or_close(known, distance)
        if blocks is None:
            blocks = usual_blocks(known.bits, distance, _USUAL_SIZE, _USUAL_TABLES)
        blocks = integer(blocks, "blocks", 1, error=LookupParameterError)
        self._set(Snapshot(Blocking(known.bits, blocks, distance)))

    def _set(self, snapshot: Snapshot, directory: IndexDirectory | None = None) -> None:
        blocking = snapshot.blocking
        self.scheme = scheme_of_bits(blocking.bits)
        self.blocks, self.distance = blocking.blocks, blocking.distance
        self._snapshot, self._directory = snapshot, directory
        self._marks = _marks_of(snapshot)
        self._delta = Delta(blocking)  # in a directory always empty
        self._with_delta: Snapshot | None = snapshot  # the content with the delta, until it changes
        self._lock = RLock()
        # In memory, the delta is not changed while it is searched. In a directory, readers need not wait for a change.
        self._reading: AbstractContextManager[object] = nullcontext() if directory else self._lock
        self._is_exclusive = False

    def __getstate__(self) -> dict[str, object]:
        """Return what copies are made of: the content in memory, or where it is."""
        snapshot = self._now()
        blocking = snapshot.blocking
        state: dict[str, object] = {"parameters": (blocking.bits, blocking.blocks, blocking.distance)}
        if self._directory:
            return state | {"directory": self._directory.path, "mapped": self._directory.mapped}
        return state | {"content": snapshot.content(), "provenances": snapshot.provenances, "marks": {*self._marks}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Restore a copy.

        Raises:
            OSError, CorruptIndexError: of a corpus in a directory, as for `refresh`.
        """
        blocking = Blocking(*state["parameters"])
        if "directory" in state:
            directory, snapshot = _reopened(state["directory"], blocking, mapped=state["mapped"])
            self._set(snapshot, directory)
            return
        values, ids = state["content"]
        segments = tuple(SegmentWriter(blocking).segments(values, ids))
        snapshot = Snapshot(blocking, segments, len(values), len(ids) if ids else 0, state["provenances"])
        snapshot.build()
        self._set(snapshot)
        self._marks = state["marks"]

    @classmethod
    def build(
        cls,
        directory: PathName,
        values: AnyValues = (),
        *,
        ids: Ids | None = None,
        distance: int | None = None,
        blocks: int | None = None,
        scheme: AnyScheme = "sd64",
        force: bool = False,
    ) -> Corpus:
        """Write a new corpus to a directory. Each later change is written there at once.

        Args:
            directory: created if it does not exist; an existing one is empty.
            values: as for `add_many`.
            ids: as for `add_many`.
            distance: as for `Corpus`.
            blocks: as for `Corpus`.
            scheme: as for `Corpus`.
            force: replace an index in the directory. Programs that have it open keep it.

        Raises:
            FileExistsError: the directory is not empty, or with `force` contains files of no index.
            BlockingIOError: another process is writing the index.
            OSError: it cannot be written.
            TypeError, BadValueError, LookupParameterError: as for `Corpus` and `add_many`.

        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> corpus = Corpus.build(f"{folder.name}/corpus.sdix", [0, 7], ids=["zero", "seven"])
        >>> Corpus.open(f"{folder.name}/corpus.sdix").find(1, limit=1)
        [Match(value=0, distance=1, ids=('zero',))]
        """
        empty = cls(distance=distance, blocks=blocks, scheme=scheme)
        return build_index(directory, empty, values, ids, force=force)

    @classmethod
    def open(cls, path: PathName, *, verify: bool = True, mapped: bool = True) -> Corpus:
        """Open the corpus in a directory. Each later change is written there at once.

        Args:
            path: a directory that `build` or `save` has written.
            verify: compare all checksums, which reads all of the files.
            mapped: map the files, so that only the used parts take memory. Do not change a file in place while it is
                open: if another program truncates it, the system ends this process (SIGBUS). This package never
                truncates a file. False reads all files into memory, so later changes do no harm.

        Raises:
            OSError: a file cannot be read.
            CorruptIndexError: the index or one of its files is missing or was changed; the message names the file.

        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> corpus = Corpus()
        >>> corpus.insert(7, id="a.txt")
        True
        >>> corpus.save(f"{folder.name}/corpus.sdix")
        >>> saved = Corpus.open(f"{folder.name}/corpus.sdix")
        >>> saved.insert(255), len(Corpus.open(f"{folder.name}/corpus.sdix"))
        (True, 2)
        """
        corpus = cls.__new__(cls)
        directory, snapshot = IndexDirectory.open(followed(path), verify=verify, mapped=mapped)
        corpus._set(snapshot, directory)
        return corpus

    def __len__(self) -> int:
        """Return the number of distinct fingerprints."""
        with self._reading:
            return self._snapshot.fingerprints + self._delta.count()

    @property
    def id_count(self) -> int:
        """Number of ids of all fingerprints."""
        with self._reading:
            return self._snapshot.ids + self._delta.id_count

    @property
    def provenances(self) -> tuple[Provenance, ...]:
        """The different provenances of the fingerprints, as far as known; saved with them."""
        return self._snapshot.provenances

    @property
    def canonical(self) -> bool:
        """False if fingerprints of the corpus are customised (``+custom``), as far as known; saved with them."""
        return False not in self._marks

    @property
    def directory(self) -> Path | None:
        """The directory that the corpus is in; None for one in memory."""
        return self._directory.path if self._directory else None

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments of the corpus, without recent changes in memory."""
        return self._snapshot.segments

    @property
    def nbytes(self) -> int:
        """Bytes of the tables, without ids and recent insertions."""
        snapshot = self._snapshot
        return sum(bytes_of_tables(len(segment.values), snapshot.blocking) for segment in snapshot.segments)

    @property
    def tables(self) -> int:
        """Number of permuted tables of each segment."""
        return len(self._snapshot.blocking)

    def files(self) -> list[str]:
        """Return the names of the files of the corpus in its directory; none if it is in memory.

        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> corpus = Corpus.build(f"{folder.name}/corpus.sdix", [0, 7], ids=["zero", "seven"])
        >>> len(corpus.files()), Corpus().files()
        (2, [])
        """
        return self._directory.files() if self._directory else []

    def __repr__(self) -> str:
        where = f" in {self.directory}" if self.directory else ""
        return f"<Corpus{where}: {len(self):,} fingerprints of {self.scheme}, distance {self.distance}>"

    def __contains__(self, value: AnyValue) -> bool:
        with self._reading:
            return self._has(as_value(value, self.scheme))

    def insert(self, value: AnyValue, *, id: Id | None = None) -> bool:  # noqa: A002
        """Add a fingerprint, or one more id of it; return True if the fingerprint was absent.

        If the entry is already stored, nothing changes.

        Raises:
            BadValueError: the value is not a fingerprint, or the id neither str nor int.
            SchemeMismatchError: the value has a different scheme (SD-LOOK-4).
            BlockingIOError, OSError, CorruptIndexError: in a directory, as for `add_many`.

        >>> corpus = Corpus()
        >>> corpus.insert("sd64:larqgiqsckcca", id="a"), corpus.insert("sd64:larqgiqsckcca", id="a")
        (True, False)
        """
        name = None if id is None else check_id(id)
        if self._directory:
            as_value(value, self.scheme)  # of one value, the error names no position
            return bool(self.add_many([value], ids=[name]))
        return self._insert(as_value(value, self.scheme, self._marks), name)

    def _insert(self, value: int, name: Id | None) -> bool:
        with self._lock:
            is_new = not self._has(value)
            if is_new or (name is not None and name not in self._ids_of(value)):
                self._add(value, () if name is None else (name,), is_new=is_new)
                self._settle()
            return is_new

    def add_many(
        self, values: AnyValues, *, ids: Ids | None = None, provenances: Sequence[Provenance] | None = None
    ) -> int:
        """Add n fingerprints; return how many distinct ones were absent.

        Args:
            values: `Fingerprints`, an array, a collection, a column or a table, as for `simhash_doc.lookup.find_all`.
                Missing entries, which have no fingerprint, are skipped with their ids.
            ids: n ids, each a str, an int or None for a fingerprint without one; or None.
            provenances: replaces those of the corpus; None keeps them.

        Raises:
            TypeError: the values or the ids are not a collection with an order, for example one str.
            BadValueError: a value or an id is invalid, or their numbers differ; or customised and canonical
                fingerprints would come together in a directory, which has one mark for all; nothing is added then.
            SchemeMismatchError: a value has a different scheme (SD-LOOK-4); nothing is added then.
            TooLargeError: the corpus is in memory, and less is free than its tables need; nothing is added then.
            BlockingIOError: another process is changing the directory.
            OSError: the directory cannot be read or written.
            CorruptIndexError: a file of it is missing or corrupt.

        >>> corpus = Corpus()
        >>> corpus.add_many([7, 7, None], ids=["a", "b", "c"]), corpus.ids_of(7)
        (1, ('a', 'b'))
        """
        return add_entries(self, values, ids, provenances, {*self._marks})

    def _add_entries(
        self, array: Lanes, names: Sequence[Id | None] | None, provenances: Sequence[Provenance] | None, marks: Marks
    ) -> int:
        with self.exclusive():
            base = self._snapshot if provenances is None else replace(self._snapshot, provenances=tuple(provenances))
            marks = marks | self._marks | _marks_of(base)
            if self._directory:
                base = replace(base, canonical=one_mark(marks, self._directory.path))
            self._marks = marks
            if self._directory is None and len(array) <= _DELTA_BATCH:
                self._snapshot, self._with_delta = base, None
                return sum(map(self._insert, ints_from_lanes(array), repeat(None) if names is None else names))
            new, new_ids = self._new_entries(array, names)
            if self._directory is None:
                self._check_available(len(new))
            added = self._writer.segments(new, new_ids)
            self._append(self._with_segments(base).plus(added, len(new), len(new_ids) if new_ids else 0))
            return len(new)

    def _check_available(self, added: int) -> None:
        """Raise `TooLargeError` if the tables of new fingerprints do not fit into the memory that is free."""
        needed = bytes_of_tables(added, self._snapshot.blocking)
        what = f"a corpus in memory with {self.tables} tables of {added:,} new fingerprints"
        instead = "build it in a directory (Corpus.build, or `simhash-doc index build`), or choose fewer blocks"
        check_available(needed, what, instead)

    def remove(self, value: AnyValue, *, id: Id | None = None) -> bool:  # noqa: A002
        """Remove a fingerprint with all its ids, or one id of it; return True if it was stored.

        A fingerprint is removed with its last id. Removing an absent fingerprint or id changes nothing.

        Raises:
            BadValueError: the value is not a fingerprint.
            SchemeMismatchError: it has a different scheme (SD-LOOK-4).
            BlockingIOError, OSError, CorruptIndexError: in a directory, as for `add_many`.

        >>> corpus = Corpus()
        >>> corpus.insert(7), corpus.remove(7), corpus.remove(7), len(corpus)
        (True, True, False, 0)
        """
        return self._remove(as_value(value, self.scheme), None if id is None else check_id(id))

    def _remove(self, value: int, name: Id | None = None) -> bool:
        if self._directory:
            return any(self.remove_many([value], ids=None if name is None else [name]))
        with self._lock:
            own = self._ids_of(value)
            is_stored = self._has(value) if name is None else name in own
            if is_stored:
                self._delta.remove(value, len(own))
                kept = () if name is None else [one for one in own if one != name]
                self._add(value, kept, is_new=bool(kept))
                self._settle()
            return is_stored

    def remove_many(self, values: AnyValues, *, ids: Ids | None = None) -> RemoveResult:
        """Remove n fingerprints with all their ids. Where `ids` gives an id, remove only this id.

        A fingerprint is removed with its last id. Removing an absent fingerprint or id changes nothing.

        Args:
            values: as for `add_many`.
            ids: as for `add_many`.

        Returns:
            How many ids were removed one by one, and how many fingerprints with all their ids.

        Raises:
            BadValueError, BlockingIOError, OSError, CorruptIndexError: as for `add_many`.

        >>> corpus = Corpus()
        >>> corpus.add_many([7, 255])
        2
        >>> corpus.remove_many([7, 9]), corpus.values().tolist()
        (RemoveResult(ids=0, fingerprints=1), [255])
        """
        array, names = present_entries(values, ids, self.scheme)
        with self.exclusive():
            named = [] if names is None else [(at, name) for at, name in enumerate(names) if name is not None]
            places = [at for at, _ in named]
            unnamed = np.delete(array, places, axis=0)
            entries = [(value, name) for value, (_, name) in zip(ints_from_lanes(array[places]), named, strict=True)]
            if not self._directory and len(array) <= _DELTA_BATCH:
                lost = sum(self._remove(value, name) for value, name in entries)
                return RemoveResult(lost, sum(map(self._remove, ints_from_lanes(unnamed))))
            # What is left of the ids of each fingerprint. One that keeps some is removed and inserted again with these.
            left: dict[int, dict[Id, None]] = {}
            lost = 0
            for value, name in entries:
                own = left[value] if value in left else dict.fromkeys(self._ids_of(value))
                if name in own:
                    del own[name]
                    left[value] = own
                    lost += 1
            emptied = lanes_from_ints(sorted(value for value, own in left.items() if not own), self.scheme.lanes)
            complete = distinct_rows(sorted_rows(unnamed))
            complete = complete[self._contains(complete) & ~is_among(complete, emptied)]
            changed = lanes_from_ints(list(left), self.scheme.lanes)
            gone = distinct_rows(sorted_rows(np.concatenate((complete, changed))))
            for value in ints_from_lanes(complete):
                left.pop(value, None)
            if len(gone):
                again = lanes_from_ints([value for value, own in left.items() if own], self.scheme.lanes)
                kept = SortedIds.of_names(left, self.scheme.lanes)
                now, segments = self._now(), self._writer.segments(again, kept, gone)
                more = (len(kept) if kept else 0) - now.count_ids(gone)
                self._append(now.plus(segments, len(again) - len(gone), more))
            return RemoveResult(lost, len(complete))

    def remove_ids(self, ids: Many[Id]) -> set[Id]:
        """Remove ids of any fingerprints; return those that were stored. A fingerprint is removed with its last id.

        It reads all ids of the corpus.

        Raises:
            BadValueError, BlockingIOError, OSError, CorruptIndexError: as for `add_many`.

        >>> corpus = Corpus()
        >>> corpus.insert(5, id="a"), corpus.insert(5, id="b"), corpus.insert(3, id="b")
        (True, False, True)
        >>> corpus.remove_ids(["b", "c"]), corpus.entries()
        ({'b'}, (array([5], dtype=uint64), ['a']))
        """
        given: Iterable[Id] = collection(ids, "ids", "ids", ordered=False)
        wanted = {check_id(one) for one in given}
        with self.exclusive():
            values, names = self.entries()
            chosen = {at: name for at, name in enumerate(names or ()) if name is not None and name in wanted}
            if chosen:
                self.remove_many(values[[*chosen]], ids=[*chosen.values()])
            return {*chosen.values()}

    def find_first(self, value: AnyValue) -> int | None:
        """Return some stored fingerprint within the distance as an int, or None if there is none.

        >>> corpus = Corpus()
        >>> corpus.insert(7), corpus.find_first(0), corpus.find_first(255)
        (True, 7, None)
        """
        query = as_value(value, self.scheme, {*self._marks})
        with self._reading:
            return next(self._near(query), None)

    def find_all(self, value: AnyValue) -> list[int]:
        """Return all stored fingerprints within the distance as ints, nearest first, then ascending.

        `find` also returns distances and ids, and `find_many` takes many queries. `simhash_doc.lookup.find_all` answers
        a different question: which of many fingerprints are near each other.

        >>> corpus = Corpus()
        >>> corpus.add_many([0, 7, 255]), corpus.find_all(1)
        (3, [0, 7])
        """
        query = as_value(value, self.scheme, {*self._marks})
        return [stored for _, stored in self._found(query, self.distance)]

    def find(self, value: AnyValue, *, distance: int | None = None, limit: int | None = None) -> list[Match]:
        """Return the stored fingerprints within a distance, nearest first, then ascending, with their ids.

        Args:
            value: a `Fingerprint`, its text form, its bytes or an int.
            distance: maximum number of differing bits; None for the distance of the corpus. A larger distance is also
                exact, but compares all fingerprints.
            limit: maximum number of matches; None for all.

        Raises:
            TypeError: a number is not an integer.
            BadValueError: the value is not a fingerprint.
            SchemeMismatchError: it has a different scheme (SD-LOOK-4).
            LookupParameterError: the distance is not in 0 to bits - 1, or the limit is under 1.

        >>> corpus = Corpus()
        >>> corpus.add_many([0, 7, 255], ids=["zero", "seven", "many"])
        3
        >>> corpus.find(1, distance=10, limit=2)
        [Match(value=0, distance=1, ids=('zero',)), Match(value=7, distance=2, ids=('seven',))]
        """
        query, most, limit = as_value(value, self.scheme, {*self._marks}), self._distance(distance), _limit(limit)
        with self._reading:
            return [Match(stored, bits, self._ids_of(stored)) for bits, stored in self._found(query, most)[:limit]]

    def find_many(self, values: AnyValues, *, distance: int | None = None, limit: int | None = None) -> Matches:
        """Return what `find` returns for each of many queries, which are searched together.

        Args:
            values: as for `add_many`; a missing one finds nothing.
            distance: as for `find`.
            limit: as for `find`, for each query.

        Returns:
            A list of `Match` for each query, in the order of the queries; and all matches as arrays.

        Raises:
            TypeError: the values are not a collection with an order, or a number is not an integer.
            BadValueError, LookupParameterError: as for `find`.

        >>> corpus = Corpus()
        >>> corpus.add_many([0, 7, 255], ids=["zero", "seven", "many"])
        3
        >>> [[match.ids for match in matches] for matches in corpus.find_many([3, 2**63, 2**40 - 1])]
        [[('seven',), ('zero',)], [('zero',)], []]
        """
        most, limit = self._distance(distance), _limit(limit)
        given, places, count = sized_lanes(values, "values", self.scheme, {*self._marks})
        found = [(np.empty(0, np.int64), given[:0])]
        snapshot = self._now()
        if most <= self.distance:
            found.append(snapshot.search(given))
        else:
            stored = snapshot.content()[0]
            near = ((at, popcount(stored ^ query) <= most) for at, query in enumerate(given))
            found += ((np.full(np.count_nonzero(is_near), at), stored[is_near]) for at, is_near in near)
        at = np.concatenate([positions for positions, _ in found])
        near_values = np.concatenate([rows for _, rows in found])
        distances = popcount(given.take(at, axis=0) ^ near_values)
        if most < self.distance:
            kept = distances <= most
            at, near_values, distances = at[kept], near_values[kept], distances[kept]
        order = np.lexsort((sort_keys(near_values), distances, at))
        if limit is not None:
            ordered = at[order]
            order = order[np.arange(len(order)) - np.searchsorted(ordered, ordered) < limit]
        at = at[order]
        queries = at if places is None else places[at]
        return Matches(count, queries, values_from_lanes(near_values[order]), distances[order], self.ids_of)

    def nearest(self, value: AnyValue, *, k: int = 1) -> list[Match]:
        """Return exactly the k nearest stored fingerprints at any distance: nearest first, then ascending.

        If fewer than k are within the distance of the corpus, all stored fingerprints are compared. `nearest_many`
        takes many queries.

        Args:
            value: as for `find`.
            k: number of fingerprints; fewer if the corpus has fewer.

        Raises:
            TypeError: k is not an integer.
            BadValueError: the value is not a fingerprint.
            SchemeMismatchError: it has a different scheme (SD-LOOK-4).
            LookupParameterError: k is under 1.

        >>> corpus = Corpus()
        >>> corpus.add_many([0, 7, 2**40 - 1])
        3
        >>> [(match.value, match.distance) for match in corpus.nearest(2**20 - 1, k=2)]
        [(7, 17), (0, 20)]
        """
        query, k = as_value(value, self.scheme, {*self._marks}), integer(k, "k", 1, error=LookupParameterError)
        with self._reading:
            found = self._found(query, self.distance)[:k]
            if len(found) < min(k, len(self)):
                stored = self._now().content()[0]
                distances = popcount(stored ^ lanes_from_ints([query], self.scheme.lanes))
                near = as_near_as_kth(distances, k)  # all of equal distance, so that the smallest values are found
                found = sorted(zip(distances[near].tolist(), ints_from_lanes(stored[near]), strict=True))[:k]
            return [Match(stored, bits, self._ids_of(stored)) for bits, stored in found]

    def nearest_many(self, values: AnyValues, *, k: int = 1) -> Matches:
        """Return what `nearest` returns for each of many queries, by comparing all on all cores.

        Args:
            values: as for `add_many`; a missing one finds nothing.
            k: as for `nearest`.

        Returns:
            A list of `Match` for each query, in the order of the queries; and all matches as arrays.

        Raises:
            TypeError: the values are not a collection with an order, or k is not an integer.
            BadValueError: a value is not a fingerprint of the scheme.
            LookupParameterError: k is under 1.

        >>> corpus = Corpus()
        >>> corpus.add_many([0, 7, 2**40 - 1])
        3
        >>> [[(match.value, match.distance) for match in found] for found in corpus.nearest_many([1, 2**20 - 1], k=2)]
        [[(0, 1), (7, 2)], [(7, 17), (0, 20)]]
        """
        k = integer(k, "k", 1, error=LookupParameterError)
        given, places, count = sized_lanes(values, "values", self.scheme, {*self._marks})
        stored = self._now().values()
        top = find_nearest(stored, given, k)
        at = np.repeat(np.arange(len(given)), top.positions.shape[1])
        near_values = stored.take(top.positions.ravel(), axis=0)
        distances = popcount(given.take(at, axis=0) ^ near_values)
        queries = at if places is None else places[at]
        return Matches(count, queries, values_from_lanes(near_values), distances, self.ids_of)

    def _distance(self, distance: int | None) -> int:
        if distance is None:
            return self.distance
        return integer(distance, "distance", 0, self.scheme.bits - 1, LookupParameterError)

    def _found(self, query: int, distance: int) -> list[tuple[int, int]]:
        """Return the distances and values of the stored fingerprints within a distance of one, ascending."""
        with self._reading:
            if distance <= self.distance:
                near = [((stored ^ query).bit_count(), stored) for stored in set(self._near(query))]
                return sorted(one for one in near if one[0] <= distance)
            stored = self._now().content()[0]
            distances = popcount(stored ^ lanes_from_ints([query], self.scheme.lanes))
            at = np.flatnonzero(distances <= distance)
            return sorted(zip(distances[at].tolist(), ints_from_lanes(stored[at]), strict=True))

    def ids_of(self, value: AnyValue) -> tuple[Id, ...]:
        """Return the ids of a stored fingerprint in the order of insertion; empty if it has none or is not stored.

        >>> corpus = Corpus()
        >>> corpus.add_many([7, 7], ids=["a", "b"]), corpus.ids_of(7), corpus.ids_of(8)
        (1, ('a', 'b'), ())
        """
        with self._reading:
            return self._ids_of(as_value(value, self.scheme))

    def values(self) -> Values:
        """Return the stored fingerprints in memory, ascending, shape (n,), or (n, lanes) over 64 bits.

        >>> corpus = Corpus()
        >>> corpus.add_many([255, 7]), corpus.values().tolist()
        (2, [7, 255])
        """
        return values_from_lanes(self._now().values())

    def entries(self) -> tuple[Values, list[Id | None] | None]:
        """Return the stored fingerprints, once for each id, and the ids: None for a missing one, or if there are none.

        >>> corpus = Corpus()
        >>> corpus.insert(5, id="a"), corpus.insert(5, id="b"), corpus.insert(3)
        (True, False, True)
        >>> corpus.entries()
        (array([5, 5, 3], dtype=uint64), ['a', 'b', None])
        """
        values, ids = self._now().content()
        if ids is None:
            return values_from_lanes(values), None
        unnamed = values[~is_among(values, ids.values)]
        return values_from_lanes(np.concatenate((ids.values, unnamed))), [*ids, *[None] * len(unnamed)]

    def merge(self) -> None:
        """Merge all segments and recent changes into one, in about the time of a build; queries become faster.

        In a directory, it takes about 40 bytes of memory for each fingerprint, and 50 bytes plus the text for each id.

        Raises:
            BlockingIOError, OSError, CorruptIndexError: in a directory, as for `add_many`.

        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> corpus = Corpus()
        >>> corpus.insert(7, id="a.txt")
        True
        >>> corpus.save(f"{folder.name}/corpus.sdix")
        >>> saved = Corpus.open(f"{folder.name}/corpus.sdix")
        >>> saved.insert(255)
        True
        >>> saved.merge()
        >>> len(saved)
        2
        """
        with self.exclusive():
            snapshot = self._now()
            if len(snapshot.segments) > 1 or len(self._delta):
                everything = slice(0, len(snapshot.segments))
                self._commit(merged(snapshot, everything, self._writer, limited=False))

    def save(self, path: PathName) -> None:
        """Write the content to a directory, where it replaces an index. Programs that have the old index open keep it.

        The directory of the corpus itself already contains it.

        Raises:
            BlockingIOError: another process is writing the index.
            FileExistsError: it is the own directory, which another program has changed since it was read.
            OSError: it cannot be written, or the directory contains files of no index.
            BadValueError: the corpus has customised and canonical fingerprints.

        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> corpus = Corpus()
        >>> corpus.insert(7, id="a.txt")
        True
        >>> corpus.save(f"{folder.name}/corpus.sdix")
        >>> Corpus.open(f"{folder.name}/corpus.sdix").find_all(0)
        [7]
        """
        path = followed(path)
        if self._directory and path == self._directory.path and (path / MANIFEST).exists():
            if read_manifest(path) != self._directory.manifest:
                raise FileExistsError(errno.EEXIST, "was changed since it was read; refresh() reads it", str(path))
            return
        snapshot = replace(self._now(), canonical=one_mark(self._marks, path))
        with IndexDirectory.create(path, snapshot.blocking, force=True) as created:
            if len(snapshot.segments) == 1:
                segments = [created.write(snapshot.segments[0])]
            else:
                segments = created.segments(*snapshot.content(), limited=False)
            created.commit(replace(snapshot, segments=tuple(segments)))

    def refresh(self) -> None:
        """Read the changes that other programs made to the directory since it was opened.

        Raises:
            OSError: as for `open`.
            CorruptIndexError: as for `open`; or an index with different parameters has replaced the index.

        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> corpus = Corpus()
        >>> corpus.insert(7, id="a.txt")
        True
        >>> corpus.save(f"{folder.name}/corpus.sdix")
        >>> first, second = (Corpus.open(f"{folder.name}/corpus.sdix") for _ in range(2))
        >>> first.insert(255), len(second), second.refresh(), len(second)
        (True, 1, None, 2)
        """
        if self._directory is None:
            return
        self._directory, self._snapshot = _reopened(
            self._directory.path, self._snapshot.blocking, mapped=self._directory.mapped
        )
        self._with_delta = self._snapshot
        self._marks = _marks_of(self._snapshot)

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Keep other programs from changing the corpus until the block ends. Blocks may be nested.

        In a directory, this also keeps other processes from changing it, and refreshes the corpus.

        Raises:
            BlockingIOError: another process is changing the directory.
            OSError, CorruptIndexError: as for `refresh`.

        >>> import tempfile
        >>> folder = tempfile.TemporaryDirectory()
        >>> corpus = Corpus()
        >>> corpus.insert(7, id="a.txt")
        True
        >>> corpus.save(f"{folder.name}/corpus.sdix")
        >>> saved = Corpus.open(f"{folder.name}/corpus.sdix")
        >>> with saved.exclusive():
        ...     if not saved.find(255):
        ...         saved.insert(255)
        True
        """
        with self._lock:
            if self._directory is None or self._is_exclusive:
                yield
                return
            with self._directory.locked() as manifest:
                self._is_exclusive = True
                try:
                    if manifest != self._directory.manifest:
                        self.refresh()
                    yield
                finally:
                    self._is_exclusive = False

    def _has(self, value: int) -> bool:
        return value in self._delta or (value not in self._delta.removed and value in self._snapshot)

    def _ids_of(self, value: int) -> tuple[Id, ...]:
        stored = () if value in self._delta.removed else self._snapshot.ids_of(value)
        return (*stored, *self._delta.ids.get(value, ()))

    def _near(self, query: int) -> Iterator[int]:
        """Return the stored fingerprints within the distance of a query; one may come more than once."""
        found = self._snapshot.near(query)
        if self._with_delta is self._snapshot:
            return found
        return chain((value for value in found if value not in self._delta.removed), self._delta.near(query))

    def _contains(self, values: Lanes) -> npt.NDArray[np.bool_]:
        stored = self._snapshot.contains(values)
        if len(self._delta):
            stored = stored & ~is_among(values, self._delta.gone()) | is_among(values, self._delta.added())
        return stored

    def _now(self) -> Snapshot:
        """Return the content as it is now."""
        with self._reading:
            if self._with_delta is None:
                self._with_delta = self._with_segments(self._snapshot)
            return self._with_delta

    def _new_entries(self, values: Lanes, names: Sequence[Id | None] | None) -> tuple[Lanes, SortedIds | None]:
        """Return the fingerprints that are not stored, ascending, and the ids that are new to their fingerprints."""
        distinct = distinct_rows(sorted_rows(values))
        stored = self._contains(distinct)
        named = [at for at, name in enumerate(names or ()) if name is not None]
        if not names or not named:
            return distinct[~stored], None
        ids = SortedIds.build(values[named], [name for name in names if name is not None])
        if self.id_count:
            kept = np.ones(len(ids), bool)
            for at in np.flatnonzero(is_among(ids.values, distinct[stored])).tolist():
                kept[at] = ids[at] not in self._ids_of(ints_from_lanes(ids.values[at : at + 1])[0])
            if not kept.all():
                ids = SortedIds.merge([(ids, kept)])
        return distinct[~stored], ids if len(ids) else None

    def _add(self, value: int, names: Iterable[Id], *, is_new: bool) -> None:
        """Add a fingerprint in memory, unless it is stored, and ids that it does not have."""
        if is_new:
            self._delta.insert(value)
        self._delta.insert_ids(value, names)
        self._with_delta = None

    def _settle(self) -> None:
        """Turn the delta into segments if it has grown."""
        if len(self._delta) > _DELTA_LIMIT:
            self._append(self._now())

    @property
    def _writer(self) -> SegmentWriter:
        return self._directory or SegmentWriter(self._snapshot.blocking)

    def _append(self, snapshot: Snapshot) -> None:
        """Make a snapshot with new segments the content, after merging what is due."""
        self._commit(merge_due(snapshot, self._writer))

    def _with_segments(self, snapshot: Snapshot) -> Snapshot:
        """Return a snapshot with the delta as segments."""
        if not len(self._delta):
            return snapshot
        return snapshot.plus(self._delta.segments(), self._delta.count(), self._delta.id_count)

    def _commit(self, snapshot: Snapshot) -> None:
        """Make a snapshot the content."""
        if self._directory:
            if snapshot != self._snapshot:
                self._directory.commit(snapshot)
        else:
            snapshot.build()
            self._delta = Delta(snapshot.blocking)
        self._snapshot = self._with_delta = snapshot


def build_index(
    directory: PathName,
    empty: Corpus,
    values: AnyValues,
    ids: Ids | None = None,
    *,
    provenances: Sequence[Provenance] = (),
    marks: Iterable[bool] = (),
    force: bool = False,
) -> Corpus:
    """Write a corpus to a directory, with the parameters of an empty one in memory; return it.

    Args:
        provenances: the different provenances of the fingerprints.
        marks: whether they are canonical, as far as the values do not tell.

    Other arguments and errors are those of `Corpus.build`.
    """
    snapshot = replace(empty._snapshot, provenances=tuple(provenances))
    found = {*marks, *_marks_of(snapshot)}
    new, new_ids = empty._new_entries(*present_entries(values, ids, empty.scheme, found))
    path = followed(directory)
    snapshot = replace(snapshot, canonical=one_mark(found, path))
    with IndexDirectory.create(path, snapshot.blocking, force=force) as created:
        snapshot = snapshot.plus(created.segments(new, new_ids), len(new), len(new_ids) if new_ids else 0)
        created.commit(snapshot)
    empty._set(snapshot, created)
    return empty


def add_entries(
    corpus: Corpus,
    values: AnyValues,
    ids: Ids | None,
    provenances: Sequence[Provenance] | None,
    marks: Iterable[bool],
) -> int:
    """Do what `Corpus.add_many` does, with marks as for `build_index`."""
    found = {*marks}
    known = None if provenances is None else provenances_of(provenances)
    return corpus._add_entries(*present_entries(values, ids, corpus.scheme, found), known, found)


def _marks_of(snapshot: Snapshot) -> Marks:
    if snapshot.canonical is not None:
        return {snapshot.canonical}
    return {one.customization is None for one in snapshot.provenances}


def _limit(limit: int | None) -> int | None:
    return None if limit is None else integer(limit, "limit", 1, error=LookupParameterError)


def _reopened(path: Path, blocking: Blocking, *, mapped: bool) -> tuple[IndexDirectory, Snapshot]:
    """Return an index that was open before, and its content now; errors are those of `Corpus.refresh`."""
    directory, snapshot = IndexDirectory.open(path, verify=False, mapped=mapped)
    if snapshot.blocking != blocking:
        raise CorruptIndexError(f"{path}: was replaced by an index of other parameters; open it again")
    return directory, snapshot
