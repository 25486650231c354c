"""A corpus of fingerprints that finds all stored ones within a distance of a query."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import RLock
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from simhash_doc.lookup.blocks import check_parameters
from simhash_doc.lookup.errors import BadValueError
from simhash_doc.lookup.ids import Id, IdMap, check_id
from simhash_doc.lookup.layers import Layers
from simhash_doc.lookup.planner import plan
from simhash_doc.lookup.saved import SavedCorpus, load_corpus, save_corpus
from simhash_doc.lookup.values import Positions, Values, as_value, as_values
from simhash_doc.value import Fingerprint

AnyValue: TypeAlias = int | Fingerprint
AnyValues: TypeAlias = Iterable[AnyValue] | npt.NDArray[np.integer]
Ids: TypeAlias = Sequence[Id] | npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """What a bulk query found, rows in the order of the queries.

    Attributes:
        queries: position of the query, shape (p,), int64, ascending.
        values: the stored fingerprint found, shape (p,), uint64.
        distances: bits in which they differ, shape (p,), uint8.
    """

    queries: Positions
    values: Values
    distances: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.queries)


@dataclass(frozen=True, slots=True)
class Match:
    """A stored fingerprint that a query found, its distance in bits, and its ids."""

    value: int
    distance: int
    ids: tuple[Id, ...]


class Corpus:
    """A set of 64-bit fingerprints, with ids if given, exact for queries within `distance` bits.

    Permuted tables after Manku, Jain and Das Sarma 2007: C(blocks, distance) copies of the values,
    sorted, each led by another choice of blocks (spec, section 13). Insertions and removals
    between queries are cheap and take effect at once. Any number of threads may use a corpus;
    a query in bulk, and saving, work on the corpus as it was when they began.

    Args:
        blocks: number of blocks, over `distance`, at most 64. The answers are the same for any;
            speed and memory are not: see `Corpus.plan`.
        distance: largest number of differing bits.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= 64.

    >>> corpus = Corpus()
    >>> corpus.insert(7, "a.txt"), corpus.insert(7, "b.txt"), corpus.insert(2**64 - 1)
    (True, False, True)
    >>> corpus.find_all(0), corpus.find_first(255), 7 in corpus, len(corpus)
    ([7], None, True, 2)
    >>> corpus.matches(0)
    [Match(value=7, distance=3, ids=('a.txt', 'b.txt'))]
    """

    def __init__(self, blocks: int = 5, distance: int = 3) -> None:
        check_parameters(blocks, distance)
        self.blocks, self.distance = blocks, distance
        self._layers = Layers(blocks, distance)
        self._ids = IdMap()
        self._lock = RLock()

    plan = staticmethod(plan)

    def __len__(self) -> int:
        """Return the number of distinct fingerprints."""
        return len(self._layers)

    def __contains__(self, value: AnyValue) -> bool:
        with self._lock:
            return as_value(value) in self._layers

    @property
    def nbytes(self) -> int:
        """Bytes of the tables; ids and late insertions are not counted."""
        return self._layers.nbytes

    def insert(self, value: AnyValue, id: Id | None = None) -> bool:  # noqa: A002
        """Add a fingerprint, or one more id of it; say whether the fingerprint was absent.

        Adding what is there already changes nothing.

        Raises:
            BadValueError: the value is no unsigned integer of 64 bits, or the id neither str nor int.
        """
        value = as_value(value)
        name = None if id is None else check_id(id)
        with self._lock:
            if name is not None:
                self._ids.add(value, name)
            return self._layers.insert(value)

    def insert_bulk(self, values: AnyValues, ids: Ids | None = None) -> int:
        """Add fingerprints, shape (n,), with n ids or none; return how many distinct ones were absent.

        Raises:
            BadValueError: a value or an id is none, or their numbers differ; nothing is added then.
        """
        array = as_values(values)
        names = checked_ids(ids, len(array))
        with self._lock:
            if names is not None:
                self._ids.add_bulk(array, names)
            return self._layers.insert_bulk(array)

    def remove(self, value: AnyValue, id: Id | None = None) -> bool:  # noqa: A002
        """Take away a fingerprint with all its ids, or one id of it; say whether it was there.

        A fingerprint goes with its last id. Removing what is absent changes nothing.

        Raises:
            BadValueError: the value is no unsigned integer of 64 bits.
        """
        value = as_value(value)
        with self._lock:
            if id is not None:
                taken = self._ids.take(value, id)
                if taken and not self._ids.of(value):
                    self._layers.remove(value)
                return taken
            self._ids.drop(value)
            return self._layers.remove(value)

    def remove_bulk(self, values: AnyValues, ids: Ids | None = None) -> int:
        """Take away fingerprints, shape (n,), or with n ids only these; return how many (ids) were there.

        Raises:
            BadValueError: as for `insert_bulk`.
        """
        array = as_values(values)
        names = checked_ids(ids, len(array))
        with self._lock:
            if names is not None:
                return sum(self.remove(value, name) for value, name in zip(array.tolist(), names, strict=True))
            for value in array.tolist() if self._ids else ():
                self._ids.drop(value)
            return self._layers.remove_bulk(array)

    def find_first(self, value: AnyValue) -> int | None:
        """Return a stored fingerprint within the distance, or None. Which of several is not said."""
        query = as_value(value)
        with self._lock:
            return next(self._layers.search(query), None)

    def find_all(self, value: AnyValue) -> list[int]:
        """Return all stored fingerprints within the distance, nearest first, then ascending."""
        query = as_value(value)
        with self._lock:
            found = set(self._layers.search(query))
        if len(found) < 2:
            return list(found)
        return sorted(found, key=lambda stored: ((stored ^ query).bit_count(), stored))

    def matches(self, value: AnyValue) -> list[Match]:
        """Return what `find_all` finds, with distances and ids."""
        query = as_value(value)
        with self._lock:
            return [Match(stored, (stored ^ query).bit_count(), self.ids_of(stored)) for stored in self.find_all(query)]

    def find_first_bulk(self, values: AnyValues) -> Matches:
        """Return one match of each query, shape (q,), that has any; which of several is not said."""
        return self._bulk(values, first_only=True)

    def find_all_bulk(self, values: AnyValues) -> Matches:
        """Return all matches of each query, shape (q,); those of one query in no particular order.

        >>> corpus = Corpus()
        >>> corpus.insert_bulk([0, 7, 255])
        3
        >>> found = corpus.find_all_bulk([3, 2**63])
        >>> found.queries.tolist(), sorted(found.values.tolist()), found.distances.tolist().count(2)
        ([0, 0, 1], [0, 0, 7], 1)
        """
        return self._bulk(values, first_only=False)

    def ids_of(self, value: AnyValue) -> tuple[Id, ...]:
        """Return the ids of a stored fingerprint in the order they came; empty if it has none or is not stored."""
        with self._lock:
            return self._ids.of(as_value(value))

    def values(self) -> Values:
        """Return the stored fingerprints, ascending, shape (n,), uint64."""
        with self._lock:
            return self._layers.values()

    def compact(self) -> None:
        """Merge late insertions and removals into the tables now, in about the time of a build."""
        with self._lock:
            self._layers.compact()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to one file, written beside `path` and then renamed: it is there whole or not at all.

        Raises:
            OSError: the file cannot be written.
        """
        save_corpus(path, self.frozen())

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = True) -> Corpus:
        """Open a saved corpus; the file is mapped, and must not be written to while it is open.

        The corpus may be changed; the file is not, until `save`.

        Args:
            verify: compare all checksums, which reads the whole file once.

        Raises:
            OSError: the file cannot be read.
            DamagedIndexError: it is no saved corpus, or not as it was written.
        """
        return cls.of_frozen(load_corpus(path, verify=verify))

    def frozen(self) -> SavedCorpus:
        """Return the corpus as it is now, in the form that is saved; later changes do not touch it."""
        with self._lock:
            ids = self._ids.frozen() if self._ids else None
            return SavedCorpus(self.blocks, self.distance, self._layers.compact(), ids)

    @classmethod
    def of_frozen(cls, saved: SavedCorpus) -> Corpus:
        """Return a corpus that begins with what was saved."""
        corpus = cls(saved.blocks, saved.distance)
        corpus._layers = Layers(saved.blocks, saved.distance, [saved.segment])
        corpus._ids = IdMap(saved.ids)
        return corpus

    def _bulk(self, values: AnyValues, *, first_only: bool) -> Matches:
        queries = as_values(values)
        with self._lock:
            snapshot = self._layers.snapshot()
        at, found = snapshot.search(queries, first_only=first_only)
        return Matches(at, found, np.bitwise_count(queries[at] ^ found))


def checked_ids(ids: Ids | None, expected: int) -> Sequence[Id] | None:
    """Return ids as a sequence of their number expected.

    Raises:
        BadValueError: one is neither str nor int, or there are more or fewer.
    """
    if ids is None:
        return None
    names: Sequence[Id] = ids.tolist() if isinstance(ids, np.ndarray) else ids
    if len(names) != expected:
        raise BadValueError(f"{len(names)} ids for {expected} fingerprints: give one for each, or none at all")
    for name in names:
        check_id(name)
    return names
