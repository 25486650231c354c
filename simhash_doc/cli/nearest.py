"""The nearest fingerprints, at any distance: `--nearest` of `find-all` and `index query`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, repeat
from typing import Any

from simhash_doc.arrays import Lanes, distinct_rows, sorted_rows
from simhash_doc.console.messages import Progress
from simhash_doc.entries.entry_files import Entries
from simhash_doc.lookup.corpus import Corpus
from simhash_doc.lookup.matches import Match
from simhash_doc.lookup.nearest import find_nearest

_BATCH = 1 << 12  # queries
_ANSWERS = 1 << 20  # of a batch


def nearest_matches(corpus: Corpus, queries: Lanes, k: int) -> Iterator[list[Match]]:
    """Yield what `Corpus.nearest_many` returns, with progress on a terminal."""
    for asked in _batches(queries, k):
        yield from corpus.nearest_many(asked, k=k)


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
    batches = (find_nearest(old.values, asked, k) for asked in _batches(new.values, k))
    found = chain.from_iterable(zip(top.positions.tolist(), top.distances.tolist(), strict=True) for top in batches)
    for at, (positions, distances) in enumerate(found):
        yield from zip(repeat(labels[0](at)), map(labels[1], positions), distances, strict=False)


def _batches(queries: Lanes, k: int) -> Iterator[Lanes]:
    """Yield queries, as many at a time as have a bounded number of answers, with progress on a terminal."""
    size = max(1, min(_BATCH, _ANSWERS // k))
    with Progress(len(queries), "fingerprints") as progress:
        for start in range(0, len(queries), size):
            yield queries[start : start + size]
            progress.advance(min(size, len(queries) - start))
