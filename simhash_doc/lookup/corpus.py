"""A corpus of fingerprints that finds all stored ones within a distance of a query."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from threading import RLock

import numpy as np
import numpy.typing as npt

from simhash_doc.engines.lanes import popcount
from simhash_doc.ingest.provenance import Provenance
from simhash_doc.lookup.arrays import (
    AnyValue,
    AnyValues,
    Positions,
    Values,
    as_value,
    present_values,
    scheme_of,
    to_ints,
)
from simhash_doc.lookup.blocks import Blocking
from simhash_doc.lookup.costs import QUERY, cheapest
from simhash_doc.lookup.ids import Id, IdMap, Ids, check_id, present_entries
from simhash_doc.lookup.index_file import SavedCorpus, load_corpus, save_corpus
from simhash_doc.lookup.planner import plan
from simhash_doc.lookup.probe import nearest_first
from simhash_doc.lookup.segments import Segments
from simhash_doc.schemes import get_scheme

_USUAL_SIZE = 1_000_000
_MODEL = replace(QUERY, max_tables=100)  # 378 tables, as for sd256, would take 4 KB a fingerprint


@dataclass(frozen=True, slots=True, eq=False)
class Matches:
    """The results of a bulk query, rows in the order of the queries.

    Attributes:
        queries: position of the query in the input, shape (p,), int64, ascending; masked queries find nothing.
        values: the stored fingerprint found, shape (p,), or (p, lanes) over 64 bits, uint64.
        distances: bits in which they differ, shape (p,): uint8, or uint16 over 64 bits.
    """

    queries: Positions
    values: Values
    distances: npt.NDArray[np.unsignedinteger]

    def __len__(self) -> int:
        return len(self.queries)


@dataclass(frozen=True, slots=True)
class Match:
    """A stored fingerprint that a query found, its distance in bits, and its ids."""

    value: int
    distance: int
    ids: tuple[Id, ...]


class Corpus:
    """A set of fingerprints of one scheme, with optional ids, exact for queries within `distance` bits.

    Permuted tables after Manku, Jain and Das Sarma 2007: C(blocks, distance) sorted tables, each
    keyed by another choice of blocks (spec, section 13). Insertions and removals
    between queries are cheap and take effect at once. Any number of threads may use a corpus;
    bulk queries and saving work on the corpus as it was when they began.

    Args:
        blocks: number of blocks, over `distance`, at most the number of bits. The answers are the same for
            any; speed and memory are not: see `Corpus.plan`. None for a million fingerprints.
        distance: maximum number of differing bits; None for the close threshold of the scheme.
        scheme: short id of the scheme.

    Attributes:
        provenances: the different provenances of the fingerprints, as far as they are known; saved with them.

    Raises:
        LookupParameterError: not 0 <= distance < blocks <= bits.

    >>> corpus = Corpus()
    >>> corpus.insert(7, "a.txt"), corpus.insert(7, "b.txt"), corpus.insert(2**64 - 1)
    (True, False, True)
    >>> corpus.find_all(0), corpus.find_first(255), 7 in corpus, len(corpus)
    ([7], None, True, 2)
    >>> corpus.matches(0)
    [Match(value=7, distance=3, ids=('a.txt', 'b.txt'))]
    """

    def __init__(self, blocks: int | None = None, distance: int | None = None, scheme: str = "sd64") -> None:
        self.scheme = get_scheme(scheme)
        self.distance = self.scheme.close if distance is None else distance
        self.blocks = default_blocks(self.scheme.bits, self.distance) if blocks is None else blocks
        self._segments = Segments(Blocking(self.scheme.bits, self.blocks, self.distance))
        self._ids = IdMap(self.scheme.lanes)
        self._lock = RLock()
        self.provenances: tuple[Provenance, ...] = ()

    plan = staticmethod(plan)

    def __len__(self) -> int:
        """Return the number of distinct fingerprints."""
        return len(self._segments)

    def __contains__(self, value: AnyValue) -> bool:
        with self._lock:
            return as_value(value, self.scheme.id) in self._segments

    @property
    def nbytes(self) -> int:
        """Bytes of the tables, without ids and recent insertions."""
        return self._segments.nbytes

    def insert(self, value: AnyValue, id: Id | None = None) -> bool:  # noqa: A002
        """Add a fingerprint, or one more id of it; return True if the fingerprint was absent.

        Adding what is stored changes nothing.

        Raises:
            BadValueError: the value is not a fingerprint of the scheme, or the id neither str nor int.
        """
        value = as_value(value, self.scheme.id)
        name = None if id is None else check_id(id)
        with self._lock:
            if name is not None:
                self._ids.add(value, name)
            return self._segments.insert(value)

    def insert_bulk(self, values: AnyValues, ids: Ids | None = None) -> int:
        """Add n fingerprints, with n ids or none; return how many distinct ones were absent.

        Masked entries, which have no fingerprint, are skipped with their ids.

        Raises:
            BadValueError: a value or an id is invalid, or their numbers differ; nothing is added then.
        """
        array, names = present_entries(values, ids, self.scheme.id)
        with self._lock:
            if names is not None:
                self._ids.add_bulk(array, names)
            return self._segments.insert_bulk(array)

    def remove(self, value: AnyValue, id: Id | None = None) -> bool:  # noqa: A002
        """Remove a fingerprint with all its ids, or one id of it; return True if it was stored.

        A fingerprint is removed with its last id. Removing an absent fingerprint or id changes nothing.

        Raises:
            BadValueError: the value is not a fingerprint of the scheme.
        """
        value = as_value(value, self.scheme.id)
        with self._lock:
            if id is not None:
                removed = self._ids.remove(value, id)
                if removed and not self._ids.of(value):
                    self._segments.remove(value)
                return removed
            self._ids.drop(value)
            return self._segments.remove(value)

    def remove_bulk(self, values: AnyValues, ids: Ids | None = None) -> int:
        """Remove n fingerprints, or with n ids only these ids; return how many were stored.

        Raises:
            BadValueError: as for `insert_bulk`.
        """
        array, names = present_entries(values, ids, self.scheme.id)
        with self._lock:
            if names is not None:
                return sum(self.remove(value, name) for value, name in zip(to_ints(array), names, strict=True))
            for value in to_ints(array) if self._ids else ():
                self._ids.drop(value)
            return self._segments.remove_bulk(array)

    def find_first(self, value: AnyValue) -> int | None:
        """Return a stored fingerprint within the distance, or None. Which of several is unspecified."""
        query = as_value(value, self.scheme.id)
        with self._lock:
            return next(self._segments.search(query), None)

    def find_all(self, value: AnyValue) -> list[int]:
        """Return all stored fingerprints within the distance, nearest first, then ascending."""
        query = as_value(value, self.scheme.id)
        with self._lock:
            found = set(self._segments.search(query))
        return nearest_first(found, query) if len(found) > 1 else list(found)

    def matches(self, value: AnyValue) -> list[Match]:
        """Return what `find_all` returns, with distances and ids."""
        query = as_value(value, self.scheme.id)
        with self._lock:
            return [Match(stored, (stored ^ query).bit_count(), self.ids_of(stored)) for stored in self.find_all(query)]

    def find_first_bulk(self, values: AnyValues) -> Matches:
        """Return one match per query that has any. If there are several, which one is unspecified."""
        return self._bulk(values, first_only=True)

    def find_all_bulk(self, values: AnyValues) -> Matches:
        """Return all matches of each query; those of one query are in no particular order.

        >>> corpus = Corpus()
        >>> corpus.insert_bulk([0, 7, 255])
        3
        >>> found = corpus.find_all_bulk([3, 2**63])
        >>> found.queries.tolist(), sorted(found.values.tolist()), found.distances.tolist().count(2)
        ([0, 0, 1], [0, 0, 7], 1)
        """
        return self._bulk(values, first_only=False)

    def ids_of(self, value: AnyValue) -> tuple[Id, ...]:
        """Return the ids of a stored fingerprint in the order of insertion; empty if it has none or is not stored."""
        with self._lock:
            return self._ids.of(as_value(value, self.scheme.id))

    def values(self) -> Values:
        """Return the stored fingerprints, ascending, shape (n,), or (n, lanes) over 64 bits."""
        with self._lock:
            return self._segments.values()

    def compact(self) -> None:
        """Merge recent insertions and removals into the tables, in about the time of a build."""
        with self._lock:
            self._segments.compact()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save to one file, atomically.

        Raises:
            OSError: the file cannot be written.
        """
        save_corpus(path, self.frozen())

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, verify: bool = True, mapped: bool = True) -> Corpus:
        """Open a saved corpus.

        Changes of the corpus do not change the file until `save`.

        Args:
            verify: compare all checksums, which reads all of the file.
            mapped: map the file, of which then only what is used takes memory. It must not be changed in place while
                it is open: if another program truncates it, the system ends this process (SIGBUS). `save` is safe,
                for it replaces the file. False reads all of it into memory, and later changes do no harm.

        Raises:
            OSError: the file cannot be read.
            CorruptIndexError: it is not a saved corpus, or differs from what was written.
        """
        return cls.of_frozen(load_corpus(path, verify=verify, mapped=mapped))

    def frozen(self) -> SavedCorpus:
        """Return the corpus as it is now, in the form that is saved; later changes do not affect it."""
        with self._lock:
            ids = self._ids.frozen() if self._ids else None
            return SavedCorpus(self._segments.compact(), ids, provenances=self.provenances)

    @classmethod
    def of_frozen(cls, saved: SavedCorpus) -> Corpus:
        """Return a corpus with the saved contents."""
        blocking = saved.blocking
        corpus = cls(blocking.blocks, blocking.distance, scheme_of(saved.segment.values).id)
        corpus._segments = Segments(blocking, [saved.segment])
        corpus._ids = IdMap(corpus.scheme.lanes, saved.ids)
        corpus.provenances = saved.provenances
        return corpus

    def _bulk(self, values: AnyValues, *, first_only: bool) -> Matches:
        queries, places = present_values(values, self.scheme.id)
        with self._lock:
            snapshot = self._segments.snapshot()
        at, found = snapshot.search(queries, first_only=first_only)
        return Matches(at if places is None else places[at], found, popcount(queries[at] ^ found))


def default_blocks(bits: int, distance: int) -> int:
    """Return the number of blocks with the cheapest queries among a million fingerprints."""
    return cheapest(_USUAL_SIZE, bits, distance, _MODEL).blocks
