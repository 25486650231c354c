"""The nearest fingerprints, at any distance: `--nearest` of `find-all` and `index query`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import repeat
from typing import Any

from simhash_doc.arrays import Lanes, distinct_rows, ints_from_lanes, lanes_from_values, sorted_rows
from simhash_doc.console.messages import Progress
from simhash_doc.entries.reader import Entries
from simhash_doc.lookup.corpus import Corpus
from simhash_doc.lookup.matches import Match
from simhash_doc.lookup.nearest import nearest

_BATCH = 1 << 12  # queries
_ANSWERS = 1 << 20  # of a batch


def nearest_matches(corpus: Corpus, queries: Lanes, k: int) -> Iterator[list[Match]]:
    """Yield for each query the k nearest fingerprints of an index, nearest first, then ascending."""
    stored = lanes_from_values(corpus.values())
    for positions, distances in _answers(stored, queries, k):
        values = ints_from_lanes(stored[positions])
        yield [Match(value, distance, corpus.ids_of(value)) for value, distance in zip(values, distances, strict=True)]


def nearest_rows(
    new: Entries, old: Entries, k: int, labels: tuple[Callable[[int], object], Callable[[int], object]] | None
) -> Iterator[tuple[Any, ...]]:
    """Yield a row for each entry and each of the k nearest of `old`, nearest first, equal distances in their order.

    Args:
        new: the entries.
        old: other entries.
        k: number of rows for each entry.
        labels: return what shows an entry of `new` and one of `old`; None for fingerprints, each of which counts once.
    """
    if labels is None:
        new, old = (replace(side, values=distinct_rows(sorted_rows(side.values))) for side in (new, old))
        labels = new.label, old.label
    for at, (positions, distances) in enumerate(_answers(old.values, new.values, k)):
        yield from zip(repeat(labels[0](at)), map(labels[1], positions), distances, strict=False)


def _answers(stored: Lanes, queries: Lanes, k: int) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the positions of the k nearest fingerprints to each query, and their distances."""
    size = max(1, min(_BATCH, _ANSWERS // k))
    with Progress(len(queries), "fingerprints") as progress:
        for start in range(0, len(queries), size):
            asked = queries[start : start + size]
            found = nearest(stored, asked, k)
            progress.advance(len(asked))
            yield from zip(found.positions.tolist(), found.distances.tolist(), strict=True)
