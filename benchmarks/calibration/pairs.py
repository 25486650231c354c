"""Hamming distances of unrelated pairs by language, and of true pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.corpus import CROSS_MEDIA, REVISION, Corpus, Document, TruePair, group_of
from benchmarks.calibration.fingerprinting import Table

_ROWS = 128  # rows that are compared with all others at once

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Negatives:
    """The distances of the unrelated pairs of one language.

    Attributes:
        lang: the language.
        bits: number of compared bits.
        families: array of shape (documents,): the number of the family of each document.
        excluded: pairs of documents of different families that are known to be related.
        histogram: array of shape (bits + 1,): the number of pairs at each distance.
        first: position among the documents of the language of the first document of each near pair: at most
            bits / 4 apart.
        second: position of the second document of each near pair.
        tail: distance of each near pair.
    """

    lang: str
    bits: int
    families: Integers
    excluded: list[tuple[int, int]]
    histogram: Integers
    first: Integers
    second: Integers
    tail: Integers

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return int(self.histogram.sum())

    @property
    def mean(self) -> float:
        """The mean distance."""
        return float(self.histogram @ np.arange(len(self.histogram)) / self.pairs)

    def within(self, distance: int) -> int:
        """Return the number of pairs at most `distance` apart."""
        return int(self.histogram[: distance + 1].sum())


def negatives(corpus: Corpus, table: Table, bits: int) -> list[Negatives]:
    """Compare the unrelated documents of each language, except those of one family or known to be related.

    Args:
        corpus: the corpus.
        table: array of shape (documents, lanes).
        bits: number of bits of the table to compare, a multiple of 64.
    """
    return [
        _of_language(lang, documents, corpus.residue, table[[one.row for one in documents], : bits // 64])
        for lang, documents in corpus.unrelated.items()
    ]


def _of_language(
    lang: str, documents: Sequence[Document], residue: frozenset[frozenset[str]], rows: Table
) -> Negatives:
    bits = 64 * rows.shape[1]
    numbers: dict[str, int] = {}
    families = np.array([numbers.setdefault(one.docfamily, len(numbers)) for one in documents], np.int64)
    place = {one.id: at for at, one in enumerate(documents)}
    related = [sorted(place[one] for one in pair) for pair in residue if pair <= place.keys()]
    excluded = [(a, b) for a, b in related if families[a] != families[b]]
    histogram = np.zeros(bits + 1, np.int64)
    near: list[tuple[Integers, Integers, Integers]] = []
    for start in range(0, len(rows), _ROWS):
        block = rows[start : start + _ROWS]
        distances = np.zeros((len(block), len(rows)), np.int64)
        for lane in range(rows.shape[1]):
            distances += np.bitwise_count(block[:, None, lane] ^ rows[None, :, lane])
        counted = families[start : start + _ROWS, None] != families[None, :]
        counted &= np.arange(len(rows))[None, :] > np.arange(start, start + len(block))[:, None]
        for a, b in excluded:
            if start <= a < start + len(block):
                counted[a - start, b] = False
        histogram += np.bincount(distances[counted], minlength=bits + 1)
        first, second = np.nonzero(counted & (distances <= bits // 4))
        near.append((first + start, second, distances[first, second]))
    first, second, tail = (np.concatenate(parts) for parts in zip(*near, strict=True))
    return Negatives(lang, bits, families, excluded, histogram, first, second, tail)


def total(listed: Sequence[Negatives]) -> Integers:
    """Return the histogram of all languages together."""
    return np.sum([one.histogram for one in listed], axis=0, dtype=np.int64)


def pair_distances(corpus: Corpus, pairs: Sequence[TruePair], table: Table, bits: int) -> Integers:
    """Return the distance of each true pair."""
    a = table[[corpus.documents[pair.a].row for pair in pairs], : bits // 64]
    b = table[[corpus.documents[pair.b].row for pair in pairs], : bits // 64]
    return np.bitwise_count(a ^ b).sum(axis=1, dtype=np.int64)


EDIT_CLASSES = ("tiny", "small", "medium", "large", "huge", "rewrite")
BANDS = {">= .95": 0.95, ".85 to .95": 0.85, ".70 to .85": 0.7, ".50 to .70": 0.5, ".30 to .50": 0.3, "< .30": 0.0}


def band(pair: TruePair) -> str:
    """Return the name of the band of the Jaccard similarity of token 3-grams."""
    return next(name for name, lowest in BANDS.items() if pair.jaccard >= lowest)


def sets(corpus: Corpus) -> dict[str, dict[str, list[TruePair]]]:
    """Return the true pairs divided in several ways: way -> part -> pairs, in the natural order of the parts."""

    def divided(
        pairs: Iterable[TruePair], key: Callable[[TruePair], str], order: Iterable[str]
    ) -> dict[str, list[TruePair]]:
        parts: dict[str, list[TruePair]] = {name: [] for name in order}
        for pair in pairs:
            parts.setdefault(key(pair), []).append(pair)
        return {name: part for name, part in parts.items() if part}

    groups = divided(corpus.pairs, group_of, [REVISION, CROSS_MEDIA])
    revisions = groups.get(REVISION, [])
    return {
        "group": groups,
        "edit class": divided(revisions, lambda pair: pair.edit_class or "unclassed", EDIT_CLASSES),
        "revisions by similarity": divided(revisions, band, BANDS),
        "cross-media by similarity": divided(groups.get(CROSS_MEDIA, []), band, BANDS),
        "all by similarity": divided([pair for pair in corpus.pairs if not pair.hard], band, BANDS),
    }


def within(distances: Integers, reach: int) -> list[int]:
    """Return the number of distances that are at most 0, 1, ... `reach`."""
    counts = np.bincount(np.minimum(distances, reach + 1), minlength=reach + 2)
    return [int(count) for count in np.cumsum(counts)[: reach + 1]]
