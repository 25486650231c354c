"""Hamming distances of unrelated pairs by language, and of true pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.calibration.corpus import CROSS_MEDIA, REVISION, Corpus, TruePair, group_of
from benchmarks.calibration.fingerprinting import Table

Integers = npt.NDArray[np.int64]


def negatives(corpus: Corpus, table: Table, bits: int) -> dict[str, Integers]:
    """Return the distances of all pairs of unrelated documents, by language.

    Pairs of one family and those that are known to be related are left out.

    Args:
        corpus: the corpus.
        table: array of shape (documents, lanes).
        bits: number of bits of the table to compare, a multiple of 64.
    """
    found = {}
    for lang, documents in corpus.unrelated.items():
        families = np.array([one.docfamily for one in documents])
        first, second = np.triu_indices(len(documents), 1)
        counted = families[first] != families[second]
        place = {one.id: at for at, one in enumerate(documents)}
        for pair in corpus.residue:
            if pair <= place.keys():
                a, b = sorted(place[one] for one in pair)
                counted &= (first != a) | (second != b)
        rows = table[[one.row for one in documents]]
        distances = np.zeros(counted.sum(), np.int64)
        for lane in range(bits // 64):
            distances += np.bitwise_count(rows[first[counted], lane] ^ rows[second[counted], lane])
        found[lang] = distances
    return found


def united(by_language: Mapping[str, Integers]) -> Integers:
    """Return the distances of all languages together."""
    return np.concatenate(list(by_language.values()))


def pair_distances(corpus: Corpus, pairs: Sequence[TruePair], table: Table, bits: int) -> Integers:
    """Return the distance of each true pair."""
    a = table[[corpus.documents[pair.a].row for pair in pairs], : bits // 64]
    b = table[[corpus.documents[pair.b].row for pair in pairs], : bits // 64]
    return np.bitwise_count(a ^ b).sum(axis=1, dtype=np.int64)


EDIT_CLASSES = ("tiny", "small", "medium", "large", "huge", "rewrite")
BANDS = {
    ">= 0.95": 0.95,
    "0.85 to 0.95": 0.85,
    "0.70 to 0.85": 0.7,
    "0.50 to 0.70": 0.5,
    "0.30 to 0.50": 0.3,
    "< 0.30": 0.0,
}


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
