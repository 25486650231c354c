"""Hamming distances of unrelated pairs by language, and of true pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.corpus import CROSS_MEDIA, REVISION, Corpus, Document, TruePair, group_of
from benchmarks.calibration.fingerprinting import Table

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Negatives:
    """The unrelated pairs of one language.

    Attributes:
        lang: the language.
        bits: number of compared bits.
        families: number of families of documents.
        distances: array of shape (pairs,).
    """

    lang: str
    bits: int
    families: int
    distances: Integers

    @property
    def histogram(self) -> Integers:
        """The number of pairs at each distance, shape (bits + 1,)."""
        return np.bincount(self.distances, minlength=self.bits + 1)

    @property
    def pairs(self) -> int:
        """The number of pairs."""
        return len(self.distances)

    @property
    def mean(self) -> float:
        """The mean distance."""
        return float(self.distances.mean())

    def within(self, distance: int) -> int:
        """Return the number of pairs at most `distance` apart."""
        return int((self.distances <= distance).sum())


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
    numbers: dict[str, int] = {}
    families = np.array([numbers.setdefault(one.docfamily, len(numbers)) for one in documents], np.int64)
    first, second = np.triu_indices(len(documents), 1)
    counted = families[first] != families[second]
    place = {one.id: at for at, one in enumerate(documents)}
    for pair in residue:
        if pair <= place.keys():
            a, b = sorted(place[one] for one in pair)
            counted &= (first != a) | (second != b)
    first, second = first[counted], second[counted]
    distances = np.zeros(len(first), np.int64)
    for lane in range(rows.shape[1]):
        distances += np.bitwise_count(rows[first, lane] ^ rows[second, lane])
    return Negatives(lang, 64 * rows.shape[1], len(numbers), distances)


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
