"""How many pairs of documents that are one work in two formats have near fingerprints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from benchmarks.calibration.corpus import CROSS_MEDIA, Corpus, TruePair, group_of
from benchmarks.extraction.sources import CLOSE, LOOSE, distance

MISSED = 8  # bits


def cross_media_pairs(corpus: Corpus) -> list[TruePair]:
    """Return the real pairs of a corpus that are one work in two formats."""
    return [pair for pair in corpus.pairs if group_of(pair) == CROSS_MEDIA]


def recall(pairs: Sequence[TruePair], texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the shares of pairs whose texts have near fingerprints, and how many have others.

    Args:
        pairs: pairs of documents.
        texts: the text of each document by its id.
    """
    distances = [distance(texts[pair.a], texts[pair.b]) for pair in pairs]
    return {
        "pairs": len(pairs),
        "close": round(mean(d <= CLOSE for d in distances), 4),
        "loose": round(mean(d <= LOOSE for d in distances), 4),
        "missed": sum(d > MISSED for d in distances),
    }
