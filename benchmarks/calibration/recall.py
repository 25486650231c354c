"""Recall: the share of true pairs within each distance, by kind of edit, by similarity and by formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from benchmarks.calibration.corpus import CROSS_MEDIA, REVISION, Corpus, TruePair, group_of
from benchmarks.calibration.distances import Integers, pair_distances
from benchmarks.calibration.fingerprinting import Table

EDIT_CLASSES = ("tiny", "small", "medium", "large", "huge", "rewrite")
BANDS = (0.95, 0.85, 0.7, 0.5, 0.3, 0.0)  # lower ends, of the Jaccard similarity of token 3-grams


def band(pair: TruePair) -> str:
    """Return the similarity band of a pair, such as '.85 to .95'."""
    at = next(at for at, lowest in enumerate(BANDS) if pair.jaccard >= lowest)
    names = [f"{lowest:.2f}".lstrip("0") for lowest in BANDS]
    if at == 0:
        return f">= {names[0]}"
    return f"{names[at]} to {names[at - 1]}" if BANDS[at] else f"< {names[at - 1]}"


def sets(corpus: Corpus) -> dict[str, dict[str, list[TruePair]]]:
    """Return the true pairs divided in several ways: way -> part -> pairs, in the natural order of the parts."""

    def divided(
        pairs: Iterable[TruePair], key: Callable[[TruePair], str], order: Sequence[str] = ()
    ) -> dict[str, list[TruePair]]:
        parts: dict[str, list[TruePair]] = {name: [] for name in order}
        for pair in pairs:
            parts.setdefault(key(pair), []).append(pair)
        return {name: part for name, part in parts.items() if part}

    def formats(pair: TruePair) -> str:
        return " / ".join(sorted(corpus.documents[one].format for one in (pair.a, pair.b)))

    bands = [band(TruePair("", "", "", lowest, "", None, False, False)) for lowest in BANDS]
    groups = divided(corpus.pairs, group_of, [REVISION, CROSS_MEDIA])
    real = groups.get(CROSS_MEDIA, [])
    revisions = groups.get(REVISION, [])
    synthetic = groups.get("cross-media, synthetic", [])
    by_formats = divided(real, formats)
    return {
        "group": groups,
        "edit class": divided(revisions, lambda pair: pair.edit_class or "unclassed", EDIT_CLASSES),
        "revisions by similarity": divided(revisions, band, bands),
        "cross-media by similarity": divided(real, band, bands),
        "all by similarity": divided([pair for pair in corpus.pairs if not pair.hard], band, bands),
        "formats": dict(sorted(by_formats.items(), key=lambda item: -len(item[1]))),
        "formats, synthetic": dict(sorted(divided(synthetic, formats).items(), key=lambda item: -len(item[1]))),
    }


def within(distances: Integers, reach: int) -> list[int]:
    """Return the number of distances that are at most 0, 1, ... `reach`."""
    counts = np.bincount(np.minimum(distances, reach + 1), minlength=reach + 2)
    return [int(count) for count in np.cumsum(counts)[: reach + 1]]


def counted(pairs: Sequence[TruePair], positions: dict[str, int], table: Table, bits: int) -> dict[str, Any]:
    """Return a row of the results: the number of pairs, of their works, and of pairs within each distance."""
    return {
        "pairs": len(pairs),
        "works": len({pair.group for pair in pairs}),
        "within": within(pair_distances(pairs, positions, table, bits), bits // 4),
    }
