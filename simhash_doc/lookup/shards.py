"""A corpus split into shards by the leading bits of its fingerprints, for more than one memory or disk."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np

from simhash_doc.engines.lanes import LANE_BITS
from simhash_doc.lookup.arrays import (
    AnyValue,
    AnyValues,
    Positions,
    Values,
    as_rows,
    as_value,
    present_values,
    scheme_of,
)
from simhash_doc.lookup.corpus import Corpus, Matches
from simhash_doc.lookup.errors import CorruptIndexError, LookupParameterError
from simhash_doc.lookup.ids import Id, Ids, present_entries
from simhash_doc.lookup.index_file import MOST_SHARD_BITS, load_corpus, save_corpus
from simhash_doc.lookup.probe import nearest_first

_SUFFIX = ".sdix"


class Shards:
    """2^bits corpora; shard s holds the fingerprints whose leading bits are s.

    A fingerprint within the distance of a query may begin with other bits, at most `distance` of
    them. So a query goes to every shard whose number differs from its own leading bits in that
    many or fewer, and the results, which cannot overlap, are joined.

    Args:
        bits: leading bits that number the shards, 0 to 12.
        blocks: blocks of every shard, as for `Corpus`.
        distance: distance of every shard, as for `Corpus`.
        scheme: short id of the scheme.

    Raises:
        LookupParameterError: a parameter is out of range.

    >>> shards = Shards(bits=2)
    >>> shards.insert_bulk([1, 2**63, 2**64 - 1])
    3
    >>> sorted(shards.find_all_bulk([0]).values.tolist()), len(shards)
    ([1, 9223372036854775808], 3)
    """

    def __init__(self, bits: int, blocks: int | None = None, distance: int | None = None, scheme: str = "sd64") -> None:
        if not 0 <= bits <= MOST_SHARD_BITS:
            raise LookupParameterError(f"bits is {bits}; shards are numbered by 0 to {MOST_SHARD_BITS} leading bits")
        self.bits = bits
        self.parts = [Corpus(blocks, distance, scheme) for _ in range(1 << bits)]
        self.scheme, self.distance = self.parts[0].scheme, self.parts[0].distance

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def shard_of(self, value: AnyValue) -> int:
        """Return the number of the shard that holds a fingerprint."""
        return as_value(value, self.scheme.id) >> (self.scheme.bits - self.bits)

    def shards_near(self, value: AnyValue) -> list[int]:
        """Return the numbers of the shards that may hold a match of a query, its own first."""
        own = self.shard_of(value)
        return [
            own ^ sum(1 << bit for bit in flipped)
            for count in range(min(self.distance, self.bits) + 1)
            for flipped in combinations(range(self.bits), count)
        ]

    def insert_bulk(self, values: AnyValues, ids: Ids | None = None) -> int:
        """Add fingerprints to their shards, as `Corpus.insert_bulk` does."""
        array, names = present_entries(values, ids, self.scheme.id)
        numbers = self._numbers(array)
        added = 0
        for number in np.unique(numbers).tolist():
            at = np.flatnonzero(numbers == number)
            chosen = None if names is None else [names[position] for position in at.tolist()]
            added += self.parts[number].insert_bulk(array[at], chosen)
        return added

    def remove_bulk(self, values: AnyValues) -> int:
        """Remove fingerprints with all their ids; return how many distinct ones were stored."""
        array, _ = present_values(values, self.scheme.id)
        numbers = self._numbers(array)
        return sum(self.parts[number].remove_bulk(array[numbers == number]) for number in np.unique(numbers).tolist())

    def find_all(self, value: AnyValue) -> list[int]:
        """Return all stored fingerprints within the distance, nearest first, then ascending."""
        query = as_value(value, self.scheme.id)
        found = [stored for number in self.shards_near(query) for stored in self.parts[number].find_all(query)]
        return nearest_first(found, query)

    def find_all_bulk(self, values: AnyValues) -> Matches:
        """Return all matches of each query, as `Corpus.find_all_bulk` does."""
        queries, places = present_values(values, self.scheme.id)
        numbers = self._numbers(queries)
        answers = []
        for number, part in enumerate(self.parts):
            # Only one shard is used at a time, so that mapped files can take turns in memory.
            at = np.flatnonzero(np.bitwise_count(numbers ^ number) <= self.distance)
            found = part.find_all_bulk(queries[at])
            positions = at[found.queries]
            answers.append(replace(found, queries=positions if places is None else places[positions]))
        return _merge_answers(answers)

    def ids_of(self, value: AnyValue) -> tuple[Id, ...]:
        """Return the ids of a stored fingerprint."""
        return self.parts[self.shard_of(value)].ids_of(value)

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Save each shard to a file in a new directory, which appears when all are written.

        Raises:
            OSError: the directory exists, or cannot be written.
        """
        target = Path(directory)
        if target.exists():
            raise FileExistsError(f"{target}: exists; shards are saved to a new directory")
        temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
        temporary.mkdir()
        try:
            for number, part in enumerate(self.parts):
                name = f"{number:04}{_SUFFIX}"
                save_corpus(temporary / name, replace(part.frozen(), shard=(number, self.bits)))
            temporary.rename(target)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise

    @classmethod
    def open(cls, directory: str | os.PathLike[str], *, verify: bool = True, mapped: bool = True) -> Shards:
        """Open saved shards; `verify` and `mapped` as for `Corpus.open`.

        Raises:
            OSError: a file cannot be read.
            CorruptIndexError: a file is not a shard or is corrupt, or the shards are not those of one
                corpus, each once; the message names the wrong or missing one.
        """
        paths = sorted(Path(directory).glob(f"*{_SUFFIX}"))
        saved = [load_corpus(path, verify=verify, mapped=mapped) for path in paths]
        if not saved or saved[0].shard is None:
            raise CorruptIndexError(f"{directory}: holds no shards (files *{_SUFFIX} with the number of their shard)")
        bits = saved[0].shard[1]
        blocking = saved[0].blocking
        shards = cls(bits, blocking.blocks, blocking.distance, scheme_of(saved[0].segment.values).id)
        missing = set(range(1 << bits))
        for path, loaded in zip(paths, saved, strict=True):
            if loaded.shard is None or (loaded.shard[1], loaded.blocking) != (bits, blocking):
                raise CorruptIndexError(f"{path}: is not a shard of the same corpus as {paths[0].name}")
            number = loaded.shard[0]
            if number not in missing:
                raise CorruptIndexError(f"{path}: shard {number} occurs twice or is out of range")
            missing.remove(number)
            shards.parts[number] = Corpus.of_frozen(loaded)
        if missing:
            raise CorruptIndexError(f"{directory}: shards {sorted(missing)} of {1 << bits} are missing")
        return shards

    def _numbers(self, values: Values) -> Positions:
        if not self.bits:
            return np.zeros(len(values), np.int64)
        return (as_rows(values)[:, 0] >> np.uint64(LANE_BITS - self.bits)).astype(np.int64)


def _merge_answers(answers: Sequence[Matches]) -> Matches:
    """Join the results of the same queries in corpora that share no fingerprint, rows in the order of the queries."""
    at = np.concatenate([answer.queries for answer in answers])
    order = np.argsort(at, kind="stable")
    return Matches(
        at[order],
        np.concatenate([answer.values for answer in answers])[order],
        np.concatenate([answer.distances for answer in answers])[order],
    )
