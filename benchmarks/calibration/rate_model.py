"""Estimates the rate of unrelated pairs within any distance of any scheme, from one histogram of 512 bits.

Two steps:

1. *Bits are exchangeable.* The bits of a fingerprint are made of independent bits of hashes. So, given two texts, each
   bit differs with one probability, and the bits of a narrower fingerprint are a random choice of the 512. Of pairs
   that differ in D of 512 bits, the distance in 64 bits is hypergeometric. This gives the rate of a narrower scheme,
   also of one confirmed by another, with far less noise than counting its few near pairs.
2. *The tail is a line.* Below the distance of the 30th nearest pair, too few pairs are seen. There the logarithm of the
   share of pairs within a distance is continued by the line that fits it best from the 30th to the 900th pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import comb
from typing import Any

import numpy as np
import numpy.typing as npt

from simhash_doc.schemes import get_schemes

BITS = 512
CONFIRMING_BITS = 256
CONFIRMATIONS = (26, 20)  # of sd64 by sd256, as in the registry
FIRST, LAST = 30, 900  # pairs: the nearest ones through which the line goes

Floats = npt.NDArray[np.float64]


@cache
def drawn(bits: int, of: int) -> Floats:
    """Return an array of shape (of + 1, bits + 1): P(k of `bits` drawn bits differ | D of `of` differ), at [D, k]."""
    chances = [
        [comb(differing, found) * comb(of - differing, bits - found) / comb(of, bits) for found in range(bits + 1)]
        for differing in range(of + 1)
    ]
    return np.array(chances)


@dataclass(frozen=True, slots=True)
class Rule:
    """What counts as a hit: `bits` within `distance`, and, if `confirmed` is given, 256 bits within it."""

    bits: int
    distance: int
    confirmed: int | None = None

    @property
    def name(self) -> str:
        """A name such as `sd64 <= 3, sd256 <= 26`."""
        first = f"sd{self.bits} <= {self.distance}"
        return first if self.confirmed is None else f"{first}, sd{CONFIRMING_BITS} <= {self.confirmed}"

    @property
    def kernel(self) -> Floats:
        """The probability of a hit, by the number of the 512 bits that differ; array of shape (513,)."""
        if self.confirmed is None:
            return np.asarray(drawn(self.bits, BITS)[:, : self.distance + 1].sum(axis=1))
        near = drawn(self.bits, CONFIRMING_BITS)[:, : self.distance + 1].sum(axis=1)
        confirmed = np.arange(CONFIRMING_BITS + 1) <= self.confirmed
        return np.asarray(drawn(CONFIRMING_BITS, BITS) @ (near * confirmed))


def recommended_rules() -> list[Rule]:
    """Return the thresholds of the registry, and those of the confirmation of `sd64` by `sd256`."""
    rules = [Rule(one.bits, distance) for one in get_schemes().values() for distance in (one.close, one.loose)]
    rules.insert(4, Rule(256, 20))
    return rules + [Rule(64, distance, limit) for distance in (3, 6) for limit in (26, 20)]


def curves() -> dict[str, list[Rule]]:
    """Return the rules of each scheme at every distance up to *loose*, and those of `sd64` confirmed by `sd256`."""
    found = {}
    for scheme in get_schemes().values():
        for confirmed in (None, *CONFIRMATIONS) if scheme.bits == 64 else (None,):
            name = scheme.id if confirmed is None else f"{scheme.id} confirmed {confirmed}"
            found[name] = [Rule(scheme.bits, distance, confirmed) for distance in range(scheme.loose + 1)]
    return found


def fit_line(histogram: npt.NDArray[Any]) -> Floats:
    """Return the shares of pairs at each distance of a histogram of 512 bits, of shape (513,), with the fitted tail.

    Raises:
        ValueError: there are too few pairs.
    """
    within = np.cumsum(histogram, dtype=np.float64)
    pairs = within[-1]
    if pairs < 2 * LAST:
        raise ValueError(f"{pairs:.0f} unrelated pairs are too few to fit the tail; use a larger corpus")
    start, end = (int(np.searchsorted(within, number)) for number in (FIRST, LAST))
    at = np.arange(start, max(end, start + 2) + 1)
    fitted = np.polyfit(at, np.log10(within[at] / pairs), 1)
    below = 10 ** np.polyval(fitted, np.arange(start))
    shares = np.concatenate((below, within[start:] / pairs))
    shares[:start] = np.minimum(below, shares[start])  # continuous, and not above what was seen
    return np.asarray(np.maximum(np.diff(shares, prepend=0.0), 0))


def score_line(halves: npt.NDArray[np.int64]) -> dict[str, float]:
    """Fit the line to one half of the works, and compare it with the nearest pairs of the other half, both ways.

    Args:
        halves: array of shape (2, 513): the histograms of the two halves.

    Returns:
        How many pairs of the other half are nearer than the third pair of the fitted one, far from what was fitted, and
        how many of them the line expects.
    """
    seen = expected = 0.0
    for fitted, other in (halves, halves[::-1]):
        deep = int(np.searchsorted(np.cumsum(fitted), FIRST / 10))
        seen += float(other[:deep].sum())
        expected += float((fit_line(fitted)[:deep] * other.sum()).sum())
    return {"seen": int(seen), "expected": float(f"{expected:.3g}")}
