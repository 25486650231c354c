"""Entries that were read from files, added to a corpus, removed from it, and searched in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from simhash_doc.ingest.entries import Entries
from simhash_doc.lookup.arrays import Values, sort_keys, to_ints
from simhash_doc.lookup.corpus import Corpus, Match
from simhash_doc.lookup.segmented.corpus import SegmentedCorpus


class Removed(NamedTuple):
    """What was removed: paths, and fingerprints with all their paths; and how many entries have no path."""

    paths: int
    fingerprints: int
    unnamed: int


AnyCorpus = Corpus | SegmentedCorpus
_BATCH = 1 << 14  # queries


def insert_entries(corpus: AnyCorpus, entries: Entries) -> int:
    """Add fingerprints with their paths and provenances; return how many fingerprints are new."""
    if isinstance(corpus, SegmentedCorpus):
        return corpus.insert_bulk(entries.values, entries.names, provenances=entries.provenances)
    named, unnamed, names = _by_name(entries)
    added = corpus.insert_bulk(entries.values[unnamed])
    if named:
        added += corpus.insert_bulk(entries.values[named], names)
    corpus.provenances = entries.provenances
    return added


def remove_entries(corpus: AnyCorpus, entries: Entries) -> Removed:
    """Remove the paths of entries that have one, and the fingerprints of all others with all their paths."""
    named, unnamed, names = _by_name(entries)
    if isinstance(corpus, SegmentedCorpus):
        return Removed(*corpus.remove_bulk(entries.values, entries.names), len(unnamed))
    paths = corpus.remove_bulk(entries.values[named], names)
    return Removed(paths, corpus.remove_bulk(entries.values[unnamed]), len(unnamed))


def count_new_paths(corpus: AnyCorpus, entries: Entries) -> int:
    """Return how many paths of the entries are not in the corpus."""
    names = entries.names or []
    found = {(value, name) for value, name in zip(to_ints(entries.values), names, strict=False) if name is not None}
    return sum(name not in corpus.ids_of(value) for value, name in found)


def matches_of(corpus: AnyCorpus, queries: Values) -> Iterator[list[Match]]:
    """Yield for each query what `Corpus.matches` returns; many are searched together."""
    for start in range(0, len(queries), _BATCH):
        asked = queries[start : start + _BATCH]
        found = corpus.find_all_bulk(asked)
        order = np.lexsort((sort_keys(found.values), found.distances, found.queries))
        values, distances = to_ints(found.values[order]), found.distances[order].tolist()
        ends = np.cumsum(np.bincount(found.queries, minlength=len(asked))).tolist()
        for first, end in pairwise([0, *ends]):
            yield [Match(values[at], distances[at], corpus.ids_of(values[at])) for at in range(first, end)]


def _by_name(entries: Entries) -> tuple[list[int], list[int], list[str]]:
    """Return the positions of the entries with a name, of those without, and the names."""
    names = entries.names or [None] * len(entries.values)
    named = [(at, name) for at, name in enumerate(names) if name is not None]
    unnamed = [at for at, name in enumerate(names) if name is None]
    return [at for at, _ in named], unnamed, [name for _, name in named]
