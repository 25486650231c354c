"""Which pairs of a collection are close, which are truly near-duplicates, and what a second look keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.templates.features import FEATURES, gram_ids, wide

SAME, OTHER = 0.8, 0.5  # Dice of the sets of word 8-grams: at least the first is true, below the second is bad
LENGTHS = (100, 200, 500)
DISTANCES = (0, 1, 2, 3, 4, 5, 6)
_FEWEST_PAIRS = 10

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Tally:
    """Pairs of one collection: found by a rule, true among them, bad among them, and true in all."""

    found: int
    true: int
    bad: int
    possible: int


def row(tallies: Sequence[Tally]) -> dict[str, float | int | None]:
    """Return counts over collections: shares of all pairs, and the mean of the collections' precisions.

    A collection in which fewer than `_FEWEST_PAIRS` pairs were found has no part in the mean.
    """
    found, true, bad, possible = (
        sum(getattr(tally, name) for tally in tallies) for name in ("found", "true", "bad", "possible")
    )
    precisions = [tally.true / tally.found for tally in tallies if tally.found >= _FEWEST_PAIRS]
    return {
        "pairs": found,
        "precision": true / found if found else None,
        "mean_precision": sum(precisions) / len(precisions) if precisions else None,
        "bad": bad / found if found else None,
        "recall": true / possible if possible else None,
    }


@dataclass(frozen=True, slots=True)
class Measured:
    """All pairs of the documents of one collection, as the upper triangle of square arrays."""

    dice: Floats
    shorter: npt.NDArray[np.int64]  # tokens of the shorter document
    ratio: Floats  # of the lengths, at most 1
    distances: dict[str, npt.NDArray[np.int64]]  # by kind of feature, and "sd128" and "sd256"

    def tally(self, chosen: Booleans, among: Booleans | None = None) -> Tally:
        """Count a choice of pairs, where recall is among some pairs."""
        among = np.ones(len(self.dice), bool) if among is None else among
        chosen = chosen & among
        true = self.dice >= SAME
        return Tally(
            int(chosen.sum()), int((chosen & true).sum()), int((chosen & (self.dice < OTHER)).sum()),
            int((true & among).sum()),
        )  # fmt: skip


def measure(documents: Sequence[Sequence[str]]) -> Measured:
    """Compare all pairs of documents, given as their tokens in order."""
    upper = np.triu_indices(len(documents), 1)
    lengths = np.array([len(tokens) for tokens in documents])
    shorter, longer = np.minimum(lengths[upper[0]], lengths[upper[1]]), np.maximum(lengths[upper[0]], lengths[upper[1]])
    distances = {
        name: _distances(np.array([fingerprint(tokens) for tokens in documents]))[upper]
        for name, fingerprint in FEATURES.items()
    }
    lanes = np.array([wide(tokens) for tokens in documents])
    distances |= {"sd128": _distances(lanes[:, :2])[upper], "sd256": _distances(lanes)[upper]}
    return Measured(_dice([gram_ids(tokens) for tokens in documents])[upper], shorter, shorter / longer, distances)


def _distances(lanes: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    total = np.zeros((len(lanes), len(lanes)), np.int64)
    for lane in range(lanes.shape[1]):
        total += np.bitwise_count(lanes[:, None, lane] ^ lanes[None, :, lane])
    return total


def _dice(sets: Sequence[npt.NDArray[np.uint64]]) -> Floats:
    """Return the Dice coefficient of every two sets: for each set, the documents of its members are counted."""
    sizes = np.array([len(one) for one in sets])
    members = np.concatenate(sets)
    owners = np.repeat(np.arange(len(sets)), sizes)
    order = np.argsort(members, kind="stable")
    values, owners = members[order], owners[order]
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    ends = np.append(starts[1:], len(values))
    distinct = values[starts]
    dice = np.zeros((len(sets), len(sets)))
    for number, one in enumerate(sets):
        at = distinct.searchsorted(one)
        first, counts = starts[at], ends[at] - starts[at]
        inside = np.arange(counts.sum()) - np.repeat(counts.cumsum() - counts, counts)
        shared = np.bincount(owners[np.repeat(first, counts) + inside], minlength=len(sets))
        dice[number] = 2 * shared / (sizes[number] + sizes)
    return dice


def second_looks(of: Measured) -> dict[str, Booleans]:
    """Return the rules that confirm candidates at sd64 distance 3, by their names."""
    close, loose = of.distances["version 1"] <= 3, of.distances["version 1"] <= 6
    sd128, sd256 = of.distances["sd128"], of.distances["sd256"]
    return {
        "sd64 <= 3": close,
        "and length ratio >= .9": close & (of.ratio >= 0.9),
        "and sd128 <= 8": close & (sd128 <= 8),
        "and sd256 <= 26": close & (sd256 <= 26),
        "and sd256 <= 20": close & (sd256 <= 20),
        "sd64 <= 6 and sd256 <= 20": loose & (sd256 <= 20),
        "sd256 <= 26 alone": sd256 <= 26,
    }
